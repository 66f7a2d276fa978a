/** A home on a disk without a byte left: killed there, and started again as it is advised to. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { FullDisk, FullDiskReport } from '../support/full-disk-process.ts';
import { programMs } from '../support/limits.ts';
import { hasSandbox } from '../support/machine.ts';
import { runProgram, stackLine } from '../support/run-aos.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { deep, times } from '../support/tier.ts';

const sizeBytes = 64 * 1024 * 1024;
const program = join(import.meta.dirname, '..', 'support', 'full-disk-process.ts');

async function runRounds(choices: Pick<FullDisk, 'rounds' | 'frees'>): Promise<FullDiskReport> {
  await using folder = temporaryFolder();
  const disk = ['--perms', '0700', '--size', String(sizeBytes), '--tmpfs', folder.path];
  const argument = JSON.stringify({ folder: folder.path, ...choices });
  const words = ['--dev-bind', '/', '/', ...disk, process.execPath, program, argument];
  const { stdout, stderr } = await runProgram('bwrap', words, {
    withinMs: choices.rounds * programMs,
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

function expectNothingLost({ rounds, verified }: FullDiskReport): void {
  for (const { acknowledged, lost, refusals, early, up, gc, again, status, doctor } of rounds) {
    expect(early).toMatchObject({ code: 0, text: expect.not.stringContaining('disk') });
    expect(acknowledged).toBeGreaterThan(0);
    expect(refusals[0]).toMatch(/^(?:ledger|disk)\.full$/);
    expect(refusals.at(-1)).toMatch(/^ready +no: the disk is full/m);
    expect(status.text).toContain('the disk under it is full\n  try: aos gc, then aos up');
    expect(doctor.text).toMatch(/^failed +disk +100 % of the disk .* it is full/m);
    expect(doctor.text).not.toMatch(/bubblewrap 0|make it writable|ENOSPC/);
    expect(up.code).toBe(7);
    expect(up.text).toMatch(
      /^error: The disk under .* is full, .* nothing was lost\n {2}try: aos gc/,
    );
    expect(up.text).not.toMatch(stackLine);
    expect(gc).toMatchObject({ code: 0, text: expect.stringContaining('are free now') });
    expectSum(gc.text);
    expect(again).toMatchObject({ code: 0, text: expect.stringContaining('is up') });
    expect(lost).toEqual([]);
  }
  expect(verified).toMatchObject({ code: 0, text: expect.stringContaining('The chain is whole') });
}

const shares =
  /Of the (\S+) MiB that were kept for this, (\S+) MiB are given back and (\S+) M?i?B still kept/;

/** What was kept is what is given back and what is kept again, unless more is kept now. */
function expectSum(text: string): void {
  if (text.includes('are kept for the next time')) return;
  const [kept = Number.NaN, given = 0, again = 0] = shares.exec(text)?.slice(1).map(Number) ?? [];
  expect(given + again).toBeCloseTo(kept, 1);
}

describe.runIf(hasSandbox)('on a disk that is full to the last byte', () => {
  test('a home that is filled and killed starts again by "aos gc", and nothing is lost', async () => {
    const rounds = times({ fast: 1, full: 10 });

    const report = await runRounds({ rounds, frees: true });

    expect(report.rounds).toHaveLength(rounds);
    expectNothingLost(report);
    expect(report.stopped).toHaveLength(rounds);
    for (const { text } of report.stopped) {
      expect(text).toMatch(/^failed +ledger +The disk .* is full/m);
      expect(text).toMatch(/^failed +relay +The disk .* is full/m);
      expect(text).not.toContain('system log');
    }
  });

  // What is kept is half of what there is, so that it is enough for what fits into the other half.
  deep('the same where nobody frees any space', async () => {
    expectNothingLost(await runRounds({ rounds: 6, frees: false }));
  });
});
