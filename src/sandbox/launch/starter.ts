/**
 * A shell that starts launchers, one after another. It is in a control group of its own, and so
 * is what it starts, from its first moment: to move a process into a group takes longer than to
 * make a whole sandbox, and would hold up the daemon meanwhile.
 *
 * S1. It ends with the daemon, however that ends, and the launcher ends with it.
 * S2. It has no descriptor of ours but those that it is given.
 * S3. What it is told is a line of words that we quoted. Nothing of a command is among them.
 */
import type { ChildProcess } from 'node:child_process';
import { closeSync, writeSync } from 'node:fs';
import type { Socket } from 'node:net';
import { joinLists, noStrangers } from '../../engines/process/programs-family.ts';
import { untilNoThreadStarts } from '../../engines/threads/threads.ts';
import { shellQuoted } from '../../kernel/text/quote.ts';
import { type Fifos, OpenPipe } from '../box/fifos.ts';
import { readFrom, untilClosed } from '../box/pipe-streams.ts';
import type { LimitGroup } from '../watch/limit-groups.ts';

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

export interface StartOrder {
  /** What `$1`, `$2`, … are in the file that starts the launcher (box-files.ts). */
  readonly pipes: readonly string[];
  readonly startPath: string;
}

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
    const [ordersPath = '', reportsPath = ''] = await fifos.take(2);
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
