/**
 * One sandbox: made, waiting, used once, gone.
 *
 * B1. It waits inside, behind the whole wall, until it is given its command.
 * B2. It is over when its first process is: the system ends all others with that one, and it
 *     is ended by ending that one. The launcher may return a moment earlier.
 * B3. Our copies of the program's ends stay open until it has its own: a pipe without a writer
 *     looks as if it had ended.
 * B4. To end the launcher itself may leave behind who has not yet asked to end with it.
 */
import type { Server, Socket } from 'node:net';
import { type SeenProcess, seenProcess } from '../../engines/process/programs-family.ts';
import type { Clock } from '../../kernel/ports.ts';
import { readyByte } from '../launch/inner-script.ts';
import type { Launched } from '../launch/launch.ts';
import type { LimitGroup, LimitsMet } from '../watch/limit-groups.ts';
import {
  type BoxPipes,
  closeTheirs,
  type Fifos,
  feed,
  openPipes,
  readFrom,
  releasePipes,
  reportedPid,
  untilClosed,
} from './fifos.ts';

export interface BoxEnd {
  /** 128 + n for signal n; undefined where it is not known. */
  readonly code: number | undefined;
  /** What its group has counted. */
  readonly met: LimitsMet | undefined;
}

export interface BoxDeps {
  readonly clock: Clock;
  readonly fifos: Fifos;
}

export type Heard = (stream: 'stdout' | 'stderr', bytes: Uint8Array) => void;

export class Box {
  readonly ended: Promise<BoxEnd>;
  /** Rejects with what the launcher said, when there is no wall. */
  readonly ready: Promise<void>;
  /** The daemon's end of its network, where it has one. */
  listener: Server | undefined;
  isOver = false;
  readonly #clock: Clock;
  readonly #fifos: Fifos;
  readonly #launched: Launched;
  readonly #pipes: BoxPipes;
  readonly #output: { readonly stdout: Socket; readonly stderr: Socket };
  readonly #feeding: Socket[] = [];
  #heard: Heard | undefined;
  #said = '';
  #inside: SeenProcess | undefined;

  static async start(
    { clock, fifos }: BoxDeps,
    launch: (pipes: BoxPipes) => Launched | Promise<Launched>,
  ): Promise<Box> {
    const pipes = await openPipes(fifos);
    try {
      return new Box({ clock, fifos }, pipes, await launch(pipes));
    } catch (failure) {
      releasePipes(fifos, pipes);
      throw failure;
    }
  }

  private constructor({ clock, fifos }: BoxDeps, pipes: BoxPipes, launched: Launched) {
    this.#clock = clock;
    this.#fifos = fifos;
    this.#pipes = pipes;
    this.#launched = launched;
    this.#output = { stdout: readFrom(pipes.stdout), stderr: readFrom(pipes.stderr) };
    this.ended = this.#whenEnded();
    this.ready = this.#whenReady();
    this.ready.catch(() => {});
  }

  /** All of its processes hang below this one. */
  get pid(): number {
    return this.#launched.pid;
  }

  get group(): LimitGroup | undefined {
    return this.#launched.group;
  }

  /** Gives it its command (B1). Once, when it is ready. */
  begin(script: string, stdin: Uint8Array | undefined, heard: Heard): void {
    this.#heard = heard;
    this.#feeding.push(...feed(this.#pipes.stdin, stdin ?? new Uint8Array()));
    this.#feeding.push(...feed(this.#pipes.control, Buffer.from(script)));
  }

  /** B2: resolves when nothing of it is left. */
  async kill(): Promise<void> {
    const inside = this.isOver ? undefined : this.#firstInside();
    if (inside !== undefined) killNow(inside);
    else if (!this.isOver) await this.#killEarly();
    await this.ended;
  }

  /**
   * B4: its first process is not known yet. The shell inside finds no writer on its pipe, and ends;
   * what takes longer is ended from outside, as soon as it is known.
   */
  async #killEarly(): Promise<void> {
    const clock = this.#clock;
    this.#pipes.stdin.close();
    this.#pipes.control.close();
    const lateMs = clock.monotonicMs() + longestStartMs;
    while (!this.isOver) {
      await clock.sleep(lookEveryMs);
      const inside = this.#firstInside();
      if (inside !== undefined) killNow(inside);
      else if (clock.monotonicMs() > lateMs) this.#launched.kill();
    }
  }

  /** As the launcher told; undefined where it has not come so far. */
  #firstInside(): number | undefined {
    if (this.#inside === undefined) {
      const pid = reportedPid(this.#pipes.info);
      this.#inside = pid === undefined ? undefined : seenProcess(pid);
    }
    return this.#inside?.pid;
  }

  // B2: one that has ended and waits for its parent to ask for its end has ended all others.
  async #untilGone(): Promise<void> {
    const pid = this.#firstInside();
    const lateMs = this.#clock.monotonicMs() + longestEndMs;
    while (pid !== undefined && this.#clock.monotonicMs() < lateMs) {
      const seen = seenProcess(pid);
      if (seen === undefined || seen.state === 'Z' || seen.ticks !== this.#inside?.ticks) return;
      killNow(pid);
      await this.#clock.sleep(1);
    }
  }

  async #whenReady(): Promise<void> {
    const { promise: answered, resolve, reject } = Promise.withResolvers<void>();
    this.#output.stdout.on('data', (bytes: Buffer) => {
      if (this.#heard !== undefined) this.#heard('stdout', bytes);
      else if (bytes.length === 1 && bytes[0] === readyByte) resolve();
      else reject(new Error('something else than the waiting shell has answered'));
    });
    this.#output.stderr.on('data', (bytes: Buffer) => {
      if (this.#heard !== undefined) this.#heard('stderr', bytes);
      else this.#said = (this.#said + bytes.toString()).slice(0, longestWords);
    });
    this.ended.then(() => reject(new Error(firstLine(this.#said))));
    await answered;
    this.#firstInside();
    // B3
    closeTheirs(this.#pipes);
    this.listener = await this.#launched.listener;
  }

  async #whenEnded(): Promise<BoxEnd> {
    const code = await this.#launched.exit;
    await this.#untilGone();
    const met = this.group?.met();
    closeTheirs(this.#pipes);
    // Every process that could write is gone by now, so both come to their ends.
    await Promise.all([untilClosed(this.#output.stdout), untilClosed(this.#output.stderr)]);
    this.isOver = true;
    for (const socket of this.#feeding) socket.destroy();
    await Promise.all(this.#feeding.map(untilClosed));
    this.listener?.close();
    this.#launched.release();
    releasePipes(this.#fifos, this.#pipes);
    return { code, met };
  }
}

const lookEveryMs = 5;
const longestStartMs = 2000;
const longestEndMs = 10_000;
const longestWords = 2000;

function firstLine(words: string): string {
  return words.trim().split('\n')[0] || 'it said nothing';
}

function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
