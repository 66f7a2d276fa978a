/** Calls of tools, approvals by a human, and secrets. */
import type { KeptPromise } from './promise.ts';

export const toolPromises: readonly KeptPromise[] = [
  {
    id: 'tools.journal',
    says: 'A call is on disk as started before its tool runs, and its end before the caller hears it.',
    guard: {
      file: 'src/tools/call.test.ts',
      title: 'a call is written down as started before the tool runs, and as answered after it',
    },
    proof: {
      file: 'tests/crash/tool-calls.test.ts',
      title: 'what callers were told holds through many kills in the middle of their calls',
    },
    bug: {
      what: 'the caller hears the end of a call before it is on disk',
      file: 'src/tools/run.ts',
      find: 'await ledger.transact(async (tx) => {',
      put: 'void ledger.transact(async (tx) => {',
    },
  },
  {
    id: 'tools.unsure',
    says: 'A call of which nobody knows whether it had its effect is never made again by itself.',
    guard: {
      file: 'src/tools/recover.test.ts',
      title: 'a call with the effect %s that nobody saw the end of is unsure, and is not run again',
    },
    proof: {
      file: 'tests/crash/tool-calls.test.ts',
      title: 'is unsure, and not run again by any of the next starts',
    },
    bug: {
      what: 'a call that writes is run again after a crash',
      file: 'src/tools/recover.ts',
      find: "call.effect === 'read' ||",
      put: "call.effect !== 'external' ||",
    },
  },
  {
    id: 'tools.key',
    says: 'A call that is repeated under its key is one call.',
    guard: { file: 'src/tools/call.test.ts', title: 'is answered as before and not run' },
    proof: {
      file: 'tests/crash/tool-calls.test.ts',
      title: 'asked for again under its key is not made, and its end is that nobody knows',
    },
    bug: {
      what: 'the key of a call is not written down',
      file: 'src/tools/ask.ts',
      find: 'idempotency_key: request.key ?? callId,',
      put: 'idempotency_key: callId,',
    },
  },
  {
    id: 'tools.file-race',
    says: 'A file tool follows no symlink out of what is granted, also when one is put there in the middle of the way.',
    guard: {
      file: 'tests/attack/file-race.test.ts',
      title:
        'a folder in the middle is swapped for a symlink to outside during many calls: none gets there',
    },
    proof: {
      file: 'tests/attack/file-race.test.ts',
      title:
        'a folder in the middle is swapped for a symlink to outside during many calls: none gets there',
    },
    bug: {
      what: 'a folder on the way is opened through a symlink',
      file: 'src/engines/disk/disk.ts',
      find: 'access | O_DIRECTORY | O_NOFOLLOW',
      put: 'access | O_DIRECTORY',
    },
  },
  {
    id: 'approvals.human',
    says: 'Only a human approves: no agent, not for itself and not for a child.',
    guard: {
      file: 'src/tools/approval.test.ts',
      title: 'an agent that was granted it by name is still none',
    },
    proof: { file: 'tests/attack/capabilities.test.ts', title: '%s does not approve %s' },
    bug: {
      what: 'whoever holds the capability may approve, also an agent',
      file: 'src/security/approvals.ts',
      find: "if ((await findPrincipal(sql, by))?.kind !== 'human') return false;",
      put: '',
    },
  },
  {
    id: 'approvals.bound',
    says: 'An approval is for exactly what was shown, and counts once.',
    guard: { file: 'src/tools/approval.test.ts', title: 'to anything but what was shown' },
    proof: {
      file: 'src/tools/approval.test.ts',
      title: 'when somebody put other arguments under it',
    },
    bug: {
      what: 'the hash of what was shown is not compared with that of the answer',
      file: 'src/security/approvals.ts',
      find: 'answer.hash !== approval.hash || hashOfShown',
      put: 'hashOfShown',
    },
  },
  {
    id: 'secrets.scrubbed',
    says: 'No agent sees the value of a secret: it is scrubbed from results, errors, logs, events and the journal.',
    guard: {
      file: 'src/tools/call.test.ts',
      title: 'has no secret in it, neither as a result nor as an error, nor in the arguments kept',
    },
    proof: {
      file: 'tests/attack/secrets-canary.test.ts',
      title: 'a secret that its server echoes in every way is nowhere else afterwards',
    },
    bug: {
      what: 'errors are kept as they are',
      file: 'src/tools/outcome.ts',
      find: 'JSON.stringify(scrubber.scrubJson(toReport(error)))',
      put: 'JSON.stringify(toReport(error))',
    },
  },
  {
    id: 'secrets.bound',
    says: 'A secret is sent to its host and port in its header, and nowhere else.',
    guard: {
      file: 'src/security/secrets/secrets.slow.test.ts',
      title: 'a secret is there for its host and port, also after a restart, and for no other',
    },
    proof: {
      file: 'tests/attack/http-secret.test.ts',
      title: 'to another, where its placeholder stays as it was written',
    },
    bug: {
      what: 'a secret is given to every port of its host',
      file: 'src/security/secrets/secrets.ts',
      find: 'secret.host === host && secret.port === port',
      put: 'secret.host === host',
    },
  },
];
