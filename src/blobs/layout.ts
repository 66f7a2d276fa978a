/**
 * How things are named where many share one place: a bucket, or the folder of manifests. What
 * is below `{sender}/` is the sender's to write.
 */
import { AosError } from '../kernel/errors.ts';
import type { Instant } from '../kernel/ports.ts';
import { quote } from '../kernel/text/quote.ts';
import { isHash, missingBlob } from './blobs.ts';

/** The bytes of a transfer, one time for all to whom they were sent. */
export function bodyKey(sender: string, hash: string): string {
  if (!isHash(hash)) throw missingBlob(hash);
  return `${partOf(sender)}/.bodies/${hash}`;
}

export interface ManifestOf {
  readonly sender: string;
  readonly recipient: string;
  readonly createdAt: Instant;
  /** Of the transfer. */
  readonly id: string;
  readonly filename: string;
}

/** The small manifest of one transfer: `{sender}/{recipient}/{YYYY-MM-DD_HH-MM-SS_id6}/{filename}`. */
export function manifestKey({ sender, recipient, createdAt, id, filename }: ManifestOf): string {
  const when = new Date(createdAt)
    .toISOString()
    .slice(0, 19)
    .replace('T', '_')
    .replaceAll(':', '-');
  const moment = `${when}_${id.slice(-6)}`;
  return [sender, recipient, moment, filename].map(partOf).join('/');
}

/** As one step of a path: whatever else was checked before, it leads nowhere else. */
function partOf(name: string): string {
  const isStep = name !== '' && name !== '.' && name !== '..' && !/[/\0]/.test(name);
  if (isStep) return name;
  throw new AosError('transfer.bad-name', {
    message: `${quote(name.slice(0, 100))} cannot be a part of a path`,
    fix: 'Choose a name without "/", that is neither empty nor "." nor ".."',
  });
}
