/**
 * Work cut at its first boundary, the same cut at its second, and so on until it comes through.
 * The program does what it is told by its one argument, `{ finish, begin }`: takes up and ends
 * what an earlier one was killed in, prints a line of what it found, then begins anew and dies.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { TemporaryFolder } from './temporary-folder.ts';

export interface Cut<Order, Report> {
  readonly dieAt: number;
  readonly order: Order;
  readonly report: Report;
}

export interface Cutting<Order> {
  readonly folder: TemporaryFolder;
  /** A file in TypeScript. */
  readonly program: string;
  orderOf(dieAt: number): Order;
}

export async function cutEverywhere<Order extends object, Report>(
  cutting: Cutting<Order>,
): Promise<readonly Cut<Order, Report>[]> {
  // Two at a time, because two cores are what the slowest machine has.
  const cuts = await Promise.all(
    [1, 2].map((from) => cutEverySecond<Order, Report>(cutting, from)),
  );
  return cuts.flat();
}

async function cutEverySecond<Order extends object, Report>(
  { folder, program, orderOf }: Cutting<Order>,
  from: number,
): Promise<readonly Cut<Order, Report>[]> {
  const cuts: Cut<Order, Report>[] = [];
  let finish: (Order & { readonly dieAt: number }) | undefined;
  for (let dieAt = from; ; dieAt += 2) {
    const begin = { ...orderOf(dieAt), dieAt };
    const words = JSON.stringify({ finish, begin });
    const { signal, lines, complaints } = await runProgram(folder, program, words);
    const wanted = (finish === undefined ? 0 : 1) + (signal === 'SIGKILL' ? 0 : 1);
    if (lines.length !== wanted || complaints !== '') {
      throw new Error(`${words} ended with ${signal}: ${complaints}${lines.join('\n')}`);
    }
    if (finish !== undefined) {
      cuts.push({ dieAt: finish.dieAt, order: finish, report: JSON.parse(lines[0] ?? '') });
    }
    if (signal !== 'SIGKILL') return cuts;
    finish = begin;
  }
}

interface ProgramOutput {
  readonly signal: NodeJS.Signals | null;
  readonly lines: readonly string[];
  readonly complaints: string;
}

// Far above what one takes, so that one that hangs fails its test by name.
const deadlineMs = 30_000;

async function runProgram(
  folder: TemporaryFolder,
  program: string,
  words: string,
): Promise<ProgramOutput> {
  const child = spawn(process.execPath, [program, words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // Most of a start is reading two hundred files.
    env: { ...process.env, NODE_COMPILE_CACHE: folder.at('compiled') },
    timeout: deadlineMs,
    killSignal: 'SIGTERM',
  });
  const output = Array.fromAsync(child.stdout.setEncoding('utf8'));
  const complaints = Array.fromAsync(child.stderr.setEncoding('utf8'));
  const [, signal] = await once(child, 'close');
  const lines = (await output).join('').split('\n').slice(0, -1);
  return { signal, lines, complaints: (await complaints).join('') };
}
