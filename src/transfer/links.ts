/** Links for humans: made, listed, revoked, and what is behind one. */
import { createHash } from 'node:crypto';
import type { OpenBlob } from '../blobs/blobs.ts';
import { dekBytes, headerBytes } from '../blobs/seal/aosb1.ts';
import { AosError } from '../kernel/errors.ts';
import { newId } from '../kernel/new-id.ts';
import { type Instant, lastInstant } from '../kernel/ports.ts';
import { timeText } from '../kernel/text/time-text.ts';
import type { Sql } from '../ledger/ledger.ts';
import { findBody } from '../ledger/transfers/bodies.ts';
import {
  findGoodLink,
  findLink,
  insertLink,
  type LinkRange,
  type LinkRow,
  listLinks,
  revokeLinkRow,
  useLink,
} from '../ledger/transfers/links.ts';
import { findTransfer, type TransferRow } from '../ledger/transfers/transfers.ts';
import { principalIdOf } from '../relay/posting.ts';
import type { TransferDeps } from './deps.ts';
import { bodyOf, recipientDek, senderDek } from './open.ts';
import {
  isSenderOrRecipient,
  refuseSending,
  unknownLink,
  unknownTransfer,
  wrongState,
} from './refusals.ts';
import { wrapFor } from './rows.ts';

export interface LinkView {
  readonly id: string;
  readonly kind: 'download' | 'upload';
  readonly transfer: string | null;
  readonly recipient: string | null;
  readonly most_uses: number;
  readonly uses: number;
  readonly created_at: string;
  readonly expires_at: string;
  readonly revoked: boolean;
}

export interface MadeLink extends LinkView {
  /** With the key behind the "#". */
  readonly path: string;
}

const usualTtlMs = 24 * 3_600_000;
const usualMostBytes = 100 * 1024 * 1024;
const tokenBytes = 32;
/** A link is good for each holder: only a principal that may send to all may make one. */
const anybody = '*';

export interface DownloadLink {
  readonly id: string;
  readonly ttlMs?: number | undefined;
  readonly mostUses?: number | undefined;
  /** Whether everything may be linked to, as by the owner. */
  readonly ofAll: boolean;
}

export async function linkTransfer(
  deps: TransferDeps,
  principal: string,
  { id, ttlMs = usualTtlMs, mostUses = 1, ofAll }: DownloadLink,
): Promise<MadeLink> {
  const row = await findTransfer(deps.ledger.committed, id);
  if (row === undefined || !(ofAll || isSenderOrRecipient(row, principal)))
    throw unknownTransfer(id);
  bodyOf(row, deps.clock.now());
  if (row.kind === 'folder') throw wrongState(id, 'is a folder, which no browser can unpack');
  const dek = await dekFor(deps, row, principal);
  const untilMs = Math.min(ttlMs, (row.expires_at ?? lastInstant) - deps.clock.now());
  const facts = { kind: 'download', transfer: id, most_uses: mostUses } as const;
  const sizeBytes = row.file_size_bytes;
  return make(deps, { principal, ttlMs: untilMs, dek, sizeBytes }, facts);
}

async function dekFor(
  deps: TransferDeps,
  row: TransferRow,
  principal: string,
): Promise<Uint8Array | undefined> {
  if (row.recipient === principal) return recipientDek(deps, row);
  const body = row.body === null ? undefined : await findBody(deps.ledger.committed, row.body);
  return body && senderDek(deps, body);
}

export interface UploadLink {
  /** Who gets what comes. */
  readonly recipient: string;
  readonly ttlMs?: number | undefined;
  readonly mostBytes?: number | undefined;
}

/** What comes by it is sent by the maker of the link. */
export async function uploadLink(
  deps: TransferDeps,
  principal: string,
  { recipient, ttlMs = usualTtlMs, mostBytes = usualMostBytes }: UploadLink,
): Promise<MadeLink> {
  const dek = deps.random.bytes(dekBytes);
  return make(
    deps,
    { principal, ttlMs, dek, sizeBytes: mostBytes },
    { kind: 'upload', recipient, most_bytes: mostBytes, most_uses: 1 },
  );
}

interface Making {
  readonly principal: string;
  readonly ttlMs: number;
  readonly dek: Uint8Array | undefined;
  /** What goes by it, at most. */
  readonly sizeBytes: number;
}

