/** How messages come in: as files in an outbox, and from whom. */
import type { KeptPromise } from './promise.ts';

export const outboxPromises: readonly KeptPromise[] = [
  {
    id: 'outbox.whole',
    says: 'A file that is still being written into an outbox is never taken in part.',
    guard: {
      file: 'src/relay/files/outboxes.test.ts',
      title: 'one that is being written is never read in part',
    },
    proof: {
      file: 'src/relay/files/outboxes.slow.test.ts',
      title: 'messages of eight agents that write at once all come, in order',
    },
    bug: {
      what: 'a file waits after a rename, and not after it was written in place',
      file: 'src/relay/files/read-outbox-file.ts',
      find: 'if (!file.renamed && ageMs < settleMs)',
      put: 'if (file.renamed && ageMs < settleMs)',
    },
  },
  {
    id: 'outbox.script',
    says: 'The shell script of the relay protocol sends its message as it is printed, for an agent that nobody knew too.',
    guard: {
      file: 'tests/e2e/relay-script.test.ts',
      title: `reaches Lead \${runs} times of \${runs} for agents that nobody knew`,
    },
    proof: {
      file: 'tests/e2e/relay-script.test.ts',
      title: `reaches Lead \${runs} times of \${runs} for agents that nobody knew`,
    },
    bug: {
      what: 'the folder that a new agent has made is refused for its mode',
      file: 'src/security/register.ts',
      find: "body: 'guest', open: 'closed'",
      put: "body: 'guest', open: 'refused'",
    },
  },
  {
    id: 'outbox.malformed',
    says: 'The sender of a file that is no message is told by a nack what is wrong with it.',
    guard: {
      file: 'src/relay/accept.test.ts',
      title: 'that is refused is on record, and its sender is told why',
    },
    proof: { file: 'tests/e2e/relay.test.ts', title: 'files that were no messages' },
    bug: {
      what: 'the nack has the code of what is wrong, and not the words',
      file: 'src/relay/refuse.ts',
      find: 'sentence(error.message)',
      put: 'sentence(error.code)',
    },
  },
  {
    id: 'outbox.links',
    says: 'A symlink, a pipe or another special file in an outbox is refused, and nothing of it is read.',
    guard: {
      file: 'tests/e2e/relay.test.ts',
      title: 'a symlink, a pipe and a socket in an outbox are refused, and nothing of them is read',
    },
    proof: {
      file: 'tests/attack/agent-owned-folders.test.ts',
      title: 'a symlink, a pipe and a folder bring nothing of the host, and hold nobody up',
    },
    bug: {
      what: 'a file is opened through a symlink in its place',
      file: 'src/engines/disk/disk.ts',
      find: 'O_RDONLY | O_NOFOLLOW | O_NONBLOCK',
      put: 'O_RDONLY | O_NONBLOCK',
    },
  },
  {
    id: 'outbox.from',
    says: 'FROM is whose outbox or handle a message came from.',
    guard: {
      file: 'src/relay/files/outboxes.test.ts',
      title: 'one that names somebody else is from whose outbox it is in',
    },
    proof: {
      file: 'src/gateway/routes/messages.slow.test.ts',
      title: 'an agent sends as itself and as nobody else',
    },
    bug: {
      what: 'the FROM that is written in a file is believed',
      file: 'src/relay/files/read-outbox-file.ts',
      find: 'sender: file.agent, message,',
      put: 'sender: message.origin?.from ?? file.agent, message,',
    },
  },
  {
    id: 'outbox.rate',
    says: 'An agent that sends too fast is slowed down, and nothing is dropped.',
    guard: {
      file: 'src/relay/files/outboxes.test.ts',
      title: 'as many as the rate limit lets through; the others stay, and all come',
    },
    proof: {
      file: 'src/gateway/client/message-client.slow.test.ts',
      title: 'a sender above its rate is slowed down, and nothing is dropped',
    },
    bug: {
      what: 'a batch goes whole as soon as one message of it may',
      file: 'src/relay/files/read-batch.ts',
      find: 'Math.min(batchMessages, outbox.credit)',
      put: 'batchMessages',
    },
  },
  {
    id: 'outbox.disk-full',
    says: 'On a full disk nothing is accepted and lost: files stay in their outboxes, and arrive when there is room.',
    guard: {
      file: 'src/relay/files/outboxes.test.ts',
      title: 'while the relay takes nothing, files stay and it is said once',
    },
    proof: {
      file: 'tests/e2e/relay-trouble.test.ts',
      title: 'files stay in the outbox, callers are told, and all arrives when there is room',
    },
    bug: {
      what: 'a look does not go back to what the relay did not take',
      file: 'src/relay/files/look-at-outbox.ts',
      find: 'goBack(outbox, place, { batch, answered: 0, next });',
      put: 'outbox.credit += batch.found.length;',
    },
  },
  {
    id: 'outbox.guest',
    says: 'A new folder under agents/ makes a guest that may send messages and nothing else.',
    guard: {
      file: 'src/security/register.slow.test.ts',
      title:
        'whom the owner registers may send messages and files, and who made its folder messages',
    },
    proof: {
      file: 'src/relay/files/outboxes.test.ts',
      title: 'a new folder under agents/ becomes a guest whose messages are taken',
    },
    bug: {
      what: 'whoever no agent has registered counts as registered by the owner',
      file: 'src/security/grants/default-grants.ts',
      find: "actor === 'owner' ? 'registered' : 'guest'",
      put: "actor.startsWith('agent:') ? 'guest' : 'registered'",
    },
  },
];
