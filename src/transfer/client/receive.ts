/**
 * Receiving: the key and the place from the home, opened and checked stretch by stretch into a
 * part, which gets its name when it is whole. Killed at any line, the same command goes on where
 * it was; what was changed in the store never gets the name.
 */
import { createHash } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import type { StretchWorks } from '../../blobs/seal/stretch.ts';
import { removeTree } from '../../kernel/disk/durable-file.ts';
import { isTaken } from '../../kernel/disk/errors.ts';
import { AosError, type ErrorCode } from '../../kernel/errors.ts';
import { checkFileName } from '../../kernel/files/names.ts';
import type { Clock, Disk, Processes, Random, TreeDisk } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import type { OpenedTransfer, ReceiveCalls, TransferView, UseHome } from '../calls.ts';
import { WorksHash } from './measure.ts';
import {
  type BodyParts,
  localBytes,
  openBody,
  remoteBytes,
  type SealedBytes,
} from './open-body.ts';
import {
  gaveUp,
  isPassing,
  paceOf,
  type Received,
  type ReceiveOptions,
  withRetries,
} from './options.ts';
import { claimPart, type PartFile, wasNamed } from './part.ts';
import {
  FolderTarget,
  fileTarget,
  makeFolders,
  type ReceiveTarget,
  readFolderList,
} from './targets.ts';

export interface ReceiveDeps {
  readonly disk: Disk;
  readonly tree: TreeDisk;
  readonly clock: Clock;
  readonly random: Random;
  readonly processes: Pick<Processes, 'selfPid' | 'startTimeOf' | 'bootId'>;
  readonly use: UseHome<ReceiveCalls>;
  /** As whom, where that is not clear from how the home is reached. */
  readonly as: string | undefined;
  openWorks(sizeBytes: number | null): StretchWorks;
}

/** A store that was changed, or lost what it had. */
const damages: readonly ErrorCode[] = ['blob.corrupt', 'blob.missing'];

export async function receive(
  deps: ReceiveDeps,
  id: string,
  options: ReceiveOptions & { readonly dest: string },
): Promise<Received> {
  const opened = await open(deps, id, options);
  const { transfer } = opened;
  const name = options.name ?? transfer.filename;
  checkFileName(name, (shown, rule) => unsafeName(transfer, shown, rule));
  const folder = resolve(options.dest);
  const path = resolve(folder, name);
  await makeFolders(deps.disk, folder);
  const of = { folder, transfer: transfer.id, hash: opened.hash, filename: name };
  if (await wasNamed(deps, of, path)) {
    const done = await settle(deps, transfer.id, options);
    return { transfer: done, path, resumedBytes: transfer.file_size_bytes };
  }
  if (options.force !== true) await refuseTaken(deps.disk, path);
  using part = await claimPart(deps, of);
  const state = { resumedBytes: -1 };
  await trying(deps, opened, options, part, async () => {
    const { keptBytes, isWhole } = await receiveInto(deps, opened, part, options);
    if (state.resumedBytes < 0) state.resumedBytes = keptBytes;
    if (isWhole) return;
    // Which of the bytes are wrong is not known.
    await removeTree(deps.disk, part.path);
    throw notSaid();
  });
  // Before it has its name: what was taken back meanwhile does not get one. Killed in between,
  // the same command finds the whole part.
  const done = await settled(deps, transfer.id, { part, options });
  await giveName(deps, { part, path, force: options.force === true });
  await part.end();
  return { transfer: done, path, resumedBytes: state.resumedBytes };
}

/** What is over is not gone on with. */
async function settled(
  deps: ReceiveDeps,
  id: string,
  { part, options }: { readonly part: PartFile; readonly options: ReceiveOptions },
): Promise<TransferView> {
  try {
    return await settle(deps, id, options);
  } catch (failure) {
    if (failure instanceof AosError && over.includes(failure.code)) await part.end();
    throw failure;
  }
}

const over: readonly ErrorCode[] = ['transfer.over', 'transfer.wrong-state', 'transfer.unknown'];

