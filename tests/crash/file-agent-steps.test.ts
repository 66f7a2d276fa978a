/**
 * SIGKILL at every boundary of what the file agent does: each transaction, and each call that
 * changes the disk. The next start finishes it, or nothing of it was done; no file is ever half.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Cut, cutEverywhere } from '../support/cut-everywhere.ts';
import type { FileCut, FileReport } from '../support/file-agent-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const program = join(import.meta.dirname, '..', 'support', 'file-agent-process.ts');

async function cutsOf(
  what: FileCut['what'],
  moreThan: number,
): Promise<readonly Cut<FileCut, FileReport>[]> {
  await using folder = temporaryFolder();
  // A disk of its own on every Linux.
  const other = `/dev/shm/aos-cuts-${process.pid}-${what}`;
  try {
    return await cutEverywhere<FileCut, FileReport>({
      ...{ program, moreThan, drawn: 1 },
      orderOf: (dieAt) => ({
        folder: folder.at(String(dieAt)),
        elsewhere: `${other}/${dieAt}`,
        what,
      }),
    });
  } finally {
    rmSync(other, { recursive: true, force: true });
  }
}

test.each([
  ['move', 'move_file', 15],
  ['circle', 'rename_file', 15],
  ['delete', 'delete_file', 15],
  ['write', 'write_file', 10],
  ['copy', 'copy_file', 10],
  ['replace', 'move_file', 8],
  ['moveOver', 'move_file', 8],
  ['copyOver', 'copy_file', 10],
  ['forEver', 'delete_file', 8],
  ['across', 'move_file', 10],
  ['undo', 'undo_plan', 10],
] as const)(
  '%s is finished, or never begun, wherever it is cut',
  async (what, action, moreThan) => {
    const cuts = await cutsOf(what, moreThan);

    const [first] = cuts.toSorted((one, other) => one.dieAt - other.dieAt);
    const last = cuts.findLast(({ report }) => report.states.includes(`${action} done`));
    const trees = [first?.report.tree, last?.report.tree];
    expect(trees[0]).not.toEqual(trees[1]);
    for (const { dieAt, report } of cuts) {
      expect({ dieAt, litter: report.litter }).toEqual({ dieAt, litter: [] });
      expect(report.states.filter((state) => /applying|undoing|stopped/.test(state))).toEqual([]);
      expect(trees, `cut at ${dieAt}`).toContainEqual(report.tree);
    }
  },
);
