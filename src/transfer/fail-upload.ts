/** Giving up to send: it is written down as failed, and the room is free again. */
import { newId } from '../kernel/new-id.ts';
import { oneLine } from '../kernel/text/quote.ts';
import { transferRetries } from '../kernel/transfer/transfer.ts';
import type { Transaction } from '../ledger/ledger.ts';
import { deleteUpload, findUpload, type UploadRow } from '../ledger/transfers/bodies.ts';
import { insertTransfer, transfersOfBatch } from '../ledger/transfers/transfers.ts';
import { principalOf } from '../relay/posting.ts';
import { alert } from './alerts.ts';
import type { SentBatch } from './announce.ts';
import { tellAll } from './notes.ts';
import { unknownUpload } from './refusals.ts';
import { newTransfer } from './rows.ts';
import { toldTransfer } from './told.ts';
import { uploadOf, wishIn } from './upload.ts';
import type { ServingDeps } from './upload-traffic.ts';

export async function failUpload(
  deps: ServingDeps,
  party: string,
  { id, reason, attempts = 1 }: GivenUp,
): Promise<SentBatch> {
  const { ledger, uploads, clock, log } = deps;
  await uploadOf(ledger.committed, party, id);
  const batch = await ledger.transact((tx) => writeFailed(deps, tx, { id, reason, attempts }));
  deps.counts.ended('failed');
  // A file without a row is swept with the rest.
  await uploads.discard(id).catch((failure: unknown) => {
    log.warn({ err: failure, upload: id }, 'an upload that is over is left');
  });
  await tellAll(deps).catch((failure: unknown) => {
    log.error({ err: failure }, 'somebody is told later');
  });
  const rows = await transfersOfBatch(ledger.committed, batch);
  return { transfers: rows.map((row) => toldTransfer(row, clock.now())), saved_bytes: 0 };
}

export interface GivenUp {
  readonly id: string;
  readonly reason: string;
  /** How often it was tried; once where nothing is said. */
  readonly attempts?: number | undefined;
}

async function writeFailed(
  deps: ServingDeps,
  tx: Transaction,
  { id, reason, attempts = 1 }: GivenUp,
): Promise<string> {
  const upload: UploadRow | undefined = await findUpload(tx, id);
  if (upload === undefined) throw unknownUpload();
  await deleteUpload(tx, id);
  const { sender } = upload;
  const wish = wishIn(upload);
  const batch = newId(deps.clock.now(), deps.random);
  for (const recipient of wish.to) {
    const row = newTransfer(deps, { sender, recipient, wish, batch });
    await insertTransfer(tx, { ...row, status: 'failed', ack: 'failed', reason, attempts });
    const subject = `transfer:${row.id}`;
    const data = { sender, recipient, filename: wish.filename, reason };
    await tx.record({ actor: principalOf(sender), kind: 'transfer.failed', subject, data });
  }
  // Who has not tried again is told of it, and nobody else.
  if (attempts <= transferRetries) return batch;
  const words = `${sender} could not send ${oneLine(wish.filename)} to ${wish.to.join(', ')}: ${oneLine(reason)}`;
  const facts = { to: wish.to, reason, batch };
  await alert(deps, tx, { alert: 'failed-after-retries', sender, words, facts });
  return batch;
}
