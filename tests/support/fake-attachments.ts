import { createHash } from 'node:crypto';
import type { Attachments } from '../../src/gateway/deps.ts';
import { AosError } from '../../src/kernel/errors.ts';

/** Attachments in memory. Agents may read those whose bytes begin with their name. */
export function fakeAttachments(): Attachments & {
  has(hash: string): boolean;
  hashes(): readonly string[];
  damage(hash: string): void;
} {
  const kept = new Map<string, Buffer>();
  const damaged = new Set<string>();
  return {
    put: async (source) => {
      const parts: Uint8Array[] = [];
      for await (const part of source) parts.push(part);
      const bytes = Buffer.concat(parts);
      const hash = createHash('sha256').update(bytes).digest('hex');
      kept.set(hash, bytes);
      return { hash, sizeBytes: bytes.length };
    },
    open: async (hash) => {
      const bytes = kept.get(hash);
      if (bytes === undefined) {
        throw new AosError('message.no-attachment', { message: 'There is no such attachment' });
      }
      async function* stream() {
        yield bytes?.subarray(0, 1) ?? new Uint8Array();
        if (damaged.has(hash)) throw new AosError('disk.failed', { message: 'It is damaged' });
        yield bytes?.subarray(1) ?? new Uint8Array();
      }
      return { sizeBytes: bytes.length, stream: stream() };
    },
    mayRead: async (principal, hash) =>
      kept.get(hash)?.toString().startsWith(principal.replace('agent:', '')) ?? false,
    has: (hash) => kept.has(hash),
    hashes: () => [...kept.keys()],
    damage: (hash) => void damaged.add(hash),
  };
}
