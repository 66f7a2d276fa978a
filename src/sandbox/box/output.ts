/** What a program writes, up to a limit for both of its streams together. */
import type { OutputStream } from '../../kernel/sandbox.ts';

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
