/** `aos logs`: what the daemon or the program of an agent has written. */
import { join } from 'node:path';
import type { Command } from 'commander';
import { refuseNoHome } from '../../app/home/use-home.ts';
import { checkAgentName } from '../../kernel/agent/agent.ts';
import { AosError } from '../../kernel/errors.ts';
import { must } from '../../kernel/must.ts';
import type { Disk, DiskView, FileReader } from '../../kernel/ports.ts';
import { printable, quote } from '../../kernel/text/quote.ts';
import { didYouMean } from '../../kernel/text/suggest.ts';
import { reach } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { numberOf } from '../core/input.ts';

interface LogsOptions {
  readonly follow?: true;
  readonly tail: string;
}

export function defineLogs(command: Command, context: Context): void {
  command
    .argument('[agent]', 'whose program (the daemon)')
    .option('-f, --follow', 'go on with what is written from now on')
    .option('--tail <n>', 'the last so many lines', '100')
    .addHelpText(
      'after',
      "\nThe daemon's log has a JSON object a line; the log of an agent is what its program\nwrites, which is data, whatever it says. Both are files below logs/ in the home folder.\n\nExamples:\n  aos logs --tail 20\n  aos logs worker -f",
    )
    .action((agent: string | undefined, options: LogsOptions) => logs(context, agent, options));
}

const mostLines = 100_000;
const lookAgainMs = 250;

async function logs(
  context: Context,
  agent: string | undefined,
  { follow, tail: text }: LogsOptions,
): Promise<void> {
  if (agent !== undefined) checkAgentName(agent);
  const tail = numberOf('--tail', text, { least: 0, most: mostLines });
  const { engines, settings } = await reach(context);
  const { disk, clock } = engines;
  await refuseNoHome(engines, settings.home);
  const path =
    agent === undefined
      ? join(settings.home, 'logs', 'daemon.log')
      : await logOfAgent(disk, settings.home, agent);
  const reader = new LogFileReader(disk, path);
  tell(context, await reader.tail(tail));
  if (follow !== true) return;
  for (;;) {
    await clock.sleep(lookAgainMs, context.signal);
    tell(context, await reader.more());
  }
}

async function logOfAgent(disk: DiskView, home: string, agent: string): Promise<string> {
  const folder = join(home, 'logs', 'agents');
  const path = join(folder, `${agent}.log`);
  if ((await disk.stat(path)) !== undefined) return path;
  const agents = join(home, 'agents');
  if ((await disk.stat(join(agents, agent))) === undefined) {
    throw new AosError('agent.unknown', {
      message: `There is no agent ${quote(agent)}.${didYouMean(agent, await namesIn(disk, agents))}`,
      fix: 'aos ps',
    });
  }
  const logged = (await namesIn(disk, folder)).filter((name) => name.endsWith('.log'));
  const known = logged.map((name) => name.slice(0, -4));
  throw new AosError('disk.missing', {
    message: `There is no log of agent ${quote(agent)}; only programs write one.${didYouMean(agent, known)}`,
    fix: `aos inspect ${agent}`,
  });
}

async function namesIn(disk: DiskView, folder: string): Promise<readonly string[]> {
  return (await disk.stat(folder)) === undefined ? [] : disk.list(folder);
}

function tell(context: Context, lines: readonly string[]): void {
  for (const line of lines) context.stream({ data: { line }, text: printable(line) });
}

type LogDisk = Pick<Disk, 'read' | 'stat' | 'makePrivate'>;

// A program may write without ever ending a line; so much is looked at from the end.
const mostBytes = 4 * 1024 * 1024;
const partBytes = 256 * 1024;

/** The end of a file that is written, and what is added to it. */
export class LogFileReader {
  readonly #disk: LogDisk;
  readonly #path: string;
  #offset = 0;
  #inode: string | undefined;
  #decoder = new TextDecoder();
  /** A line whose end has not come yet. */
  #rest = '';

  constructor(disk: LogDisk, path: string) {
    this.#disk = disk;
    this.#path = path;
  }

  /** The last lines, also one that has no end yet. */
  async tail(count: number): Promise<readonly string[]> {
    if ((await this.#disk.stat(this.#path)) === undefined) return [];
    await using reader = await this.#open();
    const { sizeBytes, inode } = await reader.identity();
    this.#inode = inode;
    this.#offset = Math.max(0, sizeBytes - mostBytes);
    const lines = (await this.#readOn(reader, sizeBytes)).concat(
      this.#rest === '' ? [] : [this.#rest],
    );
    this.#rest = '';
    return count === 0 ? [] : lines.slice(-count);
  }

  /** The lines that were added since. A file that was cut or replaced is read from its start. */
  async more(): Promise<readonly string[]> {
    const entry = await this.#disk.stat(this.#path);
    if (entry === undefined) return [];
    await using reader = await this.#open();
    const { sizeBytes, inode } = await reader.identity();
    if (inode !== this.#inode || sizeBytes < this.#offset) {
      this.#offset = 0;
      this.#decoder = new TextDecoder();
      this.#rest = '';
    }
    this.#inode = inode;
    return this.#readOn(reader, sizeBytes);
  }

  // What writes it runs as its owner, and may have shut it.
  async #open(): Promise<FileReader> {
    try {
      return await this.#disk.read(this.#path);
    } catch (failure) {
      if (!(failure instanceof AosError) || failure.code !== 'disk.denied') throw failure;
      await this.#disk.makePrivate(this.#path);
      return this.#disk.read(this.#path);
    }
  }

  async #readOn(reader: FileReader, end: number): Promise<string[]> {
    const lines: string[] = [];
    while (this.#offset < end) {
      const bytes = await reader.readAt(this.#offset, Math.min(partBytes, end - this.#offset));
      if (bytes.length === 0) break;
      this.#offset += bytes.length;
      const parts = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split(/\r?\n/);
      this.#rest = must(parts.pop(), 'what stands behind the last line end');
      lines.push(...parts);
      // Without an end in sight it is shown in pieces.
      if (this.#rest.length > mostBytes) lines.push(this.#rest);
      if (this.#rest.length > mostBytes) this.#rest = '';
    }
    return lines;
  }
}
