/**
 * Keys on the disk. A key is made once and never replaced: a principal that lost it is
 * another one, and that must not happen quietly.
 *
 * R1. A key that was handed out survives a power cut: its bytes are synced before its
 *     name is made, and the folder is synced before it is used, also when the key was
 *     found and not made, because who made it may have died before the sync.
 * R2. What stands under the name and is not this principal's key is refused.
 */

import { join } from 'node:path';
import { z } from 'zod';
import {
  createFileDurably,
  type DurableFileDeps,
  readWholeFile,
} from '../../kernel/disk/durable-file.ts';
import { isTaken } from '../../kernel/disk/errors.ts';
import { AosError } from '../../kernel/errors.ts';
import type { DiskView } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import { fromHex, type KeyPair, keyPairOf, newKeyPair, toHex } from './key-pair.ts';

const keyFile = z.strictObject({
  version: z.literal(1),
  principal: z.string(),
  address: z.string(),
  secret_key: z.string(),
});

const limitBytes = 4096;

/** The key of this principal, made when there is none. Two at once end with one key. */
export async function loadOrCreateKey(
  deps: DurableFileDeps,
  folder: string,
  principal: PrincipalId,
): Promise<KeyPair> {
  const key =
    (await loadKey(deps.disk, folder, principal)) ?? (await createKey(deps, folder, principal));
  // R1
  await deps.disk.syncFolder(folder);
  return key;
}

async function createKey(
  deps: DurableFileDeps,
  folder: string,
  principal: PrincipalId,
): Promise<KeyPair> {
  const key = newKeyPair(deps.random);
  try {
    await createFileDurably(deps, keyPath(folder, principal), bytesOf(principal, key));
    return key;
  } catch (failure) {
    if (!isTaken(failure)) throw failure;
    // Another process was faster, and its key counts.
    const theirs = await loadKey(deps.disk, folder, principal);
    if (theirs === undefined) throw failure;
    return theirs;
  }
}

function bytesOf(principal: PrincipalId, { address, secretKey }: KeyPair): Uint8Array {
  const file: z.infer<typeof keyFile> = {
    version: 1,
    principal,
    address,
    secret_key: toHex(secretKey),
  };
  return Buffer.from(`${JSON.stringify(file)}\n`);
}

/** Undefined when there is no file; anything but the principal's own key is refused. */
export async function loadKey(
  view: DiskView,
  folder: string,
  principal: PrincipalId,
): Promise<KeyPair | undefined> {
  const path = keyPath(folder, principal);
  const text = await textInKeyFile(view, path, limitBytes);
  return text === undefined ? undefined : keyIn(text, path, principal);
}

/** Undefined when there is no file; refused where others can read it, too. */
export async function textInKeyFile(
  view: DiskView,
  path: string,
  limitBytes: number,
): Promise<string | undefined> {
  const entry = await view.stat(path);
  if (entry === undefined) return undefined;
  if (entry.kind !== 'file') throw brokenKey(path, 'is not an ordinary file');
  if ((entry.mode & 0o077) !== 0) throw openKey(path);
  return textIn(view, path, limitBytes);
}

async function textIn(view: DiskView, path: string, limitBytes: number): Promise<string> {
  try {
    return Buffer.from(await readWholeFile(view, path, limitBytes)).toString();
  } catch (cause) {
    if (!(cause instanceof AosError)) throw cause;
    throw new AosError('identity.broken-key', {
      message: `A key cannot be read. ${cause.message}`,
      fix: cause.fix,
      cause,
    });
  }
}

function keyIn(text: string, path: string, principal: PrincipalId): KeyPair {
  const parsed = keyFile.safeParse(jsonIn(text));
  // Its error is not passed on as the cause: it could quote the secret.
  if (!parsed.success) throw brokenKey(path, 'is not a key file of Agent OS');
  const file = parsed.data;
  if (file.principal !== principal) {
    throw brokenKey(path, `belongs to ${quote(file.principal)} and not to ${quote(principal)}`);
  }
  const secretKey = fromHex(file.secret_key, 32);
  const key = secretKey && keyPairOf(secretKey);
  if (key === undefined) throw brokenKey(path, 'holds no secret key');
  if (key.address !== file.address)
    throw brokenKey(path, 'holds a key that does not fit its address');
  return key;
}

/** What a key file says; undefined, which no schema takes, when that is no JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Refused by the schema, in the same words.
    return undefined;
  }
}

/** `what` goes on where the file's name ends: "is …", "holds …". */
export function brokenKey(path: string, what: string): AosError {
  return new AosError('identity.broken-key', {
    message: `The key file ${quote(path)} ${what}`,
    fix: 'Put the right file back from a backup; a new key would be a new identity',
  });
}

function openKey(path: string): AosError {
  return new AosError('identity.broken-key', {
    message: `The key file ${quote(path)} is open to others, who may have read it`,
    fix: `If nobody else uses this machine: chmod 600 ${quote(path)}`,
  });
}

/** Who has a key in the home folder; `agents` is the one that others are derived from. */
export type PrincipalId = 'owner' | 'agents' | `agent:${string}`;

/** A principal that can sign. The secret stays inside. */
export interface Signer {
  readonly address: string;
  sign(text: string): string;
}

export function keysFolder(home: string): string {
  return join(home, 'keys');
}

/**
 * `keys/owner.key`, `keys/agent-jean.key`. On a disk that does not tell large letters
 * from small ones two names would share a file: registration refuses the second name,
 * and the file says whose it is.
 */
export function keyPath(folder: string, principal: PrincipalId): string {
  return join(folder, `${principal.replace(':', '-')}.key`);
}
