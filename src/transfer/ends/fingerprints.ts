/**
 * Whether a stretch is still what it was, in a tenth of the time that a hash would take: a
 * polynomial over its bytes at a point that is chosen anew for each source and that nobody
 * learns (the tag of AES-GCM over data that is not encrypted). Without knowing the point nobody
 * makes two stretches with one fingerprint, but by chance, once in about 2^110. They are never
 * stored and never sent.
 */
import { createCipheriv, createSecretKey, type KeyObject } from 'node:crypto';
import type { Random } from '../../kernel/ports.ts';

export class Fingerprints {
  readonly #key: KeyObject;
  readonly #found: Uint8Array[] = [];

  constructor(random: Random) {
    this.#key = createSecretKey(random.bytes(32));
  }

  note(index: number, bytes: Uint8Array): void {
    this.#found[index] = this.#of(bytes);
  }

  isSame(index: number, bytes: Uint8Array): boolean {
    const noted = this.#found[index];
    return noted !== undefined && Buffer.compare(noted, this.#of(bytes)) === 0;
  }

  #of(bytes: Uint8Array): Uint8Array {
    const tag = createCipheriv('aes-256-gcm', this.#key, nonce, { authTagLength: 16 });
    tag.setAAD(bytes);
    tag.final();
    return tag.getAuthTag();
  }
}

// The same each time: what must not be known by others, they never see.
const nonce = Buffer.alloc(12);
