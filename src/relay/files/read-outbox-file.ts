/**
 * One file of an outbox, from its name to what the relay accepts. Its writer may be in the
 * middle of it, may replace it, or may mean harm:
 *
 * R1. Only an ordinary file is read, never what a symlink leads to. A folder stays where it
 *     is: what is in it is not known, nor who works there.
 * R2. A file that was not renamed out of `.pending` is read once it was not written to
 *     for 100 ms. One that stands in `.pending` too is not ready.
 * R3. It is the same before and after it was read, or it is looked at again.
 * R4. What is no message may be half of one: that is said only when it is 5 s old.
 */
import { hash } from 'node:crypto';
import type { TakenFile, TakenOrFailed } from '../../kernel/disk/bulk-disk.ts';
import { AosError } from '../../kernel/errors.ts';
import { type Message, messageLimits } from '../../kernel/message/message.ts';
import { parseMessage } from '../../kernel/message/text.ts';
import type { Clock, DiskEntry, DiskView, FileIdentity, Instant } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import { checkChecksum } from '../accept.ts';
import type { FileSource, Incoming } from '../envelope.ts';

export const settleMs = 100;
const partialMs = 5000;
/** Its writer's next step brings a notice; this is for the notice that was lost. */
const markedMs = 1000;
const unreadableMs = 30_000;

