/**
 * The human whose home it is: a key, a row, and a handle for those who come over TCP.
 * The caller holds the home's lock, so only one start is under way.
 *
 * R1. Files first, row last. A start that dies in between leaves a key that the next
 *     start adopts, or a handle that the ledger does not know and the next start replaces.
 * R2. Once the ledger knows the owner, the key is never made again: without it, or with
 *     another one, there is no start.
 * R3. Only one handle of the file is good at a time: a new one revokes those before it.
 */
import { join } from 'node:path';
import {
  type DurableFileDeps,
  readWholeFile,
  writeFileDurably,
} from '../kernel/disk/durable-file.ts';
import { AosError } from '../kernel/errors.ts';
import type { Clock, DiskView } from '../kernel/ports.ts';
import { quote } from '../kernel/text/quote.ts';
import type { Ledger, Transaction } from '../ledger/ledger.ts';
import {
  findPrincipal,
  findPrincipalOfHandle,
  insertHandle,
  insertPrincipal,
  type PrincipalRow,
  revokeHandlesOf,
} from '../ledger/security/principals.ts';
import { hashOfHandle, looksLikeHandle, mintHandle } from './handles.ts';
import {
  brokenKey,
  keyPath,
  keysFolder,
  loadKey,
  loadOrCreateKey,
  type Signer,
} from './identity/key-file.ts';
import { type KeyPair, signText } from './identity/key-pair.ts';

export interface OwnerDeps extends DurableFileDeps {
  readonly ledger: Ledger;
  readonly clock: Pick<Clock, 'now'>;
}

/** Where the owner's handle stands, for programs that run as the owner. */
export function ownerHandlePath(home: string): string {
  return join(keysFolder(home), 'owner.handle');
}

/** Makes the owner at the first start, and at every later one checks that it is the same. */
export async function ensureOwner(deps: OwnerDeps, home: string): Promise<Signer> {
  const known = await findPrincipal(deps.ledger.committed, 'owner');
  const key =
    known === undefined ? await createOwner(deps, home) : await knownKey(deps, home, known);
  if (known !== undefined) await renewHandleIfNeeded(deps, home);
  return { address: key.address, sign: (text) => signText(key, text) };
}

async function createOwner(deps: OwnerDeps, home: string): Promise<KeyPair> {
  // R1
  const key = await loadOrCreateKey(deps, keysFolder(home), 'owner');
  const hash = await replaceHandleFile(deps, home);
  const now = deps.clock.now();
  await deps.ledger.transact(async (tx) => {
    await insertPrincipal(tx, {
      id: 'owner',
      kind: 'human',
      address: key.address,
      public_key: key.publicKey,
      created_at: now,
    });
    await insertHandle(tx, { hash, principal: 'owner', created_at: now, expires_at: null });
    await recordForOwner(tx, 'identity.owner-created', { address: key.address });
  });
  return key;
}

// R2
async function knownKey(
  { disk }: Pick<OwnerDeps, 'disk'>,
  home: string,
  known: PrincipalRow,
): Promise<KeyPair> {
  const folder = keysFolder(home);
  const path = keyPath(folder, 'owner');
  const key = await loadKey(disk, folder, 'owner');
  if (key === undefined) {
    throw new AosError('identity.missing-key', {
      message: `The key of the owner, ${known.address}, is not at ${quote(path)}`,
      fix: 'Put the file back from a backup; a new key would be a new identity',
    });
  }
  if (key.address === known.address) return key;
  throw brokenKey(path, `is of ${key.address}, but the ledger's owner is ${known.address}`);
}

async function renewHandleIfNeeded(deps: OwnerDeps, home: string): Promise<void> {
  const reason = await whyRenew(deps, home);
  if (reason === undefined) return;
  // R1: a start that dies after this line finds a handle that the ledger does not know.
  const hash = await replaceHandleFile(deps, home);
  const now = deps.clock.now();
  await deps.ledger.transact(async (tx) => {
    // R3
    const revoked = await revokeHandlesOf(tx, 'owner', now);
    await insertHandle(tx, { hash, principal: 'owner', created_at: now, expires_at: null });
    await recordForOwner(tx, 'identity.handle-renewed', { reason, revoked });
  });
}

type RenewalReason = 'missing' | 'malformed' | 'open-to-others' | 'unknown';

async function whyRenew(
  { disk, ledger, clock }: OwnerDeps,
  home: string,
): Promise<RenewalReason | undefined> {
  const path = ownerHandlePath(home);
  const entry = await disk.stat(path);
  if (entry === undefined) return 'missing';
  if (entry.kind !== 'file') return 'malformed';
  // Others may have read it: it is worth nothing any more.
  if ((entry.mode & 0o077) !== 0) return 'open-to-others';
  const handle = await handleIn(disk, path);
  if (handle === undefined) return 'malformed';
  const principal = await findPrincipalOfHandle(
    ledger.committed,
    hashOfHandle(handle),
    clock.now(),
  );
  return principal === 'owner' ? undefined : 'unknown';
}

// A handle and a line end; what is larger is none.
const limitBytes = 64;

async function handleIn(disk: DiskView, path: string): Promise<string | undefined> {
  try {
    const text = Buffer.from(await readWholeFile(disk, path, limitBytes))
      .toString()
      .trimEnd();
    return looksLikeHandle(text) ? text : undefined;
  } catch (failure) {
    if (failure instanceof AosError && failure.code === 'disk.too-large') return undefined;
    throw failure;
  }
}

/** Resolves to the hash of the handle that stands there now. */
async function replaceHandleFile(deps: DurableFileDeps, home: string): Promise<string> {
  const handle = mintHandle(deps.random);
  await writeFileDurably(deps, ownerHandlePath(home), Buffer.from(`${handle}\n`));
  return hashOfHandle(handle);
}

function recordForOwner(
  tx: Transaction,
  kind: string,
  data: Readonly<Record<string, unknown>>,
): Promise<void> {
  return tx.record({ actor: 'system', kind, subject: 'owner', data });
}
