/** Into the trash, so that it can be had back: by `aos files undo`, or from any desktop. */

import { removeQuietly } from '../../kernel/disk/durable-file.ts';
import { isTaken } from '../../kernel/disk/errors.ts';
import { AosError } from '../../kernel/errors.ts';
import type { Disk } from '../../kernel/ports.ts';
import type { StepRun, Trashed } from '../apply/deps.ts';
import { type HeldName, moveToFree } from '../apply/put-in-place.ts';
import { bytesOnDisk } from '../paths.ts';
import { isSame, type Was } from '../plan/plan.ts';
import { plainerIfNoRoom, systemCode } from '../refusals.ts';
import { openTrashFor, printTrashInfo, type TrashFolder } from './trash-folder.ts';

export interface Unwanted extends HeldName {
  readonly path: string;
  readonly name: string;
  readonly was: Was;
}

/** Moves it there. */
export async function throwAway(run: StepRun, unwanted: Unwanted): Promise<Trashed> {
  await using trash = await openTrashFor(run.deps, unwanted.path, unwanted.was.device);
  const place = await placeInTrash(run, trash, unwanted);
  const { disk } = run.deps;
  // A crash came between the move and the note of it.
  if (await isThereAlready(disk, unwanted, place.entry)) return place.trashed;
  try {
    const kept = { folder: trash.files, entry: place.entry };
    if ((await moveToFree(disk, unwanted, kept)) === 'placed') return place.trashed;
    throw noTrashThere();
  } catch (failure) {
    await removeQuietly(disk, place.info);
    throw failure;
  }
}

/** Gives it a second name there; the first one is left to what replaces it. */
export async function keepInTrash(run: StepRun, unwanted: Unwanted): Promise<Trashed> {
  const { disk } = run.deps;
  await using trash = await openTrashFor(run.deps, unwanted.path, unwanted.was.device);
  const place = await placeInTrash(run, trash, unwanted);
  try {
    await disk.link(unwanted.entry, place.entry);
  } catch (failure) {
    const there = await disk.stat(place.entry);
    if (!isTaken(failure) || !isSame(unwanted.was, there)) {
      await removeQuietly(disk, place.info);
      throw systemCode(failure) === 'EXDEV' ? noTrashThere() : failure;
    }
  }
  return place.trashed;
}

/** The disk is the same, and mounted twice: no name goes from one mount to the other. */
function noTrashThere(): AosError {
  return new AosError('files.no-trash', {
    message: 'The trash lies behind another mount of the same disk, so I leave it where it is',
    fix: 'Go to it by the path that the trash is on, or delete it for ever: options.permanent',
  });
}

async function isThereAlready(disk: Disk, { was, entry }: Unwanted, kept: string) {
  return isSame(was, await disk.stat(kept)) && (await disk.stat(entry)) === undefined;
}

interface PlaceInTrash {
  readonly entry: string;
  readonly info: string;
  readonly trashed: Trashed;
}

/** What says where it was comes first: a file in the trash without that is lost. */
async function placeInTrash(
  run: StepRun,
  trash: TrashFolder,
  { path, name }: Unwanted,
): Promise<PlaceInTrash> {
  const { zone, clock } = run.deps;
  const kept = nameInTrash(run, name);
  const from = trash.top === '' ? path : path.slice(trash.top === '/' ? 1 : trash.top.length + 1);
  const info = `${trash.info.path}/${kept}.trashinfo`;
  await writeInfo(run, info, printTrashInfo(zone, from, clock.now()));
  return {
    entry: `${trash.files.path}/${kept}`,
    info,
    trashed: {
      file: `${trash.path}/files/${kept}`,
      info: `${trash.path}/info/${kept}.trashinfo`,
    },
  };
}

async function writeInfo({ deps, syncs }: StepRun, path: string, text: string): Promise<void> {
  try {
    await using writer = await deps.disk.create(path);
    await writer.append(Buffer.from(text));
    if (syncs) await writer.sync();
  } catch (failure) {
    // Of this very step, from before the process died: the name is of no other.
    if (isTaken(failure)) return;
    await removeQuietly(deps.disk, path);
    throw plainerIfNoRoom(failure);
  }
}

/** What a name may have, without the `.trashinfo` beside it. */
const longestName = 255 - '.trashinfo'.length;
const longestStem = 200;

/** Of the plan and the step, so that it is found again after a crash; the ending stays. */
function nameInTrash({ planId, number }: StepRun, name: string): string {
  const dot = name.lastIndexOf('.');
  const stem = dot > 0 ? name.slice(0, dot) : name;
  const ending = dot > 0 && name.length - dot <= 20 ? name.slice(dot) : '';
  const mark = `.${planId.slice(-12)}-${number.toString(36)}`;
  const room = longestName - bytesOnDisk(mark) - bytesOnDisk(ending);
  return `${cut(stem, Math.min(longestStem, room))}${mark}${ending}`;
}

/** Whole characters, at most so many bytes. */
function cut(text: string, most: number): string {
  let kept = '';
  for (const character of text) {
    if (bytesOnDisk(kept + character) > most) break;
    kept += character;
  }
  return kept;
}
