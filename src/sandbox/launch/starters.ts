/** Shells that start launchers, kept for the next one: each serves one sandbox at a time. */

import type { ChildProcess } from 'node:child_process';
import { closeSync, writeSync } from 'node:fs';
import type { Socket } from 'node:net';
import { joinLists, noStrangers } from '../../engines/process/programs-family.ts';
import { untilNoThreadStarts } from '../../engines/threads/threads.ts';
import { must } from '../../kernel/must.ts';
import { newId } from '../../kernel/new-id.ts';
import type { Clock, Random } from '../../kernel/ports.ts';
import type { SandboxLimits } from '../../kernel/sandbox.ts';
import { shellQuoted } from '../../kernel/text/quote.ts';
import { type Fifos, OpenPipe, readFrom, untilClosed } from '../box/fifos.ts';
import type { LimitGroup, LimitGroups } from '../watch/limit-groups.ts';

export interface StartersDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: { error(facts: object, words: string): void };
  readonly fifos: Fifos;
  readonly groups: LimitGroups | undefined;
}

const mostIdle = 4;

// The shell, the launcher, and the first process inside count in the group as well.
const ownProcesses = 3;

export function makeGroup(
  { clock, random }: Pick<StartersDeps, 'clock' | 'random'>,
  groups: LimitGroups | undefined,
  limits: SandboxLimits,
): LimitGroup | undefined {
  const processes = limits.processes + ownProcesses;
  return groups?.make(newId(clock.now(), random), { ...limits, processes });
}

// Itself, and the few of a launcher that has just ended.
const fewProcesses = 6;
const clearMs = 2000;
const lookEveryMs = 5;

function isClear({ group, isOver }: Starter): boolean {
  return isOver || group === undefined || group.counted() <= fewProcesses;
}

export class Starters implements AsyncDisposable {
  readonly #deps: StartersDeps;
  readonly #all = new Set<Starter>();
  readonly #idle: { readonly starter: Starter; readonly key: string }[] = [];
  readonly #underWay = new Set<Promise<void>>();
  #isClosed = false;

  constructor(deps: StartersDeps) {
    this.#deps = deps;
  }

  async take(limits: SandboxLimits): Promise<Starter> {
    const key = JSON.stringify(limits);
    for (;;) {
      const index = this.#idle.findIndex((each) => each.key === key);
      const [found] = index === -1 ? [] : this.#idle.splice(index, 1);
      if (found === undefined) return this.#make(limits);
      if (found.starter.isOver) continue;
      // The next one is made while this one works.
      if (!this.#idle.some((each) => each.key === key)) this.#inBackground(this.#spare(limits));
      return found.starter;
    }
  }

  /**
   * For the next one, once nothing of the last counts against its limits any more: the system
   * goes on counting for a moment what has ended.
   */
  giveBack(starter: Starter, limits: SandboxLimits): void {
    if (isClear(starter)) this.#keep(starter, limits);
    else this.#inBackground(this.#keepWhenClear(starter, limits));
  }

  async #keepWhenClear(starter: Starter, limits: SandboxLimits): Promise<void> {
    const { clock } = this.#deps;
    const lateMs = clock.monotonicMs() + clearMs;
    while (!isClear(starter) && !this.#isClosed && clock.monotonicMs() < lateMs) {
      await clock.sleep(lookEveryMs);
    }
    if (isClear(starter)) this.#keep(starter, limits);
    else await starter.kill();
  }

