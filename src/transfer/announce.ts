/** What follows once a transfer is stored: its manifest, what is unusual of it, its recipient told. */
import { toReport } from '../kernel/errors.ts';
import { oneLine } from '../kernel/text/quote.ts';
import { sizeText } from '../kernel/transfer/transfer.ts';
import {
  advanceTransfer,
  type TransferRow,
  transfersOfBatch,
  unannouncedTransfers,
} from '../ledger/transfers/transfers.ts';
import type { TransferDeps } from './deps.ts';
import type { Transfer } from './ends/ends.ts';
import { writeManifest } from './manifest.ts';
import { tellAll } from './notes.ts';
import { toldTransfer } from './told.ts';
import { watchForUnusual } from './unusual.ts';

export interface SentBatch {
  readonly transfers: Transfer[];
  readonly saved_bytes: number;
}

/** What is stored is sent, whatever happens here: what fails is told, and done again later. */
export async function announceBatch(deps: TransferDeps, batch: string): Promise<SentBatch> {
  const sql = deps.ledger.committed;
  const rows = await transfersOfBatch(sql, batch);
  const [first] = rows;
  deps.counts.sent(rows.length, first?.file_size_bytes ?? 0);
  await attempt(deps, 'what is unusual', () => watchForUnusual(deps, rows));
  for (const row of rows) await announce(deps, row);
  await attempt(deps, 'whoever is to be told', () => tellAll(deps));
  const now = deps.clock.now();
  const transfers = (await transfersOfBatch(sql, batch)).map((row) => toldTransfer(row, now));
  return { transfers, saved_bytes: first?.saved_bytes ?? 0 };
}

const pageRows = 100;

/** Those that a crash has left unannounced. */
export async function announceLeft(deps: TransferDeps): Promise<void> {
  const rows = await unannouncedTransfers(deps.ledger.committed, pageRows);
  for (const row of rows) await announce(deps, row);
}

/** By a key, so that the recipient hears of it once, however often this is begun. */
async function announce(deps: TransferDeps, row: TransferRow): Promise<void> {
  await attempt(deps, 'the manifest of a transfer', () => writeManifest(deps, row));
  await attempt(deps, 'the recipient of a transfer', async () => {
    const key = `transfer:${row.id}:arrived`;
    await deps.tell({ to: row.recipient, key, body: arrivalText(row), transfer: row.id });
    await deps.ledger.transact(async (tx) => {
      const at = deps.clock.now();
      const isNews = await advanceTransfer(tx, row.id, { from: ['stored'], to: 'announced', at });
      if (!isNews) return;
      const subject = `transfer:${row.id}`;
      await tx.record({ actor: 'system', kind: 'transfer.announced', subject });
    });
  });
}

function arrivalText({ sender, filename, file_size_bytes, id }: TransferRow): string {
  const what = `${oneLine(filename)} (${sizeText(file_size_bytes)})`;
  return `${sender} sent you ${what}. Fetch it: agent-transfer download ${id}\n`;
}

async function attempt(
  { log }: Pick<TransferDeps, 'log'>,
  what: string,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (failure) {
    log.error({ error: toReport(failure) }, `cannot take care of ${what}`);
  }
}
