/** A home on a disk without a byte left: killed there, and started again as it is advised to. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { FullDisk, FullDiskReport } from '../support/full-disk-process.ts';
import { programMs } from '../support/limits.ts';
import { hasSandbox } from '../support/machine.ts';
import type { NoFilesReport } from '../support/no-files-process.ts';
import { runProgram, stackLine } from '../support/run-aos.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { deep, times } from '../support/tier.ts';

const sizeBytes = 64 * 1024 * 1024;
const program = join(import.meta.dirname, '..', 'support', 'full-disk-process.ts');
const noFilesProgram = join(import.meta.dirname, '..', 'support', 'no-files-process.ts');

async function runRounds(choices: Pick<FullDisk, 'rounds' | 'frees'>): Promise<FullDiskReport> {
  await using folder = temporaryFolder();
  const argument = JSON.stringify({ folder: folder.path, ...choices });
  const words = [...diskAt(folder.path), process.execPath, program, argument];
  const { stdout, stderr } = await runProgram('bwrap', words, {
    withinMs: choices.rounds * programMs,
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

function diskAt(folder: string): string[] {
  const disk = ['--perms', '0700', '--size', String(sizeBytes), '--tmpfs', folder];
  return ['--dev-bind', '/', '/', ...disk];
}

async function runWithoutFiles(): Promise<NoFilesReport> {
  await using folder = temporaryFolder();
  const { path } = folder;
  // The disk is given few files by a process that may do so in a namespace of its own.
  const rights = ['--unshare-user', '--cap-add', 'CAP_SYS_ADMIN'];
  const few = ['sh', '-c', 'mount -o remount,nr_inodes=300 "$0" && exec "$@"', path];
  const words = [...rights, ...diskAt(path), ...few, process.execPath, noFilesProgram, path];
  const { stdout, stderr } = await runProgram('bwrap', words, { withinMs: programMs });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

function expectNothingLost({ rounds, verified }: FullDiskReport): void {
  for (const { acknowledged, lost, refusals, early, up, gc, again, status, doctor } of rounds) {
    expect(early).toMatchObject({ code: 0, text: expect.not.stringContaining('disk') });
    expect(acknowledged).toBeGreaterThan(0);
    expect(refusals[0]).toMatch(/^(?:ledger|disk)\.full$/);
    expect(refusals.at(-1)).toMatch(/^ready +no: the disk is full/m);
    expect(status.text).toMatch(/the disk under it is full\n {2}try: aos gc .*; then aos up/);
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
    for (const { doctor, bare } of report.stopped) {
      expect(doctor.text).toMatch(/^failed +ledger +The disk .* is full/m);
      expect(doctor.text).toMatch(/^failed +relay +The disk .* is full/m);
      expect(doctor.text).not.toContain('system log');
      expect(bare.status.text).toMatch(/the disk under it is full\n {2}try: free 36 MiB or more/);
      expect(bare.doctor.text).toMatch(/^failed +disk .* is full\n +try: free 36 MiB or more/m);
      expect(bare.doctor.text).not.toContain('aos gc');
    }
  });

  // What is kept is half of what there is, so that it is enough for what fits into the other half.
  deep('the same where nobody frees any space', async () => {
    expectNothingLost(await runRounds({ rounds: 6, frees: false }));
  });
});

describe.runIf(hasSandbox)('on a disk without room for another file', () => {
  test('it is said to remove some, and a killed home starts again by that', async () => {
    const { alive, killed, again } = await runWithoutFiles();

    // What a daemon has just removed leaves room for a few.
    const says = 'has (?:no room for|room for only \\d+) more files?';
    expect(alive.status.text).toMatch(new RegExp(`^ready +no: the disk ${says}`, 'm'));
    for (const { doctor, status, up } of [alive, killed]) {
      expect(doctor.text).toMatch(new RegExp(`^failed +home .* ${says}`, 'm'));
      expect(doctor.text).not.toMatch(/make it writable|who owns/);
      expect(status.text + up.text).not.toMatch(/does not let this user|who owns/);
    }
    expect(killed.status.text).toMatch(new RegExp(`${says}\\n  try: remove 64 files`));
    expect(killed.up.text).toMatch(new RegExp(`${says}, .*\\n  try: remove 64 files`));
    expect(again).toMatchObject({ code: 0, text: expect.stringContaining('is up') });
  });
});