  /** One that was ended, or in whose group the system has ended a process, is not used again. */
  #keep(starter: Starter, limits: SandboxLimits): void {
    const isWorn = starter.isOver || (starter.group?.met().memoryKills ?? 0) > 0;
    const isWanted = !isWorn && !this.#isClosed && this.#idle.length < mostIdle;
    if (isWanted) this.#idle.push({ starter, key: JSON.stringify(limits) });
    else this.#inBackground(starter.kill());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#underWay);
    await Promise.all([...this.#all].map((starter) => starter.kill()));
  }

  async #spare(limits: SandboxLimits): Promise<void> {
    this.giveBack(await this.#make(limits), limits);
  }

  async #make(limits: SandboxLimits): Promise<Starter> {
    const { groups, fifos } = this.#deps;
    const group = makeGroup(this.#deps, groups, limits);
    try {
      const starter = await Starter.start(fifos, group);
      this.#all.add(starter);
      starter.ended.then(() => this.#all.delete(starter));
      return starter;
    } catch (failure) {
      group?.remove();
      throw failure;
    }
  }

  #inBackground(work: Promise<void>): void {
    const settled = work
      .catch((failure: unknown) => {
        this.#deps.log.error({ err: failure }, 'a shell that starts sandboxes was not made');
      })
      .finally(() => this.#underWay.delete(settled));
    this.#underWay.add(settled);
  }
}

// It has no variables: /proc/1/environ inside is the launcher's. It closes what we may have
// inherited without knowing, as far as a shell can (S2). Then it says that it is there.
const script = `
unset PWD OLDPWD SHLVL
exec 5>&- 6>&- 7>&- 8>&- 9>&-
exec 2>&4
${noStrangers}
exec 2>/dev/null
${joinLists}
echo 0 >&4
while IFS= read -r order <&3; do eval "$order"; echo "$?" >&4; done`;

interface StartOrder {
  /** What `$1`, `$2`, … are in the file that starts the launcher (box-files.ts). */
  readonly pipes: readonly string[];
  readonly startPath: string;
}

/**
 * A shell that starts launchers, one after another. It is in a control group of its own, and so
 * is what it starts, from its first moment: to move a process into a group takes longer than to
 * make a whole sandbox, and would hold up the daemon meanwhile.
 *
 * S1. It ends with the daemon, however that ends, and the launcher ends with it.
 * S2. It has no descriptor of ours but those that it is given.
 * S3. What it is told is a line of words that we quoted. Nothing of a command is among them.
 */
export class Starter {
  readonly group: LimitGroup | undefined;
  readonly ended: Promise<void>;
  isOver = false;
  readonly #child: ChildProcess;
  readonly #orders: number;
  readonly #reports: Socket;
  #waiting: PromiseWithResolvers<number | undefined> = Promise.withResolvers();
  #heard = '';

  /** Resolves when it is in its group. */
  static async start(fifos: Fifos, group: LimitGroup | undefined): Promise<Starter> {
    const paths = await fifos.take(2);
    const ordersPath = must(paths[0], 'the pipe for orders');
    const reportsPath = must(paths[1], 'the pipe for reports');
    const orders = OpenPipe.open(ordersPath, 'write');
    const reports = OpenPipe.open(reportsPath, 'read');
    await untilNoThreadStarts();
    const starter = new Starter(group, { orders, reports });
    starter.ended.then(() => fifos.giveBack([ordersPath, reportsPath]));
    if ((await starter.#waiting.promise) === 0) return starter;
    throw new Error(starter.#heard.trim() || 'the shell that starts sandboxes has ended');
  }

  private constructor(
    group: LimitGroup | undefined,
    { orders, reports }: { readonly orders: OpenPipe; readonly reports: OpenPipe },
  ) {
    this.group = group;
    const theirs = [orders.takeTheirs(), reports.takeTheirs()] as const;
    this.#orders = orders.takeOurs();
    this.#child = spawnShell(group?.procsPaths ?? [], theirs);
    for (const descriptor of theirs) closeSync(descriptor);
    this.#reports = readFrom(reports);
    this.#reports.on('data', (bytes: Buffer) => this.#hear(bytes.toString()));
    this.ended = this.#whenEnded();
  }

  /** All that it starts hangs below this one. */
  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** The exit code of a launcher, one at a time; undefined when the shell itself is gone. */
  run({ pipes, startPath }: StartOrder): Promise<number | undefined> {
    if (this.isOver) return Promise.resolve(undefined);
    this.#waiting = Promise.withResolvers();
    // S3
    const words = pipes.map(shellQuoted).join(' ');
    tell(this.#orders, `set -- ${words}; . ${shellQuoted(startPath)}\n`);
    return this.#waiting.promise;
  }

  /** With what it has started. */
  async kill(): Promise<void> {
    if (!this.isOver) this.#child.kill('SIGKILL');
    await this.ended;
  }

  #hear(text: string): void {
    this.#heard += text;
    const [, code] = /^(\d+)\n/.exec(this.#heard) ?? [];
    if (code === undefined) return;
    this.#heard = '';
    this.#waiting.resolve(Number(code));
  }

  async #whenEnded(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#child.once('exit', () => resolve());
      this.#child.once('error', () => resolve());
    });
    this.isOver = true;
    closeSync(this.#orders);
    await untilClosed(this.#reports);
    this.#waiting.resolve(undefined);
    this.group?.remove();
  }
}

// S1
function spawnShell(joins: readonly string[], theirs: readonly [number, number]): ChildProcess {
  const { spawn } = process.getBuiltinModule('node:child_process');
  const shell = ['/bin/sh', '-c', script, 'sh', ...joins, '--'];
  return spawn('/usr/bin/setpriv', ['--pdeathsig', 'KILL', '--', ...shell], {
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', ...theirs],
  });
}

function tell(orders: number, line: string): void {
  try {
    writeSync(orders, line);
  } catch {
    // It has just ended, which its end tells.
  }
}
