/**
 * What a tool shows a caller that looks on while it runs. It is scrubbed as the result is; what
 * may be the beginning of a secret is held back until it turns out not to be. No caller has to
 * look: the result has it all.
 */
import type { OutputPart, OutputStream } from '../kernel/sandbox.ts';
import type { ResultScrubber } from './deps.ts';

export class LiveOutput {
  readonly #streams = new Map<OutputStream, PartQueue>();
  readonly #flows: Promise<void>[] = [];
  readonly #scrubber: ResultScrubber;
  readonly #onPart: (part: OutputPart) => void;

  constructor(scrubber: ResultScrubber, onPart: (part: OutputPart) => void) {
    this.#scrubber = scrubber;
    this.#onPart = onPart;
  }

  show({ stream, bytes }: OutputPart): void {
    let queue = this.#streams.get(stream);
    if (queue === undefined) {
      queue = new PartQueue();
      this.#streams.set(stream, queue);
      this.#flows.push(this.#flow(stream, queue));
    }
    queue.put(bytes);
  }

  /** Resolves when all that was shown has been seen. */
  async end(): Promise<void> {
    for (const queue of this.#streams.values()) queue.end();
    await Promise.all(this.#flows);
  }

  async #flow(stream: OutputStream, queue: PartQueue): Promise<void> {
    for await (const bytes of this.#scrubber.scrubStream(queue)) this.#onPart({ stream, bytes });
  }
}

/** Parts that the tool puts in and one reader takes out. */
class PartQueue implements AsyncIterable<Uint8Array> {
  readonly #parts: Uint8Array[] = [];
  #hasEnded = false;
  #wake: () => void = () => {};

  put(part: Uint8Array): void {
    this.#parts.push(part);
    this.#wake();
  }

  end(): void {
    this.#hasEnded = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, void> {
    for (;;) {
      const part = this.#parts.shift();
      if (part !== undefined) yield part;
      else if (this.#hasEnded) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
