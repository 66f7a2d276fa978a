/**
 * Where the demo takes place: a folder and a home that nothing else uses, and a daemon for them.
 * Whatever it makes it can take away again, however far it has come.
 */
import { join, resolve } from 'node:path';
import type { FlagValue } from '../../app/config/config.ts';
import type { DaemonEndpoint } from '../../app/daemon.ts';
import type { Engines } from '../../app/home/compose.ts';
import { withoutSymlinks } from '../../app/home/home-folder.ts';
import { readHolder } from '../../app/home/home-lock.ts';
import { type DemoPlaces, demoScripts } from '../../app/home/scripts.ts';
import type { Client } from '../../gateway/client/client.ts';
import { removeTree } from '../../kernel/disk/durable-file.ts';
import { AosError } from '../../kernel/errors.ts';
import { must } from '../../kernel/must.ts';
import type { Random } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import { reach } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { startDetached } from '../daemon/up.ts';

const stopMs = 10_000;
const startMs = 1000;
const lookAgainMs = 20;

export class Stage {
  /** All that is made for the demo, unless the home was to be elsewhere. */
  readonly folder: string;
  readonly home: string;
  readonly client: Client;
  readonly engines: Engines;
  readonly #context: Context;
  #isStarting = false;

  private constructor(folder: string, home: string, { engines, client, context }: Reaching) {
    this.folder = folder;
    this.home = home;
    this.client = client;
    this.engines = engines;
    this.#context = context;
  }

  /** Makes nothing yet, so that whatever is made can be taken away. */
  static async choose(context: Context, engines: Engines): Promise<Stage> {
    const temporary = context.environment['TMPDIR'] ?? '';
    const above = await withoutSymlinks(engines.disk, resolve(temporary || '/tmp'));
    const mark = Buffer.from(engines.random.bytes(3)).toString('hex');
    const folder = join(above, `aos-demo-${mark}`);
    const named = context.flags().findLast(({ key }) => key === 'home')?.text;
    const home = named === undefined ? join(folder, 'home') : resolve(named);
    if (named !== undefined) await refuseUsed(engines, home);
    const inDemo: Context = { ...context, flags: () => flagsFor(context.flags(), home) };
    const { client } = await reach(inDemo);
    return new Stage(folder, home, { engines, client, context: inDemo });
  }

  get files(): string {
    return join(this.folder, 'files');
  }

  get scripts(): string {
    return join(this.folder, 'scripts');
  }

  scriptOf(agent: string): string {
    return join(this.scripts, `${agent}.json`);
  }

  async build(): Promise<readonly DemoFile[]> {
    const { disk, random } = this.engines;
    for (const path of [this.folder, this.files, this.scripts]) {
      await disk.makeFolder(path);
    }
    const files = makeFiles(random);
    for (const { name, text } of files) await this.#write(join(this.files, name), text);
    const places: DemoPlaces = { files: this.files, checkerScript: this.scriptOf('checker') };
    for (const [agent, script] of Object.entries(demoScripts(places))) {
      await this.#write(this.scriptOf(agent), `${JSON.stringify(script, undefined, 2)}\n`);
    }
    return files;
  }

  async startDaemon(): Promise<DaemonEndpoint> {
    this.#isStarting = true;
    const address = await startDetached(this.#context, { takeover: false });
    this.#isStarting = false;
    return address;
  }

  /** SIGKILL: it can write nothing more, nor close anything. */
  async killDaemon(pid: number, signal: AbortSignal): Promise<void> {
    const startTime = this.engines.processes.startTimeOf(pid);
    this.engines.processes.kill(pid, 'SIGKILL');
    await this.#untilGone({ pid, startTime }, signal);
  }

  /** The daemon first, which would make again what is removed. */
  async clear(): Promise<void> {
    const { disk, clock } = this.engines;
    // One that was told to stop before it had the home is not found by it.
    if (this.#isStarting) await clock.sleep(startMs);
    await this.stopDaemon();
    await removeTree(disk, this.home);
    await removeTree(disk, this.folder);
  }

  /** The daemon that has the home; to its end, also after Ctrl-C. */
  async stopDaemon(): Promise<void> {
    const { processes } = this.engines;
    const holder = await readHolder(this.engines, this.home);
    if (holder === undefined) return;
    const { pid } = holder;
    const startTime = processes.startTimeOf(pid);
    const { signal } = new AbortController();
    processes.kill(pid, 'SIGTERM');
    try {
      await this.#untilGone({ pid, startTime }, signal);
    } catch (failure) {
      if (!(failure instanceof AosError)) throw failure;
      await this.killDaemon(pid, signal);
    }
  }

  async #untilGone({ pid, startTime }: Process, signal: AbortSignal): Promise<void> {
    const { clock, processes } = this.engines;
    const deadline = clock.monotonicMs() + stopMs;
    while (startTime !== undefined && processes.startTimeOf(pid) === startTime) {
      if (clock.monotonicMs() > deadline) {
        throw new AosError('daemon.silent', { message: `The process ${pid} does not end` });
      }
      await clock.sleep(lookAgainMs, signal);
    }
  }

  async #write(path: string, text: string): Promise<void> {
    await using writer = await this.engines.disk.create(path);
    await writer.append(Buffer.from(text));
  }
}

