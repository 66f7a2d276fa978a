/** Goals of somebody outside, and what is left of them. */
import type { KeptPromise } from './promise.ts';

export const operationPromises: readonly KeptPromise[] = [
  {
    id: 'operations.signature',
    says: 'A signed request is what was signed, for this place and time.',
    guard: {
      file: 'src/security/identity/signed-request.test.ts',
      title: 'a signed request with any one character changed is refused, or is somebody else',
    },
    proof: {
      file: 'tests/attack/operation-signatures.test.ts',
      title: '%s is refused, and the request is good afterwards',
    },
    bug: {
      what: 'the query is not part of what was signed',
      file: 'src/security/identity/signed-request.ts',
      find: 'if (uri !== sent.url) {',
      put: "if (uri.split('?')[0] !== sent.url.split('?')[0]) {",
    },
  },
  {
    id: 'operations.replay',
    says: 'A signed request counts once, also after a restart.',
    guard: { file: 'tests/attack/operation-signatures.test.ts', title: 'of twenty at once, one' },
    proof: {
      file: 'tests/attack/operation-signatures.test.ts',
      title: 'what was signed before has come before',
    },
    bug: {
      what: 'a signature that comes again is noted once more',
      file: 'src/ledger/security/seen-requests.ts',
      find: 'on conflict (signer, digest) do nothing',
      put: 'on conflict (signer, digest) do update set expires_at = excluded.expires_at',
    },
  },
  {
    id: 'operations.sealed',
    says: 'An artifact is sealed for whoever submitted the operation, and no key of the home opens it.',
    guard: {
      file: 'src/operations/artifact-storage.slow.test.ts',
      title: 'what is stored is listed, downloaded and opened by its grantee, until it expires',
    },
    proof: {
      file: 'tests/attack/operation-canary.test.ts',
      title: 'a canary is sealed for its outsider, and found nowhere in the home',
    },
    bug: {
      what: 'the home seals what it knows the key of an outsider for',
      file: 'src/operations/store-artifact.ts',
      find: "if (publicKey === '') {",
      put: "if (publicKey !== '') {",
    },
  },
  {
    id: 'operations.erased',
    says: 'When an operation of an outsider is over, its journal, its key and its workspace are gone.',
    guard: {
      file: 'src/operations/finish.slow.test.ts',
      title: 'the journal is erased, the key and the workspace are gone, and its lines are kept',
    },
    proof: {
      file: 'tests/attack/operation-canary.test.ts',
      title: 'nothing is left of an operation that came to no good end either',
    },
    bug: {
      what: 'the key of the operation stays',
      file: 'src/operations/finish.ts',
      find: '  await operationKeys.destroy(row.id);\n',
      put: '',
    },
  },
  {
    id: 'operations.not-yours',
    says: 'What is not yours looks like what is not there.',
    guard: {
      file: 'src/operations/access.slow.test.ts',
      title: 'what is not there is told in the same words as what is not yours',
    },
    proof: {
      file: 'tests/attack/operation-signatures.test.ts',
      title: '%s hears of an operation what is said of none',
    },
    bug: {
      what: 'what is not yours is called so',
      file: 'src/operations/access.ts',
      find: '  return refuse();\n',
      put: '  throw notYours(id);\n',
    },
  },
  {
    id: 'operations.ends',
    says: 'With the grant everything ends at once: access, what runs, and downloads.',
    guard: {
      file: 'src/operations/access.slow.test.ts',
      title: 'with the grant that it was submitted under, everything ends at once',
    },
    proof: {
      file: 'tests/attack/operation-signatures.test.ts',
      title: 'when the grant is revoked: access at once, what runs, and a download under way',
    },
    bug: {
      what: 'who submitted an operation is not asked for the grant again',
      file: 'src/operations/access.ts',
      find: '    await checkGrant(sql, row);\n',
      put: '',
    },
  },
  {
    id: 'operations.time',
    says: 'An operation that takes longer than it may is ended, and has failed.',
    guard: { file: 'tests/e2e/operation-limits.test.ts', title: 'what takes longer is ended' },
    proof: {
      file: 'src/runtime/runtime.test.ts',
      title: 'does not outlive the wall time of its goal, all of which is charged',
    },
    bug: {
      what: 'an operation of an outsider gets no end of its time',
      file: 'src/operations/access.ts',
      find: '    budget,\n',
      put: '',
    },
  },
  {
    id: 'operations.room',
    says: 'An operation that keeps more in its workspace than it may fails.',
    guard: {
      file: 'tests/e2e/operation-limits.test.ts',
      title: 'a byte more %s ends the operation',
    },
    proof: {
      file: 'tests/e2e/operation-limits.test.ts',
      title: 'a workspace of exactly so much is none too many',
    },
    bug: {
      what: 'only what was stored is counted, and not what lies there',
      file: 'src/operations/monitor.ts',
      find: ' && (await workspaceBytes(deps, operation)) <= most) return;',
      put: ') return;',
    },
  },
  {
    id: 'operations.artifacts',
    says: 'An operation that makes more artifacts than it may fails, and those before are whole.',
    guard: {
      file: 'tests/e2e/operation-limits.test.ts',
      title: 'are all: one more of the same name is none more, and of another ends the operation',
    },
    proof: {
      file: 'tests/e2e/operation-limits.test.ts',
      title: 'are made one after another, and one more of the same name',
    },
    bug: {
      what: 'one artifact more than may be is stored',
      file: 'src/operations/store-artifact.ts',
      find: 'if (others < mostCount) return;',
      put: 'if (others <= mostCount) return;',
    },
  },
];
