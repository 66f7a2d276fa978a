/**
 * An outsider of whom only the address was known has signed something, so its public key is
 * known: what the server could open until now is wrapped to that key, and to it alone.
 */
import { wrapKey } from '../blobs/seal/keys.ts';
import { type ArtifactRow, artifactsToRewrap, rewrap } from '../ledger/operations/artifacts.ts';
import { finishAgain } from '../ledger/operations/finish.ts';
import { findPrincipal, learnPublicKey } from '../ledger/security/principals.ts';
import type { OperationsDeps } from './deps.ts';
import { finishAll } from './finish.ts';
import { openedKey } from './rotate.ts';

const batchRows = 50;

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
    const page = { after, limit: batchRows };
    const rows = await artifactsToRewrap(ledger.committed, principal, page);
    for (const row of rows) if (await rewrapOne(deps, principal, row)) rewrapped++;
    const last = rows.at(-1);
    if (last === undefined || rows.length < batchRows) break;
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
