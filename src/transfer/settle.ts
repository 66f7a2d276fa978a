/** What a recipient says of what it got, and a sender of what it takes back; the other is told. */
import { oneLine, printable } from '../kernel/text/quote.ts';
import { type TransferAck, transferRetries } from '../kernel/transfer/transfer.ts';
import type { Transaction } from '../ledger/ledger.ts';
import { dropReferencesOf } from '../ledger/transfers/blobs.ts';
import { forgetContent, releaseBody } from '../ledger/transfers/bodies.ts';
import { revokeLinksOf } from '../ledger/transfers/links.ts';
import {
  type AckChange,
  advanceTransfer,
  findTransfer,
  type TransferRow,
} from '../ledger/transfers/transfers.ts';
import { principalIdOf } from '../relay/posting.ts';
import { tellAll, tellLater } from '../relay/tell.ts';
import { alert, removeManifest, statusOf, transferView } from './announce.ts';
import type { TransferView } from './calls.ts';
import { type TransferDeps, transferNotes } from './deps.ts';
import { watchQuota } from './quota.ts';
import { type Side, transferOf, transferOver, wrongState } from './refusals.ts';

export interface SettleRequest {
  readonly id: string;
  readonly reason?: string | undefined;
}

interface Step {
  readonly side: Side;
  readonly to: TransferAck;
  readonly from: readonly TransferAck[];
  /** Where it is so already, and asked for once more: nothing happens. */
  readonly also?: readonly TransferAck[] | undefined;
  readonly ends: boolean;
  readonly status?: TransferRow['status'] | undefined;
  /** What the other one is told, if anything. */
  words(row: TransferRow, reason: string): string;
}

const name = ({ filename }: TransferRow) => oneLine(filename);

const steps = {
  verified: {
    ...{ side: 'recipient', to: 'verified', from: ['stored', 'announced', 'fetched'] },
    ...{ also: ['accepted', 'rejected'], ends: false, status: 'downloaded' },
    words: (row) => `${row.recipient} has received ${name(row)}.`,
  },
  accepted: {
    ...{ side: 'recipient', to: 'accepted', from: ['verified'], ends: false },
    words: (row) => `${row.recipient} has accepted ${name(row)}.`,
  },
  rejected: {
    ...{ side: 'recipient', to: 'rejected', from: ['verified'], ends: true, status: 'failed' },
    words: (row, reason) => `${row.recipient} has rejected ${name(row)}: ${printable(reason)}`,
  },
  failed: {
    ...{ side: 'recipient', to: 'failed', from: ['stored', 'announced', 'fetched'] },
    ...{ ends: true, status: 'failed' },
    words: (row, reason) =>
      `${row.recipient} could not fetch ${name(row)}, however often it tried: ${printable(reason)}`,
  },
  revoked: {
    ...{ side: 'sender', to: 'revoked', ends: true, status: 'expired' },
    from: ['stored', 'announced', 'fetched', 'verified', 'accepted'],
    words: (row) => `${row.sender} has taken back ${name(row)}.`,
  },
} as const satisfies Record<string, Step>;

export type StepName = keyof typeof steps;

export async function settle(
  deps: TransferDeps,
  principal: string,
  { id, reason = '', step: which }: SettleRequest & { readonly step: StepName },
): Promise<TransferView> {
  const step: Step = steps[which];
  const { ledger, clock, log } = deps;
  const before = await transferOf(ledger.committed, principal, { id, side: step.side });
  const { row, isNews } = await ledger.transact((tx) =>
    write(deps, tx, { step, which, before, reason }),
  );
  const now = clock.now();
  if (!isNews) return transferView(row, now);
  if (step.status === 'downloaded' || step.status === 'failed') deps.counts.ended(step.status);
  if (step.status === 'expired') deps.counts.ended('expired');
  // The ledger has it: what is left over of a manifest goes with the next daily look.
  if (step.ends) {
    await removeManifest(deps, row.s3_key).catch((failure: unknown) => {
      log.warn({ err: failure, transfer: id }, 'the manifest of a transfer that is over is left');
    });
  }
  await tellAll(deps, transferNotes).catch((failure: unknown) => {
    log.error({ err: failure, transfer: id }, 'somebody is told later');
  });
  return transferView(row, now);
}