interface Reaching {
  readonly engines: Engines;
  readonly client: Client;
  readonly context: Context;
}

interface Process {
  readonly pid: number;
  readonly startTime: string | undefined;
}

/** What is kept there might be removed with the demo, and agents of the same names be in it. */
async function refuseUsed({ disk }: Engines, home: string): Promise<void> {
  const there = await disk.stat(home);
  if (there === undefined) return;
  if (there.kind === 'folder' && (await disk.list(home)).length === 0) return;
  throw new AosError('usage.bad-value', {
    message: `The demo wants a home of its own, and there is something at ${quote(home)} already`,
    fix: 'aos demo, which makes a new one; or name a folder that is not there yet',
  });
}

/** Any port that is free: the usual one may be that of another daemon. */
function flagsFor(flags: readonly FlagValue[], home: string): readonly FlagValue[] {
  return [
    { key: 'port', text: '0', flag: '--set' },
    ...flags.filter(({ key }) => key !== 'home'),
    { key: 'home', text: home, flag: '--home' },
  ];
}

export interface DemoFile {
  readonly name: string;
  readonly text: string;
}

/** The files of the demo: made up anew each time, so that no model can know their numbers. */
function makeFiles(random: Random): readonly DemoFile[] {
  return [
    { name: 'monday.txt', text: someLines(random, notes) },
    { name: 'tuesday.txt', text: someLines(random, notes) },
    { name: 'wednesday.txt', text: someLines(random, notes) },
    { name: 'letter.txt', text: `Dear Jean,\n\n${someLines(random, notes)}\nYours, Samantha\n` },
    { name: 'orders.csv', text: tableText(random, 'order,item,pieces', 1001) },
    { name: 'stock.csv', text: tableText(random, 'shelf,item,pieces', 1) },
  ];
}

const notes = [
  'The oven was warm at five.',
  'Two trays of rye bread, one of rolls.',
  'Flour came late again; ask the mill.',
  'Sold out before noon.',
  'The new apprentice folds well.',
  'Rain, so fewer people.',
  'Somebody left an umbrella.',
  'Try less salt in the rolls tomorrow.',
];

const items = ['rye bread', 'rolls', 'apple cake', 'flour', 'butter', 'poppy seed rolls'];

/** Three to eight of them, each chosen by itself. */
function someLines(random: Random, from: readonly string[]): string {
  const count = 3 + below(random, 6);
  return `${Array.from({ length: count }, () => oneOf(random, from)).join('\n')}\n`;
}

function tableText(random: Random, head: string, firstNumber: number): string {
  const rows = Array.from(
    { length: 8 + below(random, 25) },
    (_, row) => `${firstNumber + row},${oneOf(random, items)},${1 + below(random, 20)}`,
  );
  return `${[head, ...rows].join('\n')}\n`;
}

function oneOf(random: Random, from: readonly string[]): string {
  return must(from[below(random, from.length)], 'a word to draw');
}

// Not quite even, which does not matter here.
function below(random: Random, most: number): number {
  return must(random.bytes(1)[0], 'a byte of chance') % most;
}

interface Count {
  readonly lines: number;
  readonly words: number;
}

/** As `wc` counts. */
function countOf(text: string): Count {
  return { lines: text.split('\n').length - 1, words: text.match(/\S+/g)?.length ?? 0 };
}

/** The rows of a report that are wrong or not there; none when it is right. */
export function wrongRows(report: string, files: readonly DemoFile[]): readonly string[] {
  return files.flatMap(({ name, text }) => {
    const { lines, words } = countOf(text);
    return report.includes(`\n| ${name} | ${lines} | ${words} | `) ? [] : [name];
  });
}
