/** The key files of a home under a passphrase, for a backup. */
import { createCipheriv, createDecipheriv, scryptSync } from 'node:crypto';
import { AosError } from '../kernel/errors.ts';
import type { Random } from '../kernel/ports.ts';

/** A file's name and its bytes. */
export type KeyFiles = ReadonlyMap<string, Uint8Array>;

// About a tenth of a second and 64 MiB for each guess at the passphrase.
const cost = { N: 2 ** 16, r: 8, p: 1, maxmem: 128 * 1024 * 1024 };
const saltBytes = 16;
const nonceBytes = 12;
const tagBytes = 16;
const purpose = Buffer.from('agent-os backup keys 1');

/** salt, nonce, tag, then the sealed names and bytes. */
export function sealKeys(random: Random, files: KeyFiles, passphrase: string): Uint8Array {
  const salt = random.bytes(saltBytes);
  const nonce = random.bytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', keyFrom(passphrase, salt), nonce);
  cipher.setAAD(purpose);
  const entries = Array.from(files, ([name, bytes]) => [
    name,
    Buffer.from(bytes).toString('base64'),
  ]);
  const sealed = Buffer.concat([cipher.update(JSON.stringify(entries)), cipher.final()]);
  return Buffer.concat([salt, nonce, cipher.getAuthTag(), sealed]);
}

export function openKeys(sealed: Uint8Array, passphrase: string): KeyFiles {
  const bytes = Buffer.from(sealed);
  const salt = bytes.subarray(0, saltBytes);
  const nonce = bytes.subarray(saltBytes, saltBytes + nonceBytes);
  const tag = bytes.subarray(saltBytes + nonceBytes, saltBytes + nonceBytes + tagBytes);
  const decipher = createDecipheriv('aes-256-gcm', keyFrom(passphrase, salt), nonce);
  decipher.setAAD(purpose);
  decipher.setAuthTag(tag);
  try {
    const body = bytes.subarray(saltBytes + nonceBytes + tagBytes);
    const text = Buffer.concat([decipher.update(body), decipher.final()]).toString();
    // Its author had the passphrase, and is the program that wrote these pairs.
    const entries = JSON.parse(text) as [string, string][];
    return new Map(entries.map(([name, base64]) => [name, Buffer.from(base64, 'base64')]));
  } catch (cause) {
    throw new AosError('backup.wrong-passphrase', {
      message: 'The passphrase does not open the keys in this backup',
      fix: 'Give the passphrase with which the backup was made',
      cause,
    });
  }
}

function keyFrom(passphrase: string, salt: Uint8Array): Buffer {
  return scryptSync(passphrase.normalize('NFKC'), salt, 32, cost);
}
