/**
 * `keys/secrets.key`, which seals the values of secrets: 64 hex digits in one line.
 *
 * R1. A key that was handed out survives a power cut: its bytes are synced before its name
 *     is made, and the folder before it is used, also when the key was found and not made.
 * R2. What stands under the name and is no such key is refused and left alone.
 * R3. A home with sealed values only loads: a new key would open none of them.
 */

import { createCipheriv, createDecipheriv } from 'node:crypto';
import { join } from 'node:path';
import {
  createFileDurably,
  type DurableFileDeps,
  readWholeFile,
} from '../../kernel/disk/durable-file.ts';
import { isTaken } from '../../kernel/disk/errors.ts';
import { AosError } from '../../kernel/errors.ts';
import type { Clock, Disk, DiskView, Random } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import type { SecretBinding } from '../../ledger/security/secrets.ts';
import { keysFolder } from '../identity/key-file.ts';

const keyBytes = 32;
const limitBytes = 128;

export function secretKeyPath(home: string): string {
  return join(keysFolder(home), 'secrets.key');
}

/** For a home that has sealed nothing yet. Two at once end with one key. */
export async function loadOrCreateSecretKey(
  deps: DurableFileDeps,
  home: string,
): Promise<Uint8Array> {
  const key = (await findKey(deps.disk, home, needless)) ?? (await createKey(deps, home));
  // R1
  await deps.disk.syncFolder(keysFolder(home));
  return key;
}

/** R3 */
export async function loadSecretKey(view: DiskView, home: string): Promise<Uint8Array> {
  const key = await findKey(view, home);
  if (key !== undefined) return key;
  throw brokenSecretKey(home, 'is not there, and there are secrets that only it opens');
}

/** Moves what stands under the key's name aside; resolves to its new name, if anything did. */
export async function setSecretKeyAside(
  { disk, clock }: { readonly disk: Disk; readonly clock: Pick<Clock, 'now'> },
  home: string,
): Promise<string | undefined> {
  const path = secretKeyPath(home);
  if ((await disk.stat(path)) === undefined) return undefined;
  const stamp = new Date(clock.now()).toISOString().replace(/[:.]/g, '-');
  const aside = `${path}.given-up-${stamp}`;
  await disk.rename(path, aside);
  await disk.syncFolder(keysFolder(home));
  return aside;
}

async function createKey(deps: DurableFileDeps, home: string): Promise<Uint8Array> {
  const key = deps.random.bytes(keyBytes);
  const line = Buffer.from(`${Buffer.from(key).toString('hex')}\n`);
  try {
    await createFileDurably(deps, secretKeyPath(home), line);
    return key;
  } catch (failure) {
    if (!isTaken(failure)) throw failure;
    // Another process was faster, and its key counts.
    const theirs = await findKey(deps.disk, home, needless);
    if (theirs === undefined) throw failure;
    return theirs;
  }
}

const needed = 'Put the right file back from a backup; or give the secrets up: aos secret rm --all';
const needless = 'Move it away: there is no secret that it opens';

// R2
async function findKey(
  view: DiskView,
  home: string,
  fix = needed,
): Promise<Uint8Array | undefined> {
  const path = secretKeyPath(home);
  const entry = await view.stat(path);
  if (entry === undefined) return undefined;
  if (entry.kind !== 'file') throw brokenSecretKey(home, 'is not an ordinary file', fix);
  if ((entry.mode & 0o077) !== 0) throw openKey(path);
  const text = await textIn(view, path, fix);
  if (!/^[0-9a-f]{64}\n?$/.test(text)) throw brokenSecretKey(home, 'is no key for secrets', fix);
  return Uint8Array.from(Buffer.from(text.trimEnd(), 'hex'));
}

async function textIn(view: DiskView, path: string, fix: string): Promise<string> {
  try {
    return Buffer.from(await readWholeFile(view, path, limitBytes)).toString();
  } catch (cause) {
    if (!(cause instanceof AosError)) throw cause;
    throw new AosError('secret.broken-key', {
      message: `The key for secrets cannot be read. ${cause.message}`,
      fix,
      cause,
    });
  }
}

/** `what` goes on where the file's name ends: "is …", "does …". */
export function brokenSecretKey(home: string, what: string, fix = needed): AosError {
  return new AosError('secret.broken-key', {
    message: `The key file ${quote(secretKeyPath(home))} ${what}`,
    fix,
  });
}

function openKey(path: string): AosError {
  return new AosError('secret.broken-key', {
    message: `The key file ${quote(path)} is open to others, who may have read it`,
    fix: `If nobody else uses this machine: chmod 600 ${quote(path)}`,
  });
}

// Values at rest: AES-256-GCM.

/** What a value is sealed for. It opens for nothing else, so that no row can be moved to another host. */
interface SealedFor extends SecretBinding {
  readonly name: string;
}

const nonceBytes = 12;
const tagBytes = 16;

/** nonce, tag, then the sealed value. */
export function seal(
  { random, key }: { readonly random: Random; readonly key: Uint8Array },
  secret: SealedFor,
  value: string,
): Uint8Array {
  const nonce = random.bytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(purposeOf(secret));
  const sealed = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** Undefined when another key sealed it, or it was sealed for something else. */
export function unseal(key: Uint8Array, secret: SealedFor, sealed: Uint8Array): string | undefined {
  if (sealed.length < nonceBytes + tagBytes) return undefined;
  const nonce = sealed.subarray(0, nonceBytes);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
  decipher.setAAD(purposeOf(secret));
  decipher.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
  try {
    const body = sealed.subarray(nonceBytes + tagBytes);
    return Buffer.concat([decipher.update(body), decipher.final()]).toString();
  } catch {
    // There is no more to say of it than that it does not open.
    return undefined;
  }
}

function purposeOf({ name, host, port, header, prefix }: SealedFor): Buffer {
  return Buffer.from(JSON.stringify(['agent-os secret 1', name, host, port, header, prefix]));
}