/** To a consumer of bytes, in their order; what was handed out was whole up to there. */
export async function receiveTo(
  deps: ReceiveDeps,
  id: string,
  sink: (bytes: Uint8Array) => Promise<void>,
  options: Omit<ReceiveOptions, 'dest' | 'name' | 'force'> = {},
): Promise<TransferView> {
  const opened = await open(deps, id, options);
  if (opened.transfer.kind === 'folder') throw notOneFile(opened.transfer);
  const whole = createHash('sha256');
  let position = 0;
  await trying(deps, opened, options, undefined, async () => {
    await using works = deps.openWorks(opened.transfer.file_size_bytes);
    await using stored = await storedBytesOf(deps, opened, options);
    const take = async (bytes: Uint8Array): Promise<void> => {
      await sink(bytes);
      whole.update(bytes);
      position += bytes.length;
    };
    const { signal } = options;
    await openBody({ works, stored, opened }, { from: position, signal, take });
  });
  // What was handed out cannot be taken back: there is nothing to try again.
  if (!isSaid(opened, whole.digest('hex'))) throw await failed(deps, opened.transfer, notSaid());
  return settle(deps, opened.transfer.id, options);
}

function open(deps: ReceiveDeps, id: string, { signal }: ReceiveOptions): Promise<OpenedTransfer> {
  const { use, as } = deps;
  return withRetries(deps, { signal }, () =>
    use((calls) => calls.openTransfer(id, { as }, { signal })),
  );
}

function settle(deps: ReceiveDeps, id: string, { signal }: ReceiveOptions): Promise<TransferView> {
  const { use, as } = deps;
  return withRetries(deps, { signal }, () =>
    use((calls) => calls.verifyTransfer(id, { as }, { signal })),
  );
}

/**
 * What is damaged is fetched once more, at once: it may have been damaged on the way, or in what
 * an earlier try has left here. Stored bytes that are wrong do not get better by waiting.
 */
async function trying(
  deps: ReceiveDeps,
  { transfer }: OpenedTransfer,
  { signal }: ReceiveOptions,
  part: PartFile | undefined,
  attempt: () => Promise<void>,
): Promise<void> {
  let wasDamaged = false;
  try {
    await withRetries(deps, { signal }, () =>
      attempt().catch((failure: unknown) => {
        signal?.throwIfAborted();
        if (!isDamage(failure) || wasDamaged) throw failure;
        wasDamaged = true;
        return attempt();
      }),
    );
  } catch (failure) {
    // What is refused is not gone on with.
    if (isRefused(failure)) await part?.end();
    if (!isPassing(failure, damages)) throw failure;
    if (damages.includes(failure.code)) await part?.end();
    throw await failed(deps, transfer, failure);
  }
}

/** What is said of it, once the home has been told. */
async function failed(
  { use, as }: ReceiveDeps,
  transfer: TransferView,
  failure: AosError,
): Promise<AosError> {
  const reason = failure.message;
  // The failure that led here is the one to hear of.
  await use((calls) => calls.failTransfer(transfer.id, { as, reason })).catch(() => {});
  return damages.includes(failure.code)
    ? corrupt(transfer, failure)
    : gaveUp(`Receiving ${quote(transfer.filename)}`, failure);
}

function isDamage(failure: unknown): boolean {
  return failure instanceof AosError && damages.includes(failure.code);
}

function isRefused(failure: unknown): boolean {
  if (!(failure instanceof AosError)) return false;
  return failure.code === 'transfer.bad-folder' || over.includes(failure.code);
}

interface ReceivedPart {
  /** Of a try before this one. */
  readonly keptBytes: number;
  readonly isWhole: boolean;
}

async function receiveInto(
  deps: ReceiveDeps,
  opened: OpenedTransfer,
  part: PartFile,
  options: ReceiveOptions,
): Promise<ReceivedPart> {
  const { transfer } = opened;
  const { signal, onProgress } = options;
  await using works = deps.openWorks(transfer.file_size_bytes);
  await using stored = await storedBytesOf(deps, opened, options);
  const body: BodyParts = { works, stored, opened };
  const pace = paceOf(deps.clock, options.limitBytesPerSecond);
  await using target = await targetOf(deps, body, part, options);
  const { keptBytes } = target;
  const hash = await wholeHash(works, opened, target);
  const totalBytes = transfer.file_size_bytes;
  await openBody(body, {
    from: target.position,
    ...{ signal, hash },
    take: async (bytes, offset) => {
      await pace.take(bytes.length, signal);
      await target.write(bytes);
      onProgress?.({ phase: 'receiving', doneBytes: offset + bytes.length, totalBytes });
    },
  });
  const isWhole = hash === undefined || isSaid(opened, await hash.end());
  if (isWhole) await target.end();
  return { keptBytes, isWhole };
}