export interface ReadDeps {
  readonly disk: DiskView;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

export interface OutboxFile {
  readonly agent: string;
  /** A path into the outbox. */
  readonly folder: string;
  readonly name: string;
  /** It stands in `.pending` too, or did before it was taken. */
  readonly marked: boolean;
  /** It was seen in `.pending` just before. */
  readonly renamed: boolean;
  readonly seen: SeenOutboxFile | undefined;
  /** When it was asked for, on either clock: it may be read later, and is as old as this. */
  readonly askedAt: Instant;
  readonly askedMs: number;
}

/** How a file stood when it was looked at, and since when, on the monotonic clock. */
export interface SeenOutboxFile {
  readonly state: string;
  readonly sinceMs: number;
}

export type FileReading =
  | { readonly kind: 'incoming'; readonly incoming: Incoming; readonly stands: Standing }
  /** Seen for the first time, and too young; it may be ready after that long. */
  | { readonly kind: 'settling'; readonly waitMs: number; readonly seen: SeenOutboxFile }
  /** Not ready; to be looked at again after that long, or only when something is told of it. */
  | {
      readonly kind: 'wait';
      readonly waitMs: number | undefined;
      readonly seen?: SeenOutboxFile | undefined;
      readonly failure?: AosError | undefined;
    }
  | { readonly kind: 'gone' };

/** How the name stood when the file was read. */
export interface Standing {
  readonly sizeBytes: number;
  readonly modifiedAt: Instant;
  /** Of what could not be opened. */
  readonly kind?: Exclude<DiskEntry['kind'], 'folder'>;
  /** Both of what was opened. */
  readonly modifiedNs?: string;
  readonly inode?: string;
}

const gone: FileReading = { kind: 'gone' };

export async function judgeOutboxFile(
  deps: ReadDeps,
  file: OutboxFile,
  taken: TakenOrFailed,
): Promise<FileReading> {
  if (file.marked) return { kind: 'wait', waitMs: markedMs };
  return taken.failure === undefined ? judge(deps, file, taken) : unread(deps, file, taken.failure);
}

function judge(
  deps: ReadDeps,
  file: OutboxFile,
  { identity, bytes, changed }: TakenFile,
): FileReading {
  if (identity.sizeBytes > messageLimits.wholeBytes) {
    return asFault(file, identity, tooLarge(file, identity.sizeBytes));
  }
  const seen = seenNow(deps, file.seen, identity);
  const ageMs = ageOf(file, identity, seen);
  // An empty file is just being made (R4), and those behind it need not wait for it.
  if (identity.sizeBytes === 0 && ageMs < partialMs) {
    return { kind: 'wait', waitMs: partialMs - ageMs, seen };
  }
  // R2
  if (!file.renamed && ageMs < settleMs) {
    const kind = file.seen === undefined ? 'settling' : 'wait';
    return { kind, waitMs: settleMs - ageMs, seen };
  }
  // R3
  if (changed) return { kind: 'wait', waitMs: settleMs };
  try {
    const message = parseMessage(bytes);
    // Here too: a body that is still being written has another hash, and gets its time (R4).
    checkChecksum(message);
    checkNameHash(file, bytes, message);
    const incoming = { sender: file.agent, message, source: sourceOf(file, identity) };
    return { kind: 'incoming', incoming, stands: identity };
  } catch (failure) {
    if (!(failure instanceof AosError)) throw failure;
    // R4
    if (ageMs < partialMs) return { kind: 'wait', waitMs: partialMs - ageMs, seen };
    return asFault(file, identity, failure);
  }
}

function seenNow(
  { clock }: ReadDeps,
  seen: SeenOutboxFile | undefined,
  now: FileIdentity,
): SeenOutboxFile {
  const state = `${now.inode} ${now.sizeBytes} ${now.modifiedNs}`;
  return seen?.state === state ? seen : { state, sinceMs: clock.monotonicMs() };
}

// A time of change that is still to come says nothing: then what counts is for how long
// the file has been seen as it is.
function ageOf(
  file: OutboxFile,
  { modifiedAt }: FileIdentity,
  { sinceMs }: SeenOutboxFile,
): number {
  return Math.max(file.askedAt - modifiedAt, file.askedMs - sinceMs);
}

const hashInName = /[-.]([0-9a-f]{64})\.msg$/i;

function checkNameHash({ name }: OutboxFile, bytes: Uint8Array, message: Message): void {
  const named = hashInName.exec(name)?.[1]?.toLowerCase();
  if (named === undefined) return;
  const body = () => hash('sha256', message.body);
  if (hash('sha256', bytes) === named || body() === named) return;
  throw new AosError('message.checksum', {
    message: `The file ${quote(name)} has a hash in its name that is neither its own nor its body's`,
    fix: 'Write the file again under the SHA-256 of what is in it, or without a hash in its name',
  });
}

function asFault(file: OutboxFile, identity: FileIdentity, fault: AosError): FileReading {
  const incoming = { sender: file.agent, source: sourceOf(file, identity), fault };
  return { kind: 'incoming', incoming, stands: identity };
}

function sourceOf(
  { agent, name }: OutboxFile,
  { sizeBytes, modifiedNs, inode }: Pick<FileIdentity, 'sizeBytes' | 'modifiedNs' | 'inode'>,
): FileSource {
  const path = `agents/${agent}/outbox/${name}`;
  return { path, stem: name.slice(0, -'.msg'.length), sizeBytes, modifiedNs, inode };
}

/** What cannot be read: gone, no file at all (R1), closed to us, or a fault of the disk. */
async function unread(deps: ReadDeps, file: OutboxFile, failure: AosError): Promise<FileReading> {
  const { code } = failure;
  if (code === 'disk.missing') return gone;
  // Other files may be sound.
  if (code === 'disk.failed') return { kind: 'wait', waitMs: unreadableMs, failure };
  // The look at the whole outbox has to wait: nothing can be opened now.
  if (code !== 'disk.not-a-file' && code !== 'disk.denied') throw failure;
  const entry = await deps.disk.stat(`${file.folder}/${file.name}`);
  if (entry === undefined) return gone;
  const { kind, sizeBytes, modifiedAt } = entry;
  // R1
  if (kind === 'folder') {
    return { kind: 'wait', waitMs: unreadableMs, failure: noFile(file, kind) };
  }
  const ageMs = file.askedAt - modifiedAt;
  if (kind === 'file' && ageMs < partialMs) {
    return { kind: 'wait', waitMs: Math.min(partialMs - ageMs, unreadableMs) };
  }
  const source = sourceOf(file, { sizeBytes, modifiedNs: `${modifiedAt}000000`, inode: '0' });
  const fault = kind === 'file' ? closedToUs(file) : noFile(file, kind);
  const stands = { kind, sizeBytes, modifiedAt };
  return { kind: 'incoming', incoming: { sender: file.agent, source, fault }, stands };
}

const kindWords = { symlink: 'a symlink', folder: 'a folder', other: 'a pipe, socket or device' };

function noFile({ name }: OutboxFile, kind: 'symlink' | 'folder' | 'other'): AosError {
  return new AosError('message.malformed', {
    message: `${quote(name)} in the outbox is ${kindWords[kind]}, and only ordinary files are read`,
    fix: 'Write the message to an ordinary file in .pending, then move it into the outbox',
  });
}

function closedToUs({ name }: OutboxFile): AosError {
  return new AosError('message.malformed', {
    message: `The file ${quote(name)} in the outbox may not be read`,
    fix: 'Write it again with the mode 600, as the user whose home folder it is',
  });
}

function tooLarge({ name }: OutboxFile, sizeBytes: number): AosError {
  return new AosError('message.too-large', {
    message: `The file ${quote(name)} has ${sizeBytes} bytes, and a message has at most ${messageLimits.wholeBytes}`,
    fix: 'Store what is large as an attachment, and name it with ATTACHMENT: sha256:…',
  });
}
