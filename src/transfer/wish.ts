/** What somebody wants to send, checked once when it comes in. */
import { sealedSize } from '../blobs/seal/aosb1.ts';
import type { Content } from '../blobs/seal/keys.ts';
import { AosError } from '../kernel/errors.ts';
import { checkFileName } from '../kernel/files/names.ts';
import { quote } from '../kernel/text/quote.ts';
import { didYouMean } from '../kernel/text/suggest.ts';
import { depthOf, type Metadata, type TransferKind } from '../kernel/transfer/transfer.ts';
import { everyAgent, presenceOf } from '../ledger/agents.ts';
import type { Sql } from '../ledger/ledger.ts';
import { ownerParty } from '../relay/envelope.ts';

/** As it stands in the row of an upload. */
export interface Wish {
  readonly filename: string;
  readonly kind: TransferKind;
  readonly to: readonly string[];
  /** Null where nobody knows before the end. */
  readonly sizeBytes: number | null;
  readonly sha256: string | null;
  readonly entries: number | null;
  readonly mimeType: string | null;
  readonly metadata: Metadata;
  /** As usual where it is null. */
  readonly expiresMs: number | null;
}

const mostMetadataBytes = 16 * 1024;
const mostMetadataDepth = 8;

export function checkWish(wish: Wish): Wish {
  checkFileName(wish.filename);
  checkMetadata(wish.metadata);
  return { ...wish, to: [...new Set(wish.to)] };
}

function checkMetadata(metadata: Metadata): void {
  const isDeep = depthOf(metadata, mostMetadataDepth) > mostMetadataDepth;
  const sizeBytes = isDeep ? 0 : Buffer.byteLength(JSON.stringify(metadata));
  if (!isDeep && sizeBytes <= mostMetadataBytes) return;
  throw new AosError('usage.bad-value', {
    message: isDeep
      ? `The metadata lies in itself more than ${mostMetadataDepth} times`
      : `The metadata has ${sizeBytes} bytes as JSON, and may have ${mostMetadataBytes}`,
    fix: 'Send a file with it instead',
  });
}

/** What its bytes are when they are stored; undefined where nobody knows yet. */
export function storedSizeOf(sizeBytes: number | null, sealed: boolean): number | undefined {
  if (sizeBytes === null) return undefined;
  return sealed ? sealedSize(sizeBytes) : sizeBytes;
}

/** By which the same is found again. */
export function contentText({ sha256 }: Content): string {
  return sha256;
}

/** Throws unless each of them is here to receive something. */
export async function checkRecipients(sql: Sql, to: readonly string[]): Promise<void> {
  const missing: string[] = [];
  for (const name of to) {
    const status = name === ownerParty ? 'active' : await presenceOf(sql, name);
    if (status === undefined || status === 'terminated') missing.push(name);
  }
  if (missing.length === 0) return;
  const names: string[] = [ownerParty];
  for await (const agent of everyAgent(sql)) {
    if (agent.status !== 'terminated') names.push(agent.name);
  }
  const guess = missing.map((name) => didYouMean(name, names)).find((text) => text !== '') ?? '';
  throw new AosError('transfer.no-recipient', {
    message: `Nobody is registered as ${missing.map((name) => quote(name.slice(0, 100))).join(', ')}.${guess}`,
    fix: 'aos ps lists who is',
    details: { missing },
  });
}
