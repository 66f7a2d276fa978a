/**
 * What is received and not whole yet: `.aos-ID.part` in the folder where it is to be, and beside
 * it a note of what it is of and who writes it.
 *
 * P1. One writes it at a time, also within a process. A note of a process that is gone, or of a
 *     try of this one that has ended, is taken away by the process that renames it first.
 * P2. What the part has, it has whole up to its end, because it is written in order; after the
 *     machine was started anew that is not known, so it begins from nothing.
 */
import { join } from 'node:path';
import { readWholeFile, removeIfThere, removeTree } from '../../kernel/disk/durable-file.ts';
import { isMissing, isTaken } from '../../kernel/disk/errors.ts';
import { AosError } from '../../kernel/errors.ts';
import { ownPrefix } from '../../kernel/files/names.ts';
import type { Disk, DiskView, Processes, Random } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';

export interface PartDeps {
  readonly disk: Disk;
  readonly random: Random;
  readonly processes: Pick<Processes, 'selfPid' | 'startTimeOf' | 'bootId'>;
}

export interface PartOf {
  readonly folder: string;
  readonly transfer: string;
  /** Of the stored bytes. */
  readonly hash: string;
  readonly filename: string;
}

/** Its maker lets go of it when the try is over, however it went. */
export interface PartFile extends Disposable {
  readonly path: string;
  /** Whether a try before this one has left something that can be gone on with. */
  readonly isBegun: boolean;
  /** It gets its name now. */
  mark(): Promise<void>;
  /** It is whole and has its name, or is to be forgotten. */
  end(): Promise<void>;
}

interface Note {
  readonly hash: string;
  readonly boot: string | null;
  readonly pid: number;
  readonly started: string | null;
  /** By which a process knows its own tries apart. */
  readonly claim: string;
}

// P1: the claims of this process whose try is not over.
const underWay = new Set<string>();

export async function claimPart(deps: PartDeps, of: PartOf): Promise<PartFile> {
  const { disk, processes } = deps;
  const { path, notePath, markPath } = pathsOf(of);
  const before = await takeNote(deps, notePath, of);
  const boot = processes.bootId() ?? null;
  const note: Note = {
    ...{ hash: of.hash, boot, pid: processes.selfPid },
    started: processes.startTimeOf(processes.selfPid) ?? null,
    claim: hexOf(deps.random),
  };
  using failed = new DisposableStack();
  underWay.add(note.claim);
  failed.defer(() => underWay.delete(note.claim));
  await putNote(deps, notePath, note, of);
  // Of a try that did not come to the end: it says nothing of what stands there now.
  await removeIfThere(disk, markPath);
  // P2
  const isSame = before !== undefined && before.hash === of.hash && before.boot === boot;
  if (!isSame || boot === null) await removeTree(disk, path);
  const isBegun = isSame && boot !== null && (await disk.stat(path)) !== undefined;
  failed.move();
  return {
    path,
    isBegun,
    mark: async () => {
      await removeIfThere(disk, markPath);
      await using _mark = await disk.create(markPath);
    },
    end: () => clear(disk, of),
    [Symbol.dispose]: () => void underWay.delete(note.claim),
  };
}

/** The transfers of which a try that was cut off has left something in that folder. */
export async function begunIn(view: DiskView, folder: string): Promise<string[]> {
  if ((await view.stat(`${folder}/.`))?.kind !== 'folder') return [];
  const names = await view.list(folder);
  return names.flatMap((name) => /^\.aos-([0-9a-f]{32})\.note$/.exec(name)?.[1] ?? []);
}

function pathsOf({ folder, transfer }: PartOf) {
  const stem = join(folder, `${ownPrefix}${transfer}`);
  return { path: `${stem}.part`, notePath: `${stem}.note`, markPath: `${stem}.named` };
}

async function clear(disk: Disk, of: PartOf): Promise<void> {
  const { path, notePath, markPath } = pathsOf(of);
  await removeTree(disk, path);
  await removeIfThere(disk, markPath);
  await removeIfThere(disk, notePath);
}

/** Tidies up after a try that was cut off when only that was left to do. */
export async function wasNamed({ disk }: PartDeps, of: PartOf, named: string): Promise<boolean> {
  const { path, notePath, markPath } = pathsOf(of);
  if ((await noteAt(disk, notePath))?.hash !== of.hash) return false;
  const [part, whole] = [await disk.stat(path), await disk.stat(named)];
  if (whole === undefined) return false;
  const isOneFile =
    part?.kind === 'file' && part.inode === whole.inode && part.device === whole.device;
  const isMoved = part === undefined && (await disk.stat(markPath)) !== undefined;
  if (!isOneFile && !isMoved) return false;
  await clear(disk, of);
  return true;
}

/** P1: what the note of an earlier try says; it is gone then. */
async function takeNote(
  { disk, random, processes }: PartDeps,
  path: string,
  of: PartOf,
): Promise<Note | undefined> {
  if ((await disk.stat(path)) === undefined) return undefined;
  const note = await noteAt(disk, path);
  if (note !== undefined && note.started !== null) {
    const isAlive = processes.startTimeOf(note.pid) === note.started;
    const isOver = note.pid === processes.selfPid && !underWay.has(note.claim);
    if (isAlive && !isOver) throw busy(of);
  }
  const aside = asideOf(random, path);
  try {
    await disk.rename(path, aside);
    await removeIfThere(disk, aside);
  } catch (failure) {
    throw isMissing(failure) ? busy(of) : failure;
  }
  return note;
}

/** Whole from the moment it has its name. Whether it outlives a power cut is all the same: P2. */
async function putNote(
  { disk, random }: PartDeps,
  path: string,
  note: Note,
  of: PartOf,
): Promise<void> {
  const aside = asideOf(random, path);
  try {
    await using writer = await disk.create(aside);
    await writer.append(Buffer.from(`${JSON.stringify(note)}\n`));
    await disk.link(aside, path);
  } catch (failure) {
    throw isTaken(failure) ? busy(of) : failure;
  } finally {
    await removeIfThere(disk, aside);
  }
}

function asideOf(random: Random, path: string): string {
  return `${path}.${hexOf(random)}`;
}

function hexOf(random: Random): string {
  return Buffer.from(random.bytes(8)).toString('hex');
}

const noteBytes = 4096;

async function noteAt(disk: Disk, path: string): Promise<Note | undefined> {
  try {
    const found: unknown = JSON.parse(
      Buffer.from(await readWholeFile(disk, path, noteBytes)).toString(),
    );
    return isNote(found) ? found : undefined;
  } catch {
    // Whatever stands there is no note of ours, and says nothing about the part.
    return undefined;
  }
}

function isNote(found: unknown): found is Note {
  return (
    typeof found === 'object' &&
    found !== null &&
    'hash' in found &&
    'pid' in found &&
    typeof found.pid === 'number' &&
    'started' in found &&
    'boot' in found &&
    'claim' in found
  );
}

function busy({ filename }: PartOf): AosError {
  return new AosError('transfer.busy', {
    message: `${quote(filename)} is being received into the same folder already`,
    fix: 'Wait until that is done, or choose another --dest',
  });
}
