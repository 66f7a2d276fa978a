/**
 * SIGKILL between the ledger and the search index of memories, at every boundary of both. The next
 * start finds all that the ledger has, and nothing else.
 */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cutEverywhere } from '../support/cut-everywhere.ts';
import type { MemoryCut, MemoryReport } from '../support/memory-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { isFull } from '../support/tier.ts';

const program = join(import.meta.dirname, '..', 'support', 'memory-process.ts');

test('what is found is what is remembered, wherever the process is killed', async () => {
  await using folder = temporaryFolder();

  const cuts = await cutEverywhere<MemoryCut, MemoryReport>({
    // Between what the index was told of its place, and what it is to hear of.
    ...{ program, moreThan: 99, drawn: 5, always: [22, 55] },
    orderOf: (dieAt) => ({ folder: folder.at(String(dieAt)) }),
  });

  for (const { dieAt, report } of cuts) {
    expect({ dieAt, found: report.found }).toEqual({ dieAt, found: report.kept });
    const hasBoth = ['talk/1/roof', 'talk/1/wall'].every((key) => report.kept.includes(key));
    expect({ dieAt, isNext: report.isNextToRoof }).toEqual({ dieAt, isNext: hasBoth });
  }
  // Some were killed early, and some late.
  const kept = new Set(cuts.map(({ report }) => report.kept.length));
  expect(kept.size).toBeGreaterThan(isFull ? 5 : 1);
});
