/** Files from one agent to another, and to a human. */
import type { KeptPromise } from './promise.ts';

export const transferPromises: readonly KeptPromise[] = [
  {
    id: 'transfer.resume',
    says: 'A transfer that was cut off, by kill -9 too, goes on where it was when the same command is run again.',
    guard: {
      file: 'tests/crash/transfer-kill.test.ts',
      title: 'killed at any point, sending goes on where it was, and so does receiving',
    },
    proof: {
      file: 'tests/crash/transfer-kill.test.ts',
      title: 'killed at any point, sending goes on where it was, and so does receiving',
    },
    bug: {
      what: 'nothing of what is stored is gone on with',
      file: 'src/transfer/client/upload.ts',
      find: 'Math.min(whole, stretchCount(sizeBytes) - 1)',
      put: 'Math.min(whole, 0)',
    },
  },
  {
    id: 'transfer.same',
    says: 'A transfer that went on in the middle stores what it would have stored at once.',
    guard: {
      file: 'src/transfer/client/body.test.ts',
      title: 'what is gone on with is the same as what is sealed at once',
    },
    proof: {
      file: 'tests/crash/transfer-kill.test.ts',
      title: 'what was changed between two tries arrives as it is now, under another key',
    },
    bug: {
      what: 'half a stretch is taken for a whole one',
      file: 'src/transfer/client/upload.ts',
      find: 'Math.max(0, Math.floor((storedBytes - head) / each))',
      put: 'Math.max(0, Math.ceil((storedBytes - head) / each))',
    },
  },
  {
    id: 'transfer.whole',
    says: 'Nothing has its name before it is whole, and bytes that were changed or cut are found.',
    guard: {
      file: 'src/transfer/client/body.test.ts',
      title: '%s is found, and nothing of it is handed out',
    },
    proof: {
      file: 'tests/attack/transfer-store.test.ts',
      title:
        'jared gets nothing of what was changed in the store, and it is good once it is sent again',
    },
    bug: {
      what: 'where a chunk stands is no part of its nonce',
      file: 'src/blobs/seal/aosb1.ts',
      find: '  nonce.writeUInt32BE(index, 7);\n',
      put: '',
    },
  },
  {
    id: 'transfer.sealed',
    says: 'A file is stored sealed, and any change, cut or swap of the sealed bytes shows.',
    guard: { file: 'src/blobs/seal/aosb1.test.ts', title: 'any flipped bit' },
    proof: {
      file: 'src/transfer/finish.slow.test.ts',
      title: 'the stored bytes are not the plain ones, unless that is wanted',
    },
    bug: {
      what: 'a tag that does not fit is passed over',
      file: 'src/blobs/seal/aosb1.ts',
      find: "throw damaged('The sealed bytes were changed, or do not stand where they belong', cause);",
      put: 'return plain;',
    },
  },
  {
    id: 'transfer.once',
    says: 'The same sent again, or to many, is stored once, and each recipient has a key of its own.',
    guard: {
      file: 'src/transfer/finish.slow.test.ts',
      title: 'three recipients have one body and three wraps, and each opens its own',
    },
    proof: {
      file: 'tests/attack/transfer-races.test.ts',
      title: 'programs that send the same at once store it once, as a transfer each',
    },
    bug: {
      what: 'the key is wrapped for the sender each time',
      file: 'src/transfer/rows.ts',
      find: 'await wrapFor(deps, tx, { dek, body, recipient })',
      put: 'await wrapFor(deps, tx, { dek, body, recipient: body.sender })',
    },
  },
  {
    id: 'transfer.private',
    says: 'To whom a transfer does not belong, it is as if there were none.',
    guard: {
      file: 'src/transfer/settle.slow.test.ts',
      title: 'to anybody but its recipient it is as if there were none',
    },
    proof: {
      file: 'tests/attack/transfer-privacy.test.ts',
      title: 'gets the same answers for a transfer of others as for none',
    },
    bug: {
      what: 'whoever knows an id has the transfer',
      file: 'src/transfer/refusals.ts',
      find: 'if (row === undefined || row[side] !== principal) throw',
      put: 'if (row === undefined) throw',
    },
  },
  {
    id: 'transfer.names',
    says: 'Names that would do harm are refused when they are sent and again when they are received.',
    guard: { file: 'src/kernel/files/names.test.ts', title: '%s is refused in words' },
    proof: {
      file: 'tests/attack/transfer-names.test.ts',
      title: 'whatever name a home says, what does harm is not received',
    },
    bug: {
      what: '".." passes for a name',
      file: 'src/kernel/files/names.ts',
      find: "if (name === '.' || name === '..') return",
      put: "if (name === '.') return",
    },
  },
  {
    id: 'transfer.told',
    says: 'The sender hears how far a transfer has come, up to accepted or rejected.',
    guard: {
      file: 'src/transfer/settle.slow.test.ts',
      title: 'stored, announced, fetched, verified, accepted: the sender hears of each that counts',
    },
    proof: {
      file: 'src/transfer/settle.slow.test.ts',
      title: 'rejecting says why, and lets the bytes go',
    },
    bug: {
      what: 'the sender is told of the end only',
      file: 'src/transfer/settle.ts',
      find: '  await tellOther(tx, { row, step, reason, at });',
      put: '  if (step.ends) await tellOther(tx, { row, step, reason, at });',
    },
  },
  {
    id: 'transfer.links',
    says: 'A link opens as often as it says, in a browser that keeps the key to itself.',
    guard: {
      file: 'src/transfer/links.slow.test.ts',
      title: 'a link is good as often as it says and not once more, whoever hurries',
    },
    proof: {
      file: 'tests/browser/link-page.test.ts',
      title: 'downloads and opens 20 MiB, the very bytes',
    },
    bug: {
      what: 'a link opens once more than it says',
      file: 'src/ledger/transfers/links.ts',
      find: 'uses < most_uses',
      put: 'uses <= most_uses',
    },
  },
  {
    id: 'transfer.as-printed',
    says: 'The commands and the Python of the transfer design run as printed.',
    guard: {
      file: 'tests/e2e/transfer-python.test.ts',
      title: 'the example of $what runs as printed',
    },
    proof: {
      file: 'tests/e2e/transfer-python.test.ts',
      title: 'the example of $what runs without a daemon',
    },
    bug: {
      what: 'who asks for what came is shown what was sent',
      file: 'src/transfer/list.ts',
      find: "if (box === 'received') return { ...all, sentTo: principal };",
      put: "if (box === 'received') return { ...all, sentBy: principal };",
    },
  },
];