/**
 * Of what is there already, to be gone on with. A sealed body that is gone on with has none: each
 * of its chunks is right by itself and in its place, and to read all again would take as long as
 * to receive it. In one that is not sealed, nothing else tells what was changed.
 */
async function wholeHash(
  works: StretchWorks,
  { dek }: OpenedTransfer,
  target: Pick<ReceiveTarget, 'keptBytes' | 'kept'>,
): Promise<WorksHash | undefined> {
  if (dek !== null && target.keptBytes > 0) return undefined;
  const hash = await WorksHash.begin(works);
  await hash.feed(target.kept());
  return hash;
}

async function targetOf(
  deps: ReceiveDeps,
  body: BodyParts,
  part: PartFile,
  options: ReceiveOptions,
): Promise<ReceiveTarget> {
  if (body.opened.transfer.kind === 'folder') {
    return FolderTarget.open(deps, part.path, await readFolderList(body, options));
  }
  const isThere = (await deps.disk.stat(part.path)) !== undefined;
  return fileTarget(deps.disk, part.path, isThere);
}

function storedBytesOf(
  { disk, use, as }: ReceiveDeps,
  opened: OpenedTransfer,
  { signal }: ReceiveOptions,
): Promise<SealedBytes> | SealedBytes {
  return opened.local === null
    ? remoteBytes(use, opened, { as, signal })
    : localBytes(disk, opened.local);
}

/** Whether the sender sent what it said. */
function isSaid({ transfer: { sha256 } }: OpenedTransfer, found: string): boolean {
  return sha256 === null || found === sha256;
}

function notSaid(): AosError {
  return new AosError('blob.corrupt', {
    message: 'The bytes are not those that the sender said',
    fix: 'Have them sent again',
  });
}

interface Naming {
  readonly part: PartFile;
  readonly path: string;
  readonly force: boolean;
}

/** A file gets its name by a second link, which never replaces what is there. */
async function giveName({ disk, random }: ReceiveDeps, naming: Naming): Promise<void> {
  const { part, path, force } = naming;
  const isFolder = (await disk.stat(part.path))?.kind === 'folder';
  if (isFolder) await part.mark();
  const there = await disk.stat(path);
  if (!force) {
    if (isFolder) {
      await refuseTaken(disk, path);
      await disk.rename(part.path, path);
    } else await linkOnce(disk, part.path, path);
  } else if (there === undefined || (!isFolder && there.kind !== 'folder')) {
    await disk.rename(part.path, path);
  } else {
    const aside = `${part.path}.${Buffer.from(random.bytes(8)).toString('hex')}`;
    await disk.rename(path, aside);
    await disk.rename(part.path, path);
    await removeTree(disk, aside);
  }
  // Not the folder's own path, which may be a symlink to it.
  await disk.syncFolder(`${dirname(path)}/.`);
}

async function linkOnce(disk: Disk, from: string, to: string): Promise<void> {
  try {
    await disk.link(from, to);
  } catch (failure) {
    throw isTaken(failure) ? taken(to) : failure;
  }
}

async function refuseTaken(disk: Disk, path: string): Promise<void> {
  if ((await disk.stat(path)) !== undefined) throw taken(path);
}

function taken(path: string): AosError {
  return new AosError('transfer.exists', {
    message: `Something stands at ${quote(path)} already, and nothing is replaced`,
    fix: 'Replace it with --force, or receive it elsewhere with --dest or --name',
  });
}

function unsafeName({ sender }: TransferView, shown: string, rule: string): AosError {
  return new AosError('transfer.bad-name', {
    message: `What ${sender} sent cannot be received as ${shown}: ${rule}`,
    fix: 'Give it another with --name',
  });
}

function notOneFile({ filename }: TransferView): AosError {
  return new AosError('transfer.wrong-state', {
    message: `${quote(filename)} is a folder, and cannot be written to one stream`,
    fix: 'Receive it into a folder, with --dest',
  });
}

function corrupt({ filename, sender }: TransferView, cause: AosError): AosError {
  return new AosError('transfer.corrupt', {
    message: `${quote(filename)} is corrupt and was not received. ${cause.message}`,
    fix: `Ask ${sender} to send it again`,
    cause,
  });
}
