/** The key files of a home under a passphrase, for a backup. */
import { createCipheriv, createDecipheriv, scryptSync } from 'node:crypto';
import { z } from 'zod';
import { AosError } from '../../kernel/errors.ts';
import type { Random } from '../../kernel/ports.ts';

/** A file's name and its bytes. */
export type KeyFiles = ReadonlyMap<string, Uint8Array>;

const keyFileName =
  /^(?:owner\.(?:key|handle)|(?:secrets|agents|server)\.key|agent-[a-zA-Z][\w-]{0,62}\.key)$/;

/** Whether a home has a file of that name among its keys; any other is not ours to carry. */
export function isKeyFileName(name: string): boolean {
  return keyFileName.test(name);
}

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

const sealedEntries = z.array(z.tuple([z.string().regex(keyFileName), z.base64()]));

export function openKeys(sealed: Uint8Array, passphrase: string): KeyFiles {
  if (sealed.length < saltBytes + nonceBytes + tagBytes) throw strangeKeys();
  // The program that sealed it knew the passphrase, and may still not have been this program.
  const parsed = sealedEntries.safeParse(jsonIn(unsealed(Buffer.from(sealed), passphrase)));
  // Its error is not passed on as the cause: it could quote a key.
  if (!parsed.success) throw strangeKeys();
  return new Map(parsed.data.map(([name, base64]) => [name, Buffer.from(base64, 'base64')]));
}

function unsealed(bytes: Buffer, passphrase: string): string {
  const salt = bytes.subarray(0, saltBytes);
  const nonce = bytes.subarray(saltBytes, saltBytes + nonceBytes);
  const tag = bytes.subarray(saltBytes + nonceBytes, saltBytes + nonceBytes + tagBytes);
  const decipher = createDecipheriv('aes-256-gcm', keyFrom(passphrase, salt), nonce);
  decipher.setAAD(purpose);
  decipher.setAuthTag(tag);
  try {
    const body = bytes.subarray(saltBytes + nonceBytes + tagBytes);
    return Buffer.concat([decipher.update(body), decipher.final()]).toString();
  } catch (cause) {
    throw new AosError('backup.wrong-passphrase', {
      message: 'The passphrase does not open the keys in this backup',
      fix: 'Give the passphrase with which the backup was made',
      cause,
    });
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Refused by the schema, in the same words.
    return undefined;
  }
}

function strangeKeys(): AosError {
  return new AosError('restore.damaged', {
    message: 'The keys in this backup are not as Agent OS seals them, so nothing was changed',
    fix: 'Use another copy of it',
  });
}

function keyFrom(passphrase: string, salt: Uint8Array): Buffer {
  return scryptSync(passphrase.normalize('NFKC'), salt, 32, cost);
}
