/**
 * Work cut at its first boundary, the same cut at its second, and so on until it comes through.
 * The program does what it is told by its one argument, `{ finish, begin }`: takes up and ends
 * what an earlier one was killed in, prints a line of what it found, then begins anew and dies.
 *
 * `npm test` cuts at the first boundary, at those that are named and at a few that are drawn, and
 * lets the work come through once; the full tier cuts everywhere.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect } from 'vitest';
import { programMs } from './limits.ts';
import { cases, isFull } from './tier.ts';

export interface Cut<Order, Report> {
  /** `notAtAll` where it came through. */
  readonly dieAt: number;
  readonly order: Order;
  readonly report: Report;
}

export interface Cutting<Order> {
  /** A file in TypeScript. */
  readonly program: string;
  orderOf(dieAt: number): Order;
  /** There are more boundaries than this: fewer would mean that they are not where we think. */
  readonly moreThan: number;
  /** How many of them `npm test` draws, besides the first and those that it always cuts at. */
  readonly drawn?: number;
  /** Where `npm test` always cuts, because a mistake that is known shows there. */
  readonly always?: readonly number[];
}

export const notAtAll = 1_000_000;

/** In order, as far as one process did them. */
export async function cutEverywhere<Order extends object, Report>(
  cutting: Cutting<Order>,
): Promise<readonly Cut<Order, Report>[]> {
  const { moreThan, drawn = 2, always = [] } = cutting;
  if (!isFull) {
    const later = Array.from({ length: moreThan }, (_, place) => place + 2);
    const label = expect.getState().currentTestName ?? cutting.program;
    const places = cases(label, later, drawn, (place) => always.includes(place));
    return cutAt(cutting, [1, ...places, notAtAll].values());
  }
  // Two at a time, because two cores are what the slowest machine has.
  const cuts = await Promise.all(
    [1, 2].map((from) => cutAt<Order, Report>(cutting, everySecond(from))),
  );
  // Each of the two came through once, at a boundary that is not there any more.
  expect(cuts.flat().length - 2).toBeGreaterThan(moreThan);
  return cuts.flat();
}

function* everySecond(from: number): Generator<number> {
  for (let place = from; ; place += 2) yield place;
}

async function cutAt<Order extends object, Report>(
  { program, orderOf }: Cutting<Order>,
  places: Iterable<number>,
): Promise<readonly Cut<Order, Report>[]> {
  const cuts: Cut<Order, Report>[] = [];
  let finish: (Order & { readonly dieAt: number }) | undefined;
  for (const dieAt of places) {
    const begin = { ...orderOf(dieAt), dieAt };
    const words = JSON.stringify({ finish, begin });
    const { signal, lines, complaints } = await runProgram(program, words);
    const isThrough = signal !== 'SIGKILL';
    const wanted = [...(finish === undefined ? [] : [finish]), ...(isThrough ? [begin] : [])];
    if (lines.length !== wanted.length || complaints !== '') {
      throw new Error(`${words} ended with ${signal}: ${complaints}${lines.join('\n')}`);
    }
    for (const [place, order] of wanted.entries()) {
      const at = order === begin ? notAtAll : order.dieAt;
      cuts.push({ dieAt: at, order, report: JSON.parse(lines[place] ?? '') });
    }
    if (isThrough) break;
    finish = begin;
  }
  return cuts;
}

interface ProgramOutput {
  readonly signal: NodeJS.Signals | null;
  readonly lines: readonly string[];
  readonly complaints: string;
}

async function runProgram(program: string, words: string): Promise<ProgramOutput> {
  const runFolder = process.env['AOS_TEST_RUN_FOLDER'] ?? '';
  const child = spawn(process.execPath, [program, words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // Most of a start is reading two hundred files.
    env: { ...process.env, NODE_COMPILE_CACHE: join(runFolder, 'compiled') },
    timeout: programMs,
    killSignal: 'SIGTERM',
  });
  const output = Array.fromAsync(child.stdout.setEncoding('utf8'));
  const complaints = Array.fromAsync(child.stderr.setEncoding('utf8'));
  const [, signal] = await once(child, 'close');
  const lines = (await output).join('').split('\n').slice(0, -1);
  return { signal, lines, complaints: (await complaints).join('') };
}
