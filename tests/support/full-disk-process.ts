/**
 * A home on a small disk that is filled to the last byte while clients send, killed, and started
 * again by what the program advises: round after round. Runs in a mount of its own, because the
 * disk is gone with the last process that sees it. Its argument is a `FullDisk`; a line with a
 * `FullDiskReport` goes to its output.
 */
import { appendFileSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { AosError } from '../../src/kernel/errors.ts';
import { lookIntoInbox } from './message-files.ts';
import { type Run, runAos } from './run-aos.ts';
import { type RunningDaemon, startDaemon } from './running-daemon.ts';
import { until } from './until.ts';

export interface FullDisk {
  /** The disk: the home is made in it. */
  readonly folder: string;
  readonly rounds: number;
  /** Whether somebody frees space between two rounds, as they were told to. */
  readonly frees: boolean;
}

export interface FullRound {
  readonly acknowledged: number;
  /** Of all rounds so far. */
  readonly lost: readonly string[];
  readonly refusals: readonly string[];
  /** What `aos gc` says before the disk is full. */
  readonly early: Told;
  readonly status: Told;
  readonly doctor: Told;
  readonly up: Told;
  readonly gc: Told;
  /** What `aos up` says after that. */
  readonly again: Told;
}

export interface StoppedRound {
  readonly doctor: Told;
  /** Where there is nothing left to give back. */
  readonly bare: { readonly status: Told; readonly doctor: Told };
}

export interface Told extends Pick<Run, 'code'> {
  readonly text: string;
}

export interface FullDiskReport {
  readonly rounds: readonly FullRound[];
  /** Of the whole chain. */
  readonly verified: Told;
  /** What is said of a full disk after `aos down`; not where nobody frees space. */
  readonly stopped: readonly StoppedRound[];
}

const MiB = 1024 * 1024;
const clients = 4;
const leftToClients = 4 * MiB;

async function main({ folder, rounds, frees }: FullDisk): Promise<FullDiskReport> {
  const home = join(folder, 'home');
  const acknowledged: string[] = [];
  const done: FullRound[] = [];
  const stopped: StoppedRound[] = [];
  for (let round = 0; round < rounds; round++) {
    await using daemon = await startDaemon(home);
    if (round === 0) for (const name of ['jean', 'sam']) await daemon.client.register(name);
    await until(() => expectReserve(folder, join(home, '.reserve')));
    const early = await tell(home, 'gc');
    const before = acknowledged.length;
    const refusals = await fillUnderLoad(daemon, folder, acknowledged);
    const full = await tell(home, 'status');
    await daemon.kill();
    const asked = [tell(home, 'status'), tell(home, 'doctor'), tellUp(home)] as const;
    const [status, doctor, up] = await Promise.all(asked);
    const gc = await tell(home, 'gc');
    const again = await tellUp(home);
    done.push({
      acknowledged: acknowledged.length - before,
      lost: await arrived(home, acknowledged),
      refusals: [...refusals, full.text],
      ...{ early, status, doctor, up, gc, again },
    });
    await tell(home, 'down');
    if (!frees) continue;
    stopped.push(await lookStopped(folder, home));
    rmSync(join(folder, 'filler'));
  }
  return { rounds: done, stopped, verified: await tell(home, 'audit', 'verify') };
}

async function lookStopped(folder: string, home: string): Promise<StoppedRound> {
  fillUp(join(folder, 'filler'));
  const withReserve = await tell(home, 'doctor');
  rmSync(join(home, '.reserve'));
  fillUp(join(folder, 'filler'));
  const [status, doctor] = await Promise.all([tell(home, 'status'), tell(home, 'doctor')]);
  return { doctor: withReserve, bare: { status, doctor } };
}

/** Resolves to the codes with which sends were refused, when there is no byte left. */
async function fillUnderLoad(
  { client }: RunningDaemon,
  folder: string,
  acknowledged: string[],
): Promise<string[]> {
  const filler = join(folder, 'filler');
  const refused = new Set<string>();
  let isOver = false;
  const send = async (): Promise<void> => {
    while (!isOver) {
      const body = `${sent++} ${'x'.repeat(4000)}`;
      try {
        await client.send({ from: 'sam', to: 'jean', body });
        acknowledged.push(body);
      } catch (failure) {
        if (!(failure instanceof AosError)) throw failure;
        refused.add(failure.code);
      }
    }
  };
  const sending = Promise.all(Array.from({ length: clients }, send));
  while (freeBytes(folder) > leftToClients) grow(filler, MiB);
  await until(() => expectSome(refused));
  fillUp(filler);
  isOver = true;
  await sending;
  // Also what is free again after a transaction that was undone.
  fillUp(filler);
  return [...refused];
}

let sent = 0;

function expectSome({ size }: ReadonlySet<string>): void {
  if (size === 0) throw new Error('no send was refused');
}

/** It is as large as it gets: half of what there is, but for a megabyte. */
function expectReserve(folder: string, path: string): void {
  const { size = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
  const most = Math.min(36 * MiB, (size + freeBytes(folder)) / 2);
  if (size + MiB <= most) throw new Error('the reserve is not whole yet');
}

function freeBytes(folder: string): number {
  const { bsize, bfree } = statfsSync(folder);
  return bsize * bfree;
}

function fillUp(filler: string): void {
  for (const bytes of [65_536, 512, 1]) while (grow(filler, bytes));
}

function grow(path: string, bytes: number): boolean {
  try {
    appendFileSync(path, Buffer.alloc(bytes, 1));
    return true;
  } catch {
    return false;
  }
}

/** Deliveries go on after the start. */
async function arrived(home: string, acknowledged: readonly string[]): Promise<string[]> {
  await until(() => expectNone(lostOf(home, acknowledged))).catch(() => {});
  return lostOf(home, acknowledged);
}

function expectNone({ length }: readonly string[]): void {
  if (length > 0) throw new Error('something is not there yet');
}

/** What was acknowledged and is not in the inbox exactly once. */
function lostOf(home: string, acknowledged: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const { body } of lookIntoInbox(home, 'jean')) {
    counts.set(body, (counts.get(body) ?? 0) + 1);
  }
  return acknowledged.filter((body) => counts.get(body) !== 1).map((body) => body.slice(0, 20));
}

function tellUp(home: string): Promise<Told> {
  return tell(home, 'up', '--detach', '--port', '0');
}

async function tell(home: string, ...argv: readonly string[]): Promise<Told> {
  const { code, stdout, stderr } = await runAos(['--home', home, ...argv]);
  return { code, text: stdout + stderr };
}

const report = await main(JSON.parse(process.argv[2] ?? ''));
writeSync(1, `${JSON.stringify(report)}\n`);
