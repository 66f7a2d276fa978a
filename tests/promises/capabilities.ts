/** Who may do what. */
import type { KeptPromise } from './promise.ts';

export const capabilityPromises: readonly KeptPromise[] = [
  {
    id: 'capabilities.denied',
    says: 'An agent may do what it was granted and nothing else, and every denial is on record.',
    guard: {
      file: 'src/tools/call.test.ts',
      title: 'a call of two actions of which only the first is granted',
    },
    proof: {
      file: 'tests/attack/tool-floods.test.ts',
      title: 'many denied calls are all on record, and the daemon is well',
    },
    bug: {
      what: 'only the first action of a call has to be granted',
      file: 'src/security/permit.ts',
      find: "if (decision.kind === 'denied') return deny(",
      put: "if (decision.kind === 'denied' && found.length === 0) return deny(",
    },
  },
  {
    id: 'capabilities.narrower',
    says: 'A delegation gives no more than its giver has.',
    guard: {
      file: 'src/kernel/capability/capability.test.ts',
      title: 'what is narrower allows nothing that the other does not',
    },
    proof: { file: 'tests/attack/capabilities.test.ts', title: 'what is $held' },
    bug: {
      what: 'a subtree may be delegated from a grant for one path',
      file: 'src/kernel/capability/narrower.ts',
      find: 'if (child.subtree && !parent.subtree) return false;',
      put: '',
    },
  },
  {
    id: 'capabilities.revoked',
    says: 'A revocation counts at once, and ends what runs on the grant or on anything delegated from it.',
    guard: { file: 'src/tools/call.test.ts', title: 'when the grant is revoked: %s' },
    proof: {
      file: 'tests/e2e/tool-streams.test.ts',
      title: 'ends those of a child and of a grandchild within a second',
    },
    bug: {
      what: 'a call looks at the grants above its own, and not at that',
      file: 'src/tools/run.ts',
      find: 'const revoked = links.find(',
      put: 'const revoked = links.slice(1).find(',
    },
  },
  {
    id: 'capabilities.counted',
    says: 'Of ten uses at once under max:3 exactly three are made, also over a tree of delegations.',
    guard: {
      file: 'src/tools/call.test.ts',
      title: 'of ten calls at once under max:3 three run, also over a tree of delegations',
    },
    proof: {
      file: 'tests/e2e/tool-streams.test.ts',
      title: 'exactly 3 reach the server under %s of a tree of delegations',
    },
    bug: {
      what: 'the uses of a delegation are not counted for the grants above it',
      file: 'src/security/grants/shelf.ts',
      find: 'const counted = links.filter(',
      put: 'const counted = [ownLink].filter(',
    },
  },
  {
    id: 'capabilities.text',
    says: 'A capability has one meaning in either spelling, and what could be read in two ways is refused.',
    guard: {
      file: 'src/kernel/capability/capability-text.test.ts',
      title: 'its print parses to the same, in one way',
    },
    proof: {
      file: 'src/kernel/capability/capability-text.test.ts',
      title: 'and whatever a text is, it is a capability or told why not',
    },
    bug: {
      what: 'a time or a size is printed in the largest unit that fits into it',
      file: 'src/kernel/capability/capability-text.ts',
      find: 'value % each === 0',
      put: 'value >= each',
    },
  },
  {
    id: 'capabilities.named',
    says: 'No star covers secrets, files that run by themselves, or the home of Agent OS: a grant has to name them.',
    guard: {
      file: 'src/kernel/capability/sensitive-path.test.ts',
      title: 'asks a grant to name in %s the parts %j',
    },
    proof: {
      file: 'tests/attack/file-paths.test.ts',
      title: '%s is denied unless a grant names it',
    },
    bug: {
      what: 'names are compared without regard to how a disk folds them',
      file: 'src/kernel/capability/sensitive-path.ts',
      find: 'return seen.toUpperCase().toLowerCase();',
      put: 'return seen;',
    },
  },
];
