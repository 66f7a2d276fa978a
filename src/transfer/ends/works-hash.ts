/** A SHA-256 that runs along in another thread, over what passes through the slots. */
import type { StretchResult, StretchSlot, StretchWorks } from '../../blobs/seal/stretch.ts';
import { resultError } from './result-error.ts';

export interface HashedPart {
  readonly side: 'plain' | 'sealed';
  readonly from: number;
  readonly to: number;
}

export class WorksHash {
  readonly #first: StretchSlot;

  private constructor(first: StretchSlot) {
    this.#first = first;
  }

  static async begin({ slots: [first] }: StretchWorks): Promise<WorksHash> {
    await first.run({ kind: 'hash-begin' });
    return new WorksHash(first);
  }

  /** What is in front of all; nobody works in the slots yet. */
  async feed(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    const { plain } = this.#first;
    for await (const bytes of source) {
      for (let at = 0; at < bytes.length; at += plain.length) {
        const part = bytes.subarray(at, at + plain.length);
        plain.set(part);
        await this.add(this.#first, { side: 'plain', from: 0, to: part.length });
      }
    }
  }

  /** Resolves when the memory is used no more. */
  async add(slot: StretchSlot, part: HashedPart): Promise<void> {
    const result: StretchResult = await slot.run({ kind: 'hash', ...part });
    if (result.kind !== 'done') throw resultError(result);
  }

  async end(): Promise<string> {
    const result = await this.#first.run({ kind: 'hash-end' });
    if (result.kind !== 'whole') throw resultError(result);
    return result.sha256;
  }
}