async function make(
  deps: TransferDeps,
  { principal, ttlMs, dek, sizeBytes }: Making,
  facts: Pick<LinkRow, 'kind' | 'most_uses'> & Partial<LinkRow>,
): Promise<MadeLink> {
  const now = deps.clock.now();
  const token = Buffer.from(deps.random.bytes(tokenBytes)).toString('base64url');
  const id = newId(now, deps.random);
  const none = { transfer: null, recipient: null, recipient_key: null, most_bytes: null };
  const base: LinkRow = {
    ...{ id, token_hash: hashOf(token), created_by: principal, ...none, ...facts },
    ...{ uses: 0, created_at: now, expires_at: now + ttlMs, revoked_at: null },
  };
  const link = await deps.ledger.transact(async (tx) => {
    const { recipient } = base;
    const sending = { sender: principal, to: [anybody], sizeBytes, counts: true };
    const refused = await refuseSending(deps, tx, sending);
    if (refused !== undefined) return refused;
    // The id of the link is that of the body which will come.
    const recipient_key =
      recipient === null || dek === undefined
        ? null
        : await wrapFor(deps, tx, { dek, body: { id }, recipient });
    const row = { ...base, recipient_key };
    await insertLink(tx, row);
    const { kind, transfer, most_uses } = row;
    const data = { kind, transfer, recipient, most_uses, expires_at: row.expires_at };
    const actor = principalIdOf(principal);
    await tx.record({ actor, kind: 'transfer.link-made', subject: `link:${id}`, data });
    return row;
  });
  if (link instanceof AosError) throw link;
  const fragment = dek === undefined ? '' : `#${Buffer.from(dek).toString('base64url')}`;
  return { ...linkView(link), path: `/l/${token}${fragment}` };
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

export function linkView(link: LinkRow): LinkView {
  const { id, kind, transfer, recipient, most_uses, uses } = link;
  return {
    ...{ id, kind, transfer, recipient, most_uses, uses },
    created_at: timeText(link.created_at),
    expires_at: timeText(link.expires_at),
    revoked: link.revoked_at !== null,
  };
}

export async function linkViews(
  sql: Sql,
  principal: string | undefined,
  page?: LinkRange,
): Promise<LinkView[]> {
  return (await listLinks(sql, principal, page)).map(linkView);
}

/** Whether a principal may know of a link; the owner of all. */
export function isLinkOf(link: LinkRow, principal: string | undefined): boolean {
  return principal === undefined || link.created_by === principal || link.recipient === principal;
}

export async function revokeLink(
  { ledger, clock }: TransferDeps,
  principal: string,
  id: string,
): Promise<LinkView> {
  return ledger.transact(async (tx) => {
    if (await revokeLinkRow(tx, id, clock.now())) {
      const data = { link: id };
      const actor = principalIdOf(principal);
      await tx.record({ actor, kind: 'transfer.revoked', subject: `link:${id}`, data });
    }
    const link = await findLink(tx, id);
    if (link === undefined) throw unknownLink();
    return linkView(link);
  });
}

export interface LinkFacts {
  readonly kind: 'download' | 'upload';
  readonly filename: string | null;
  readonly file_size_bytes: number | null;
  readonly stored_bytes: number | null;
  readonly sha256: string | null;
  readonly sealed: boolean;
  /** The first stored bytes of a sealed download: whether a key fits is seen by them. */
  readonly header: string | null;
  readonly recipient: string | null;
  readonly most_bytes: number | null;
  readonly uses_left: number;
  readonly expires_at: string;
}

export async function linkFacts(deps: TransferDeps, token: string): Promise<LinkFacts> {
  const link = await goodLink(deps, token);
  const common = {
    kind: link.kind,
    uses_left: link.most_uses - link.uses,
    expires_at: timeText(link.expires_at),
  };
  const none = { filename: null, file_size_bytes: null, stored_bytes: null, sha256: null };
  if (link.kind === 'upload') {
    const { recipient, most_bytes } = link;
    return { ...common, ...none, header: null, sealed: true, recipient, most_bytes };
  }
  const { row, hash } = await behind(deps, link);
  const { filename, file_size_bytes, stored_bytes, sha256 } = row;
  const sealed = row.recipient_key !== null;
  return {
    ...{ ...common, filename, file_size_bytes, stored_bytes, sha256, sealed },
    header: sealed ? await headerOf(deps, hash) : null,
    ...{ recipient: null, most_bytes: null },
  };
}

async function headerOf({ blobs }: TransferDeps, hash: string): Promise<string> {
  const { stream } = await blobs.get(hash, { from: 0, to: headerBytes });
  const parts: Uint8Array[] = [];
  for await (const bytes of stream) parts.push(bytes);
  return Buffer.concat(parts).toString('base64url');
}

/** Refused in the same words where it is over, used up, revoked, or was never there. */
export async function goodLink({ ledger, clock }: TransferDeps, token: string): Promise<LinkRow> {
  const link = await findGoodLink(ledger.committed, hashOf(token), clock.now());
  if (link === undefined) throw unknownLink();
  return link;
}

interface Behind {
  readonly row: TransferRow;
  readonly hash: string;
}

async function behind({ ledger, clock }: TransferDeps, link: LinkRow): Promise<Behind> {
  const row =
    link.transfer === null ? undefined : await findTransfer(ledger.committed, link.transfer);
  if (row === undefined || !isFetchable(row, clock.now())) throw unknownLink();
  return { row, hash: bodyOf(row, clock.now()).hash };
}

function isFetchable(row: TransferRow, now: Instant): boolean {
  try {
    bodyOf(row, now);
    return true;
  } catch {
    // Why it is over is nothing that a stranger is told.
    return false;
  }
}

export interface LinkBytes extends OpenBlob {
  readonly filename: string;
  readonly hash: string;
}

/** One use of it, counted before the first byte goes out. */
export async function linkBytes(deps: TransferDeps, token: string): Promise<LinkBytes> {
  const { ledger, clock, blobs } = deps;
  const link = await goodLink(deps, token);
  if (link.kind !== 'download') throw unknownLink();
  const { row, hash } = await behind(deps, link);
  const opened = await blobs.get(hash);
  const isCounted = await ledger.transact(async (tx) => {
    if (!(await useLink(tx, link.id, { now: clock.now() }))) return false;
    const data = { transfer: row.id };
    await tx.record({
      actor: 'system',
      kind: 'transfer.link-used',
      subject: `link:${link.id}`,
      data,
    });
    return true;
  });
  if (!isCounted) throw unknownLink();
  return { ...opened, hash, filename: row.filename };
}
