/**
 * A new key for what the server seals: the metadata of operations, and the keys of artifacts
 * whose owner has not signed yet.
 *
 * K1. The new key is on disk beside the old one before anything is sealed with it, and the old
 *     one goes when nothing is sealed with it any more. At every line in between, everything can
 *     be opened; a rotation that was cut off is gone on with.
 */
import { join } from 'node:path';
import { wrapKey } from '../blobs/seal/aosb1.ts';
import { readWholeFile, writeFileDurably } from '../kernel/disk/durable-file.ts';
import { ignoreMissing } from '../kernel/disk/errors.ts';
import {
  type ArtifactRow,
  artifactsToRewrap,
  artifactsUnderOtherKeys,
  rewrap,
} from '../ledger/operations/artifacts.ts';
import { finishAgain } from '../ledger/operations/finish.ts';
import { findPrincipal, learnPublicKey } from '../ledger/security/principals.ts';
import type { OperationsDeps } from './deps.ts';
import { finishAll } from './finish.ts';
import { metadataLabel, metadataPath } from './folder.ts';

export interface Rotated {
  readonly key: string;
  readonly resealed: number;
  readonly rewrapped: number;
}

export async function rotateKeys(deps: OperationsDeps, actor: string): Promise<Rotated> {
  const { serverKeys, ledger } = deps;
  // One that was cut off is gone on with first.
  if (serverKeys.hasOld) await sealAnew(deps);
  const key = await serverKeys.addKey();
  const done = await sealAnew(deps, key);
  await ledger.transact((tx) =>
    tx.record({ actor, kind: 'keys.rotated', subject: 'server', data: { key, ...done } }),
  );
  return { key, ...done };
}

// K1
export async function sealAnew(
  deps: OperationsDeps,
  than = deps.serverKeys.current,
): Promise<Omit<Rotated, 'key'>> {
  const rewrapped = await rewrapUnderCurrent(deps);
  const resealed = await resealMetadata(deps);
  if (deps.serverKeys.hasOld) {
    await deps.serverKeys.dropOld(than);
    // What was wrapped with the old key stood in the log of the ledger.
    if (rewrapped > 0) await deps.ledger.forget();
  }
  return { rewrapped, resealed };
}

const batchRows = 50;

/** One that does not open is lost already, and keeps nothing else from being rotated. */
async function rewrapUnderCurrent(deps: OperationsDeps): Promise<number> {
  const { ledger, serverKeys } = deps;
  let rewrapped = 0;
  for (let after = ''; ; ) {
    // In its turn: work that has sealed with the old key, and is writing it down, comes before.
    const rows = await ledger.transact((tx) =>
      artifactsUnderOtherKeys(tx, serverKeys.current, { after, limit: batchRows }),
    );
    for (const row of rows) {
      const dek = openedKey(deps, row);
      if (dek === undefined) continue;
      const wrapped_key = serverKeys.seal('artifact-key', row.id, dek);
      const server_key = serverKeys.keyOf(wrapped_key);
      const wrap = { wrapped_key, server_key, e2e: 0 } as const;
      if (await ledger.transact((tx) => rewrap(tx, row, wrap))) rewrapped++;
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < batchRows) return rewrapped;
    after = last.id;
  }
}

/** The key of an artifact that the server has sealed; undefined where its own key is lost. */
function openedKey(
  { serverKeys, log }: Pick<OperationsDeps, 'serverKeys' | 'log'>,
  { id, wrapped_key }: ArtifactRow,
): Uint8Array | undefined {
  try {
    return serverKeys.open('artifact-key', id, wrapped_key);
  } catch (failure) {
    log.error({ err: failure, artifact: id }, 'an artifact is lost: the server has not its key');
    return undefined;
  }
}

const largestBytes = 1024 * 1024;

