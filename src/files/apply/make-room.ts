/** What has the name that something else gets, because somebody said yes to that. */
import type { FilePlace } from '../place.ts';
import { isStill, type Was } from '../plan/plan.ts';
import { changed } from '../refusals.ts';
import { takeBack } from '../trash/take-back.ts';
import { keepInTrash, throwAway } from '../trash/throw-away.ts';
import type { Room, StepNote, StepRun } from './deps.ts';

/** Makes room for something; where that fails, what had the name keeps it. */
export async function inRoom(
  run: StepRun,
  to: FilePlace,
  wish: { readonly replaces: Was | undefined; readonly kind: Was['kind'] },
  work: (room: Room) => Promise<StepNote>,
): Promise<StepNote> {
  const room = await makeRoom(run, to, wish);
  try {
    return await work(room);
  } catch (failure) {
    await takeBack(run, to, room).catch(() => {});
    throw failure;
  }
}

/** A file is replaced in one act; where a folder is one of the two, the old one goes first. */
async function makeRoom(
  run: StepRun,
  to: FilePlace,
  { replaces, kind }: { readonly replaces: Was | undefined; readonly kind: Was['kind'] },
): Promise<Room> {
  if (replaces === undefined) return {};
  const isSwap = replaces.kind !== 'folder' && kind !== 'folder';
  const known = run.before?.trashed;
  if (known !== undefined) {
    const isLeft = isStill(replaces, to.there);
    return { trashed: known, ...(isSwap && isLeft ? { over: replaces } : {}) };
  }
  // A crash came between the move to the trash and the note of it: the trash finds it there.
  const isGone = run.before !== undefined && !isSwap && to.there === undefined;
  if (!isGone && !isStill(replaces, to.there)) throw changed();
  const unwanted = { ...to, was: replaces };
  const trashed = await (isSwap ? keepInTrash(run, unwanted) : throwAway(run, unwanted));
  await run.note({ trashed });
  return { trashed, ...(isSwap ? { over: replaces } : {}) };
}
