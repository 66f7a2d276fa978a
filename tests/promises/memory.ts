/** What agents remember, and who sees it. */
import type { KeptPromise } from './promise.ts';

export const memoryPromises: readonly KeptPromise[] = [
  {
    id: 'memory.verbatim',
    says: 'What was stored comes back word for word, and every version of it is kept.',
    guard: { file: 'tests/e2e/memory.test.ts', title: 'take what is piped in, and JSON' },
    proof: {
      file: 'tests/e2e/memory.test.ts',
      title: 'give back word for word what was given, and nothing else',
    },
    bug: {
      what: 'space at the ends of a text is dropped',
      file: 'src/kernel/memory/value.ts',
      find: 'const text = isText ? value : jsonOf(value);',
      put: 'const text = isText ? value.trim() : jsonOf(value);',
    },
  },
  {
    id: 'memory.found',
    says: 'What is found is what is remembered, wherever the process was killed.',
    guard: {
      file: 'tests/crash/memory-steps.test.ts',
      title: 'what is found is what is remembered, wherever the process is killed',
    },
    proof: {
      file: 'tests/crash/memory-steps.test.ts',
      title: 'what is found is what is remembered, wherever the process is killed',
    },
    bug: {
      what: 'how far the index is, is told before what it is to hear of',
      file: 'src/memory/follow.ts',
      find: 'await index.apply(await indexChanges(ledger.committed, page, this.#deps.clock.now()), from);',
      put: 'await index.apply([], from);\n        await index.apply(await indexChanges(ledger.committed, page, this.#deps.clock.now()), from);',
    },
  },
  {
    id: 'memory.own',
    says: 'No agent reads or finds what is of another without a grant that names it, not even by a count or a score.',
    guard: {
      file: 'src/engines/memory/memory-reach.test.ts',
      title: 'what may not be seen changes no score, no order and no count of what may',
    },
    proof: {
      file: 'src/memory/memory-manager.slow.test.ts',
      title: 'whoever holds every capability for memories sees nothing of others by it',
    },
    bug: {
      what: 'what a grant does not name counts in a search',
      file: 'src/engines/memory/memory-grounds.ts',
      find: 'if (reaches(chains, key)) counting.add(rowOf(row));',
      put: 'counting.add(rowOf(row));',
    },
  },
  {
    id: 'memory.share',
    says: 'A share is a grant and no copy: it ends with the next read when it is taken back.',
    guard: {
      file: 'src/memory/memory-manager.slow.test.ts',
      title: 'ends with the next read when it is taken back',
    },
    proof: {
      file: 'tests/e2e/memory.test.ts',
      title: 'lets an agent read and search until it is taken back',
    },
    bug: {
      what: 'that a share is taken back is on record, and its grant stays',
      file: 'src/memory/share.ts',
      find: 'const { below } = await changes.revoke(grant.id);',
      put: 'const below = 0;',
    },
  },
  {
    id: 'memory.purge',
    says: 'What is purged is gone from every file of the home, and from the journals of whatever has seen it.',
    guard: {
      file: 'src/memory/purge.slow.test.ts',
      title: 'purge() leaves no byte of any version in any file',
    },
    proof: {
      file: 'tests/e2e/memory-runs.test.ts',
      title: 'after a purge no file of the home has a byte of it',
    },
    bug: {
      what: 'the log of the ledger is not cut off',
      file: 'src/memory/purge.ts',
      find: '  await ledger.forget();\n',
      put: '',
    },
  },
  {
    id: 'memory.told',
    says: 'A model that begins is told what is pinned and what fits, within its tokens.',
    guard: {
      file: 'src/memory/memory-manager.slow.test.ts',
      title: 'is what is pinned first, then what fits, within its tokens',
    },
    proof: {
      file: 'tests/e2e/memory-runs.test.ts',
      title: 'an agent that stored a fact in one run uses it in the next, and inspect shows it',
    },
    bug: {
      what: 'what one memory takes is not taken from what is left',
      file: 'src/memory/pack.ts',
      find: '    left -= costOf(item);\n',
      put: '',
    },
  },
];