async function resealMetadata(deps: OperationsDeps): Promise<number> {
  const { disk, home, serverKeys } = deps;
  const root = join(home, 'artifacts', 'operations');
  let resealed = 0;
  for (const id of (await disk.list(root).catch(ignoreMissing)) ?? []) {
    const path = metadataPath(home, id);
    if ((await disk.stat(path).catch(() => undefined))?.kind !== 'file') continue;
    const text = Buffer.from(await readWholeFile(disk, path, largestBytes)).toString();
    const sealed = sealedIn(text);
    if (sealed !== undefined && serverKeys.keyOf(sealed) === serverKeys.current) continue;
    const anew = sealed === undefined ? undefined : resealedText(deps, id, sealed);
    // One that cannot be read is of no use under any key; the rows have all of it.
    if (anew === undefined) deps.log.warn({ operation: id }, 'a metadata.json cannot be opened');
    else {
      await writeFileDurably(deps, path, Buffer.from(anew));
      resealed++;
    }
  }
  return resealed;
}

function sealedIn(text: string): string | undefined {
  try {
    const file: unknown = JSON.parse(text);
    const isOurs = typeof file === 'object' && file !== null && 'sealed' in file;
    return isOurs && typeof file.sealed === 'string' ? file.sealed : undefined;
  } catch {
    return undefined;
  }
}

function resealedText(
  { serverKeys }: OperationsDeps,
  id: string,
  sealed: string,
): string | undefined {
  try {
    const plain = serverKeys.open('metadata', metadataLabel(id), sealed);
    const anew = serverKeys.seal('metadata', metadataLabel(id), plain);
    return `${JSON.stringify({ version: 1, operation_id: id, sealed: anew })}\n`;
  } catch {
    return undefined;
  }
}

// An outsider of whom only the address was known has signed something, so its public key is
// known: what the server could open until now is wrapped to that key, and to it alone.

const keyBatchRows = 50;

/** Nothing happens where it was known before and nothing is left to be wrapped. */
export async function learnKey(
  deps: OperationsDeps,
  principal: string,
  publicKey: string,
): Promise<void> {
  const { ledger } = deps;
  const isNew = await ledger.transact(async (tx) => {
    if (!(await learnPublicKey(tx, principal, publicKey))) return false;
    await tx.record({ actor: principal, kind: 'identity.key-learnt', subject: principal });
    return true;
  });
  if (!isNew) return;
  // What cannot be wrapped now is tried again with the next start; the request is good.
  await rewrapAll(deps, principal).catch((failure: unknown) =>
    deps.log.error({ err: failure, principal }, 'artifacts are not wrapped to their owner yet'),
  );
}

/** Also of one that died in the middle of it: asked for at every start. */
export async function rewrapAll(deps: OperationsDeps, principal: string): Promise<void> {
  const { ledger } = deps;
  let rewrapped = 0;
  for (let after = ''; ; ) {
    const page = { after, limit: keyBatchRows };
    const rows = await artifactsToRewrap(ledger.committed, principal, page);
    for (const row of rows) if (await rewrapOne(deps, principal, row)) rewrapped++;
    const last = rows.at(-1);
    if (last === undefined || rows.length < keyBatchRows) break;
    after = last.id;
  }
  if (rewrapped === 0) return;
  // The wrap that the server could open stood in the log of the ledger.
  await ledger.forget();
  await finishAll(deps);
}

async function rewrapOne(
  deps: OperationsDeps,
  principal: string,
  row: ArtifactRow,
): Promise<boolean> {
  const { ledger, random } = deps;
  const dek = openedKey(deps, row);
  if (dek === undefined) return false;
  return ledger.transact(async (tx) => {
    const known = await findPrincipal(tx, principal);
    if (known === undefined || known.public_key === '') return false;
    const { address, public_key: publicKey } = known;
    const wrapped_key = wrapKey(random, dek, { publicKey, address, object: row.id });
    if (!(await rewrap(tx, row, { wrapped_key, server_key: null, e2e: 1 }))) return false;
    await finishAgain(tx, row.operation);
    const subject = `operation:${row.operation}`;
    const data = { artifact: row.id };
    await tx.record({ actor: principal, kind: 'artifact.rewrapped', subject, data });
    return true;
  });
}
