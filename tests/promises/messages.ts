/** What happens to a message once it was accepted. */
import type { KeptPromise, NamedTest } from './promise.ts';

const manyKills: NamedTest = {
  file: 'tests/crash/relay-chaos.test.ts',
  title:
    'nothing is lost, doubled or out of order after many kills each of two homes (seeds %d, %d)',
};

const relaySeeds: NamedTest = {
  file: 'tests/sim/relay-seeds.ts',
  title: `whatever goes wrong in \${words}, every message ends as it should`,
};

export const messagePromises: readonly KeptPromise[] = [
  {
    id: 'messages.survive-kill',
    says: 'A message that was acknowledged is there after kill -9, once and in order.',
    guard: {
      file: 'tests/crash/relay-steps.test.ts',
      title: 'delivers a file once when the recipient %s',
    },
    proof: manyKills,
    bug: {
      what: 'what reached an inbox before the kill is not noted at the next start',
      file: 'src/relay/delivery/recover.ts',
      find: 'if (sameBoot) await noteReached',
      put: 'if (!sameBoot) await noteReached',
    },
  },
  {
    id: 'messages.survive-power',
    says: 'After a power cut every unread message lies in its inbox again, whole and under its name.',
    guard: {
      file: 'src/relay/delivery/recover.slow.test.ts',
      title: 'is written again after a power cut, under its name',
    },
    proof: relaySeeds,
    bug: {
      what: 'only inboxes in which a file still lies are written again',
      file: 'src/relay/delivery/recover.ts',
      find: 'of await recipientsWithUnread(ledger.committed)) {\n    const messages',
      put: 'of known.keys()) {\n    const messages',
    },
  },
  {
    id: 'messages.one-end',
    says: 'Every message comes to exactly one end (read, acked, expired or dead), and no end is taken back.',
    guard: { file: 'src/ledger/messages/deliveries.test.ts', title: 'moves nothing that is over' },
    proof: relaySeeds,
    bug: {
      what: 'an answer also settles what is over',
      file: 'src/ledger/messages/deliveries.ts',
      find: 'where id = $1 and ended_at is null`,',
      put: 'where id = $1`,',
    },
  },
  {
    id: 'messages.dead-told',
    says: 'A message that cannot be delivered is tried eight times; then it is dead, and its sender is told once.',
    guard: {
      file: 'src/relay/delivery/deliver.slow.test.ts',
      title: 'eight times is dead, and its sender is told once',
    },
    proof: relaySeeds,
    bug: {
      what: 'one try more than eight is made',
      file: 'src/relay/delivery/outcome.ts',
      find: 'attempt >= maxAttempts',
      put: 'attempt > maxAttempts',
    },
  },
  {
    id: 'messages.expired-told',
    says: 'A message that nobody reads in time expires, and its sender is told once.',
    guard: {
      file: 'src/relay/delivery/expire.slow.test.ts',
      title: 'and that nobody read has expired: its file goes, and its sender is told once',
    },
    proof: relaySeeds,
    bug: {
      what: 'only the sender of a request is told of its end',
      file: 'src/relay/delivery/settle.ts',
      find: "if (mail.kind === 'ack' || mail.kind === 'nack') return;",
      put: "if (mail.kind !== 'request') return;",
    },
  },
  {
    id: 'messages.order',
    says: 'Messages from one sender to one recipient with one priority keep their order, also while the first has to be tried again.',
    guard: {
      file: 'src/relay/delivery/deliver.slow.test.ts',
      title: 'holds up everything behind it, and order is kept when it goes',
    },
    proof: manyKills,
    bug: {
      what: 'what comes behind the one that has to be tried again is claimed too',
      file: 'src/relay/delivery/deliver.ts',
      find: 'waiting.slice(0, waiting.indexOf(blocked))',
      put: 'waiting.filter((mail) => mail !== blocked)',
    },
  },
  {
    id: 'messages.dedup',
    says: 'A message that is sent again under its key is one message.',
    guard: { file: 'src/relay/accept.test.ts', title: 'makes a repeated send one message' },
    proof: {
      file: 'src/gateway/client/message-client.slow.test.ts',
      title: 'an answer that was lost with the connection makes no second message',
    },
    bug: {
      what: 'the key is written down only for a message that came as a file',
      file: 'src/relay/posting.ts',
      find: 'dedup_key: message.dedupKey ?? null',
      put: 'dedup_key: (source && message.dedupKey) ?? null',
    },
  },
  {
    id: 'messages.request',
    says: 'A request gets its response, or is refused at its deadline.',
    guard: {
      file: 'src/relay/send.test.ts',
      title: 'a request that nobody answers is refused at its deadline, and not before',
    },
    proof: {
      file: 'src/gateway/client/message-client.slow.test.ts',
      title: 'request() that nobody answers is refused at its deadline',
    },
    bug: {
      what: 'the deadline, a moment, is taken for the time to wait',
      file: 'src/relay/send.ts',
      find: 'const waitMs = Math.max(0, deadline - deps.clock.monotonicMs());',
      put: 'const waitMs = deadline;',
    },
  },
  {
    id: 'messages.mailbox',
    says: 'A mailbox that is full takes no more, and the sender is told at once.',
    guard: { file: 'src/relay/accept.test.ts', title: 'refuses what is for it alone' },
    proof: {
      file: 'src/relay/accept.test.ts',
      title: 'among several goes without, and the sender is told once',
    },
    bug: {
      what: 'a mailbox takes one message more than it may hold',
      file: 'src/relay/limits.ts',
      find: 'size.pending >= mailboxMessages',
      put: 'size.pending > mailboxMessages',
    },
  },
  {
    id: 'messages.stream',
    says: 'Chunks of a stream come in their order, none twice and none left out, and at most 64 are unread.',
    guard: {
      file: 'src/relay/room.test.ts',
      title: 'comes in order, 64 unread at most: the next waits, and none is passed over',
    },
    proof: {
      file: 'src/relay/files/outboxes.test.ts',
      title: 'a chunk that waits for its reader is not passed by one that comes later',
    },
    bug: {
      what: 'one chunk more than the window holds is taken',
      file: 'src/relay/limits.ts',
      find: 'stream.unread >= window',
      put: 'stream.unread > window',
    },
  },
  {
    id: 'messages.channel',
    says: 'A message to a channel reaches everybody who is in it and active, but for its sender.',
    guard: {
      file: 'src/relay/mail.test.ts',
      title: 'reaches its active members, but for the sender',
    },
    proof: manyKills,
    bug: {
      what: 'a channel keeps whoever was terminated',
      file: 'src/ledger/messages/subscriptions.ts',
      find: "where channel = $1 and status = 'active' order by agent",
      put: 'where channel = $1 order by agent',
    },
  },
  {
    id: 'messages.everybody',
    says: 'A message to * reaches everybody who is active, but for its sender.',
    guard: {
      file: 'src/relay/mail.test.ts',
      title: 'reaches everybody who is active, but for the sender',
    },
    proof: relaySeeds,
    bug: {
      what: 'the sender gets it too',
      file: 'src/relay/mail.ts',
      find: 'const others = named.filter((name) => name !== sender);',
      put: 'const others = named;',
    },
  },
  {
    id: 'messages.lead',
    says: 'A message to Lead waits while nobody is Lead, and goes to whoever becomes it, in order.',
    guard: {
      file: 'src/relay/mail.test.ts',
      title: 'that nobody is holds messages, and whoever becomes it gets them in order',
    },
    proof: {
      file: 'tests/e2e/relay-script.test.ts',
      title: `reaches Lead \${runs} times of \${runs} for agents that nobody knew`,
    },
    bug: {
      what: 'the name of Lead is woken, and not whoever has become it',
      file: 'src/relay/groups.ts',
      find: 'wake({ recipient: name,',
      put: 'wake({ recipient: leadName,',
    },
  },
  {
    id: 'messages.why',
    says: 'aos why tells every step of a message with its time.',
    guard: {
      file: 'src/relay/history.test.ts',
      title: 'of a message that was delivered, read and acknowledged, every step is told',
    },
    proof: { file: 'tests/e2e/relay.test.ts', title: 'a message that was delivered and read' },
    bug: {
      what: 'the acknowledgement is told with the time of the reading',
      file: 'src/relay/history.ts',
      find: "if (state === 'acked') add(ended_at,",
      put: "if (state === 'acked') add(read_at,",
    },
  },
];