interface Writing {
  readonly step: Step;
  readonly which: StepName;
  readonly before: TransferRow;
  readonly reason: string;
}

interface Written {
  readonly row: TransferRow;
  readonly isNews: boolean;
}

async function write(
  deps: TransferDeps,
  tx: Transaction,
  { step, which, before, reason }: Writing,
): Promise<Written> {
  const { id } = before;
  const at = deps.clock.now();
  refuseOver((await findTransfer(tx, id)) ?? before, which, at);
  const changed = await advanceTransfer(tx, id, changeOf(step, which, { at, reason }));
  const row = (await findTransfer(tx, id)) ?? before;
  if (!changed) {
    const isSo = row.ack === step.to || (step.also ?? []).includes(row.ack);
    if (isSo) return { row, isNews: false };
    throw wrongState(id, `is ${row.ack}, and cannot become ${step.to}`);
  }
  const actor = principalIdOf(row[step.side]);
  const subject = `transfer:${id}`;
  const data = reason === '' ? undefined : { reason };
  await tx.record({ actor, kind: `transfer.${which}`, subject, data });
  if (step.ends) await letGo(deps, tx, row);
  await tellOther(tx, { row, step, reason, at });
  if (which === 'failed') {
    // Who sends the same again is not answered with bytes that a recipient could not open.
    if (row.body !== null) await forgetContent(tx, row.body);
    await alertFailed(deps, tx, row, reason);
  }
  return { row, isNews: true };
}

/**
 * What has expired is over for its recipient. Who had begun to fetch it in time, and has it whole
 * a little later, has received it all the same.
 */
function refuseOver(row: TransferRow, which: StepName, now: number): void {
  if (which !== 'verified' && which !== 'failed') return;
  if (statusOf(row, now) !== 'expired' || row.ack === 'revoked') return;
  if (which === 'verified' && row.ack === 'fetched') return;
  throw transferOver(row.id, 'has expired');
}

function changeOf(
  { from, to, status }: Step,
  which: StepName,
  { at, reason }: { readonly at: number; readonly reason: string },
): AckChange {
  return {
    ...{ from, to, at, status },
    downloadedAt: which === 'verified' ? at : undefined,
    reason: reason === '' ? undefined : reason,
    attempts: which === 'failed' ? transferRetries + 1 : undefined,
  };
}

/**
 * Its body may go, if no other transfer needs it, and links to it are worth nothing. Whether it was the
 * last that needed it.
 */
export async function letGo(
  deps: Pick<TransferDeps, 'clock' | 'limits'>,
  tx: Transaction,
  { id, sender, body }: Pick<TransferRow, 'id' | 'sender' | 'body'>,
): Promise<boolean> {
  const dropped = await dropReferencesOf(tx, `transfer:${id}`);
  const isLast = dropped > 0 && body !== null && (await releaseBody(tx, body));
  await revokeLinksOf(tx, id, deps.clock.now());
  await watchQuota(deps, tx, sender);
  return isLast;
}

async function tellOther(
  tx: Transaction,
  { row, step, reason, at }: { row: TransferRow; step: Step; reason: string; at: number },
): Promise<void> {
  const to = step.side === 'sender' ? row.recipient : row.sender;
  const key = `transfer:${row.id}:${step.to}`;
  const body = `${step.words(row, reason)}\n`;
  await tellLater(tx, { to, key, body, transfer: row.id }, { at, queue: transferNotes });
}

async function alertFailed(
  deps: TransferDeps,
  tx: Transaction,
  row: TransferRow,
  reason: string,
): Promise<void> {
  const { sender, recipient, id } = row;
  const words = `${recipient} could not fetch ${name(row)} of ${sender} in four tries: ${oneLine(reason)}`;
  const facts = { recipient, reason };
  await alert(deps, tx, { alert: 'failed-after-retries', sender, words, facts, transfer: id });
}
