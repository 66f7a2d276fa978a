/**
 * What the tools of one operation show while they run, for whoever follows it: as text, and
 * not faster than somebody can read it. What is left out is in the result of the call.
 */
import type { Clock } from '../../kernel/ports.ts';
import type { OutputPart } from '../../kernel/sandbox.ts';
import { ShownOutput, type ShownPart, textOfShown } from '../../kernel/text/shown-output.ts';
import type { Followers, ShowingCall } from '../followers.ts';

export interface OutputShowDeps {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly followers: Pick<Followers, 'show'>;
}

/** One call, until it is over. */
export interface CallShow {
  take(part: OutputPart): void;
  end(): void;
}

const mostBytes = 64 * 1024;
const everyMs = 1000;
// Small, so that what comes at once is shown up to the limit.
const pieceBytes = 4096;

export class OutputShow {
  readonly #deps: OutputShowDeps;
  readonly #operation: string;
  #secondBegan = Number.NEGATIVE_INFINITY;
  #usedBytes = 0;

  constructor(deps: OutputShowDeps, operation: string) {
    this.#deps = deps;
    this.#operation = operation;
  }

  of({ call, tool }: ShowingCall): CallShow {
    const { followers } = this.#deps;
    const output = new ShownOutput();
    let hasDropped = false;
    let isOver = false;
    const put = (part: ShownPart): void => {
      const text = textOfShown(part);
      if (this.#mayShow(Buffer.byteLength(text))) {
        const { stream } = part;
        followers.show(this.#operation, { kind: 'output', call, tool, stream, text });
      } else if (!hasDropped) {
        hasDropped = true;
        followers.show(this.#operation, { kind: 'dropped', call, tool });
      }
    };
    return {
      take: ({ stream, bytes }) => {
        // A tool that does not end with its call may go on showing.
        for (let start = 0; start < bytes.length && !isOver; start += pieceBytes) {
          const piece = bytes.subarray(start, start + pieceBytes);
          const shown = output.take({ stream, bytes: piece });
          if (shown !== undefined) put(shown);
        }
      },
      end: () => {
        isOver = true;
        for (const part of output.rest()) put(part);
      },
    };
  }

  #mayShow(bytes: number): boolean {
    const now = this.#deps.clock.monotonicMs();
    if (now - this.#secondBegan >= everyMs) {
      this.#secondBegan = now;
      this.#usedBytes = 0;
    }
    if (this.#usedBytes + bytes > mostBytes) return false;
    this.#usedBytes += bytes;
    return true;
  }
}
