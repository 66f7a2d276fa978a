/** What a workspace holds once a run in it is over (H3 of watch.ts). */

import type { Clock } from '../../kernel/ports.ts';
import { early } from '../../kernel/turns.ts';
import type { WatchThread } from './watch-link.ts';
import type { FolderAmount } from './watch-walk.ts';

export const walkMs = 200;
/** A workspace has a quarter of the thread's time at most. */
const restsFor = 3;

export interface AfterLookDeps {
  readonly clock: Clock;
  readonly thread: WatchThread;
}

export class AfterLook implements Disposable {
  readonly #deps: AfterLookDeps;
  readonly #over = new Set<string>();
  /** Those that are looked at; true when it is to be done once more. */
  readonly #going = new Map<string, boolean>();
  readonly #end = new AbortController();

  constructor(deps: AfterLookDeps) {
    this.#deps = deps;
  }

  /** Whether it held more than it may when it was last looked at. */
  isOver(workspace: string): boolean {
    return this.#over.has(workspace);
  }

  note(workspace: string, { bytes, files }: FolderAmount, most: FolderAmount): void {
    if (bytes > most.bytes || files > most.files) this.#over.add(workspace);
    else this.#over.delete(workspace);
  }

  /** Many short runs are looked at together, no more often than a long one. */
  async look(workspace: string, most: FolderAmount): Promise<void> {
    const isGoing = this.#going.has(workspace);
    this.#going.set(workspace, true);
    if (isGoing) return;
    const { clock, thread } = this.#deps;
    const { signal } = this.#end;
    try {
      while (this.#going.get(workspace) === true && !signal.aborted) {
        this.#going.set(workspace, false);
        const answer = await thread.folder({ path: workspace, most, opensShut: true }, signal);
        if (answer !== undefined) this.note(workspace, answer.outcome, most);
        await pause(clock, restMs(answer, walkMs), signal);
      }
    } finally {
      this.#going.delete(workspace);
    }
  }

  [Symbol.dispose](): void {
    this.#end.abort(early);
  }
}

export function restMs(answer: { readonly tookMs: number } | undefined, leastMs: number): number {
  return Math.max(leastMs, restsFor * (answer?.tookMs ?? 0));
}

/** False when it was ended early. */
export async function pause(
  clock: Clock,
  durationMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await clock.sleep(durationMs, signal);
    return true;
  } catch {
    return false;
  }
}
