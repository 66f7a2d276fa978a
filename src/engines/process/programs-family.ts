/**
 * The processes that a program has started, found without a control group: by a mark in their
 * environment, by whose children they are, and by their session. A process that got rid of all
 * three (an empty environment, a session of its own, and a parent that has ended) is not found.
 *
 * F1. A process is told by its number and its start time, and looked at again right before each
 *     signal, so that a number which came to mean another process is not hit.
 * F2. We ourselves and process 1 belong to no family.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { osCodeOf } from '../../kernel/disk/errors.ts';
import type { Clock } from '../../kernel/ports.ts';
import { startTicks } from './processes.ts';

/** The variable that all of a program's processes inherit, with the id of its start. */
export const bodyMark = 'AOS_BODY';

export interface SeenProcess {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
  /** A letter, as /proc has it; `T` for stopped. */
  readonly state: string;
  readonly ticks: string;
}

export interface FamilySign {
  readonly id: string;
  /** Those that are known for sure. */
  readonly pids: readonly number[];
  /** The session that the program was started in; undefined where its number may be reused. */
  readonly session: number | undefined;
}

/** All that live, in no order. None on a system without /proc. */
export function findFamily({ id, pids, session }: FamilySign): SeenProcess[] {
  const all = seenProcesses();
  const known = new Set(pids);
  const family = new Map<number, SeenProcess>();
  const sessions = new Set(session === undefined ? [] : [session]);
  const mark = Buffer.from(`${bodyMark}=${id}\0`);
  for (const one of all) {
    if (known.has(one.pid) || sessions.has(one.session) || isMarked(one.pid, mark))
      family.set(one.pid, one);
  }
  addKin(all, family);
  return [...family.values()];
}

/** Children, and the processes that share a session with one of them, until none is added. */
function addKin(all: readonly SeenProcess[], family: Map<number, SeenProcess>): void {
  const own = seenProcess(process.pid)?.session;
  for (let before = -1; before !== family.size; ) {
    before = family.size;
    const sessions = new Set([...family.values()].map((one) => one.session));
    // A process that was handed the mark from outside does not make us one of them.
    if (own !== undefined) sessions.delete(own);
    for (const one of all) {
      if (family.has(one.parent) || sessions.has(one.session)) family.set(one.pid, one);
    }
  }
}

function isMarked(pid: number, mark: Buffer): boolean {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`);
    const at = environment.indexOf(mark);
    return at === 0 || (at > 0 && environment[at - 1] === 0);
  } catch {
    // It has ended, or is another user's.
    return false;
  }
}

function seenProcesses(): SeenProcess[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').flatMap((name) => {
    const pid = /^\d+$/.test(name) ? Number(name) : 0;
    // F2
    if (pid <= 1 || pid === process.pid) return [];
    return seenProcess(pid) ?? [];
  });
}

/** Undefined for one that is gone. */
export function seenProcess(pid: number): SeenProcess | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return undefined;
  }
  const ticks = startTicks(stat);
  if (ticks === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state = '', parent, , session] = fields;
  return { pid, parent: Number(parent), session: Number(session), state, ticks };
}

export function childrenOf(pid: number): SeenProcess[] {
  let pids: string[];
  try {
    pids = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
  } catch {
    // It has ended, or this system has no such lists.
    return seenProcesses().filter(({ parent }) => parent === pid);
  }
  return pids.filter(Boolean).flatMap((child) => seenProcess(Number(child)) ?? []);
}

/** Whether it is in a sandbox, and not the first there, which only waits for the others. */
export function isInSandbox({ pid }: SeenProcess): boolean {
  try {
    const [, inside] =
      /^NSpid:\t\d+\t(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
    return inside !== undefined && inside !== '1';
  } catch {
    // It has ended.
    return false;
  }
}

export function signal(one: SeenProcess, name: NodeJS.Signals): void {
  // F1
  if (seenProcess(one.pid)?.ticks !== one.ticks) return;
  try {
    process.kill(one.pid, name);
  } catch (failure) {
    // Gone, or of another user: who looks again finds it still there.
    if (!['ESRCH', 'EPERM'].includes(osCodeOf(failure) ?? '')) throw failure;
  }
}

type Find = () => readonly SeenProcess[];

const longestWaitMs = 50;
const killMs = 10_000;
const stopMs = 2000;
const stopBeforeKillMs = 100;

interface SignalSending {
  readonly name: NodeJS.Signals;
  readonly patienceMs: number;
}

/** Signals all that `find` finds until it finds none, twice; false when some stay. */
async function signalAll(
  clock: Clock,
  find: Find,
  { name, patienceMs }: SignalSending,
): Promise<boolean> {
  const deadlineMs = clock.monotonicMs() + patienceMs;
  let waitMs = 2;
  for (let quiet = 0; quiet < 2; ) {
    const found = find();
    for (const one of found) signal(one, name);
    quiet = found.length === 0 ? quiet + 1 : 0;
    if (clock.monotonicMs() > deadlineMs) return false;
    if (quiet < 2) await clock.sleep(waitMs);
    waitMs = Math.min(waitMs * 2, longestWaitMs);
  }
  return true;
}

export async function stopFamily(clock: Clock, find: Find, patienceMs = stopMs): Promise<void> {
  for (const one of find()) if (one.state !== 'T') signal(one, 'SIGSTOP');
  const going = () => find().filter((one, _, family) => !standsStill(one, family));
  await signalAll(clock, going, { name: 'SIGSTOP', patienceMs });
}

/**
 * Stopped, or waiting in the kernel for a child that was stopped before it became another program:
 * such a one hears of its own stop when the child goes on.
 */
export function standsStill({ pid, state }: SeenProcess, family: readonly SeenProcess[]): boolean {
  if (state !== 'D') return state === 'T';
  return family.some((child) => child.parent === pid && child.state === 'T');
}

export async function continueFamily(clock: Clock, find: Find): Promise<void> {
  // Before the child goes on that one waits for, or its own stop would come later than this.
  for (const one of find()) if (one.state === 'D') signal(one, 'SIGCONT');
  const stopped = () => find().filter(({ state }) => state === 'T');
  await signalAll(clock, stopped, { name: 'SIGCONT', patienceMs: stopMs });
}

/** False when some outlived it. */
export async function killFamily(clock: Clock, find: Find): Promise<boolean> {
  // Stopped first, where there are any: who forks while others are killed could get away.
  if (find().length > 0) await stopFamily(clock, find, stopBeforeKillMs);
  return signalAll(clock, find, { name: 'SIGKILL', patienceMs: killMs });
}

/**
 * For a shell that becomes the launcher of a sandbox: ends where it has inherited more than the
 * descriptors of one digit, which it can close. A shell cannot close the others.
 */
export const noStrangers =
  'for d in /proc/self/fd/[1-9][0-9]*; do case $d in *[0-9]) echo "descriptors are inherited ($d)" >&2; exit 125;; esac; done';

/**
 * For a shell: $1, $2, … up to `--` are the lists of control groups that it joins, before it
 * starts anything.
 */
export const joinLists = 'while [ "$1" != -- ]; do echo $$ > "$1" || exit 125; shift; done';

/** What follows is the launcher that it becomes then. */
export const joinAndBecome = `${noStrangers}; ${joinLists}; shift; exec "$@"`;
