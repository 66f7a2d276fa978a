/**
 * One command in one sandbox, up to its end.
 *
 * E1. Whatever ends it (its own end, a limit, its time, its caller), all of its processes are gone
 *     before the caller hears of it.
 * E2. The first limit that is passed is the one that stopped it.
 * E3. In a workspace that is too full, no file grows, and none is made (its filter sees to
 *     that). What is there can be removed.
 */

import { endOfCode } from '../../engines/process/programs-shim.ts';
import type { Clock } from '../../kernel/ports.ts';
import type {
  OutputStream,
  SandboxEnd,
  SandboxLimit,
  SandboxResult,
  SandboxRun,
} from '../../kernel/sandbox.ts';
import { early } from '../../kernel/turns.ts';
import { commandScript } from '../launch/inner-script.ts';
import type { BoxWatch } from '../watch/watch.ts';
import type { Box, BoxEnd } from './box.ts';

export interface BoxRunDeps {
  readonly clock: Clock;
  readonly watch: BoxWatch;
  readonly id: string;
}

/** The box must be ready. */
export async function runInBox(
  { clock, watch, id }: BoxRunDeps,
  box: Box,
  order: SandboxRun,
): Promise<SandboxResult> {
  const { limits, signal } = order;
  const isFull = order.view.isFull === true;
  let stoppedBy: SandboxLimit | undefined;
  const stop = (by: SandboxLimit): void => {
    stoppedBy ??= by;
    void box.kill();
  };
  const output = new Output(order.outputBytes, () => stop('output'));
  const onAbort = (): void => void box.kill();
  const over = new AbortController();
  signal.addEventListener('abort', onAbort, { once: true });
  using _ = watch.watch({
    ...{ id, limits, group: box.group, pid: box.pid, workspace: order.view.workspace, stop },
  });
  await using __ = networkFor(box, order);
  if (order.timeoutMs !== undefined) {
    clock.sleep(order.timeoutMs, over.signal).then(
      () => stop('time'),
      () => {},
    );
  }
  try {
    if (signal.aborted) onAbort();
    else box.begin(scriptFor(box, order, isFull), order.stdin, hear(output, order));
    const end = await box.ended;
    signal.throwIfAborted();
    const by = isFull && isTooLong(end) ? 'workspace' : stoppedBy;
    return { end: endOf(end, by), ...output.taken(), met: metBy(end, isFull) };
  } finally {
    over.abort(early);
    signal.removeEventListener('abort', onAbort);
  }
}

function networkFor(box: Box, { network }: SandboxRun): AsyncDisposable | undefined {
  if (network === undefined || box.listener === undefined) return undefined;
  const server = box.listener;
  return network({ server, [Symbol.asyncDispose]: async () => void server.close() });
}

/** E3 */
function scriptFor(
  box: Box,
  { command, timeoutMs, ...order }: SandboxRun,
  isFull: boolean,
): string {
  const limits = isFull ? { ...order.limits, fileBytes: 0 } : order.limits;
  const cpuSeconds = timeoutMs === undefined ? undefined : Math.ceil(timeoutMs / 1000) + 1;
  return commandScript(command, { limits, byProcess: box.group === undefined, cpuSeconds });
}

function hear(output: Output, { onOutput }: SandboxRun) {
  return (stream: 'stdout' | 'stderr', bytes: Uint8Array): void => {
    const kept = output.add(stream, bytes);
    if (kept.length > 0) onOutput?.(stream, kept);
  };
}

/** It wrote more to a file than it may. */
function isTooLong({ code }: BoxEnd): boolean {
  const end = code === undefined ? undefined : endOfCode(code);
  return end?.kind === 'killed' && end.signal === 'SIGXFSZ';
}

/** What it met and outlived. */
function metBy({ met }: BoxEnd, isFull: boolean): readonly SandboxLimit[] {
  return [
    ...(met !== undefined && met.processRefusals > 0 ? (['processes'] as const) : []),
    ...(met !== undefined && met.memoryKills > 0 ? (['memory'] as const) : []),
    ...(isFull ? (['workspace'] as const) : []),
  ];
}

const byMemory = { kind: 'stopped', by: 'memory' } as const;

// E2
function endOf({ code, met }: BoxEnd, stoppedBy: SandboxLimit | undefined): SandboxEnd {
  if (stoppedBy !== undefined) return { kind: 'stopped', by: stoppedBy };
  const isOfMemory = met !== undefined && met.memoryKills > 0;
  // The shell that started it was ended, too: only the system does that.
  if (code === undefined) return isOfMemory ? byMemory : { kind: 'killed', signal: 'SIGKILL' };
  const end = endOfCode(code);
  if (end.kind !== 'killed') return { kind: 'exited', code };
  if (end.signal === 'SIGXFSZ') return { kind: 'stopped', by: 'file-size' };
  if (end.signal === 'SIGXCPU') return { kind: 'stopped', by: 'time' };
  return end.signal === 'SIGKILL' && isOfMemory ? byMemory : end;
}

/** What a program writes, up to a limit for both of its streams together. */
export class Output {
  readonly #parts: Record<OutputStream, Uint8Array[]> = { stdout: [], stderr: [] };
  readonly #onFull: () => void;
  #leftBytes: number;
  #truncated = false;

  constructor(mostBytes: number, onFull: () => void) {
    this.#leftBytes = mostBytes;
    this.#onFull = onFull;
  }

  /** As much of it as there is room for. */
  add(stream: OutputStream, bytes: Uint8Array): Uint8Array {
    const kept = bytes.subarray(0, this.#leftBytes);
    this.#leftBytes -= kept.length;
    if (kept.length > 0) this.#parts[stream].push(kept);
    if (kept.length < bytes.length && !this.#truncated) {
      this.#truncated = true;
      this.#onFull();
    }
    return kept;
  }

  taken(): { stdout: Uint8Array; stderr: Uint8Array; truncated: boolean } {
    return {
      stdout: Buffer.concat(this.#parts.stdout),
      stderr: Buffer.concat(this.#parts.stderr),
      truncated: this.#truncated,
    };
  }
}
