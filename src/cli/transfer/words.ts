/** Transfers as a person reads them. */

import type { Answer } from '../../gateway/contract/contract.ts';
import type { Instant } from '../../kernel/ports.ts';
import { oneLine } from '../../kernel/text/quote.ts';
import { sizeText } from '../../kernel/transfer/transfer.ts';
import { durationWords } from '../core/words.ts';

export type Transfer = Answer<'transfer'>;

/** `research.pdf from samantha (2.3 MB)` */
export function receivedWords({ filename, sender, file_size_bytes }: Transfer): string {
  return oneLine(`${filename} from ${sender} (${sizeText(file_size_bytes)})`);
}

/** `research.pdf to jared (2.3 MB)` */
export function sentWords({ filename, recipient, file_size_bytes }: Transfer): string {
  return oneLine(`${filename} to ${recipient} (${sizeText(file_size_bytes)})`);
}

/** What else there is to say in a list: a folder, its metadata, how it stands. */
export function moreWords(transfer: Transfer, now: Instant): string {
  const { metadata, status, ack, reason } = transfer;
  const words = [
    folderWords(transfer),
    Object.keys(metadata).length === 0 ? '' : JSON.stringify(metadata),
    status === 'pending' ? untilWords(transfer, now) : `${status} (${ack})`,
    reason ?? '',
  ];
  return oneLine(words.filter((word) => word !== '').join('  '));
}

export function folderWords({ kind, entries }: Transfer): string {
  if (kind !== 'folder') return '';
  return entries === 1 ? 'a folder of 1 entry' : `a folder of ${entries ?? 0} entries`;
}

function untilWords({ ack, expires_at }: Transfer, now: Instant): string {
  if (expires_at === null) return ack;
  const leftMs = Date.parse(expires_at) - now;
  return leftMs <= 0 ? 'expired' : `expires in ${durationWords(leftMs)}`;
}
