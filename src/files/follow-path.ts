/**
 * Following a path to a name, in folders where another process may swap things meanwhile.
 *
 * W1. Each folder is opened from the one before it, which is held, and never through a symlink.
 *     Whatever takes a name later, the path does not lead there.
 * W2. A symlink is read and not followed: what it says takes its place, and the path is walked
 *     again from the root. After 40 of them it is taken for a circle.
 * W3. Before anything is looked at where a symlink leads, `onTurn` is asked, which throws where the
 *     path must not go on. A caller that may not go on does not learn whether something is there.
 *
 * A weaker form where the system has no paths into a held folder (macOS): there, names are looked
 * up again at each step, and a process that swaps a folder in that moment can lead astray.
 */
import { diskError } from '../kernel/disk/errors.ts';
import { AosError, hasCode } from '../kernel/errors.ts';
import { longestPathBytes, printFilePath } from '../kernel/files/file-path.ts';
import type { Disk, HeldFolder } from '../kernel/ports.ts';
import { quote } from '../kernel/text/quote.ts';

const mostTurns = 40;

export interface PathOptions<Found> {
  /** Opens the last name, and follows no symlink: one that stands there is refused. */
  readonly open: (entry: string) => Promise<Found>;
  /** What the last name should be; a file where nothing is said. */
  readonly wanted?: 'file' | 'folder' | undefined;
  /** W3 */
  readonly onTurn: (parts: readonly string[]) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Where a path has led. The caller that gets it closes `open`. */
export interface PathEnd<Found> {
  /** Without symlinks. */
  readonly parts: readonly string[];
  readonly folder: HeldFolder;
  /** The last name, in the held folder. */
  readonly entry: string;
  readonly found: Found;
  /** The folder, and what was found. */
  readonly open: AsyncDisposableStack;
  /** Of the root and of each folder on the path. */
  readonly devices: readonly string[];
}

/** Walks to the folder of a path and opens the last name there. */
export async function followPath<Found extends AsyncDisposable | undefined>(
  disk: Disk,
  path: readonly string[],
  { open, wanted = 'file', onTurn, signal }: PathOptions<Found>,
): Promise<PathEnd<Found>> {
  let parts = path;
  for (let turns = 0; turns <= mostTurns; turns++) {
    signal.throwIfAborted();
    const step = await walkOnce(disk, parts, { open, wanted });
    if (!('turn' in step)) return step;
    parts = step.turn;
    await onTurn(parts);
  }
  throw new AosError('file.missing', {
    message: `${quote(printFilePath(path))} leads over more than ${mostTurns} symlinks`,
    fix: 'Name the file by its path without symlinks',
  });
}

/** W2: this is to be walked instead. */
interface Turn {
  readonly turn: readonly string[];
}

async function walkOnce<Found extends AsyncDisposable | undefined>(
  disk: Disk,
  parts: readonly string[],
  { open, wanted }: Required<Pick<PathOptions<Found>, 'open' | 'wanted'>>,
): Promise<PathEnd<Found> | Turn> {
  const up = parts.indexOf('..');
  const held = await holdFolders(disk, parts.slice(0, up === -1 ? -1 : up));
  if ('target' in held) return { turn: withTarget(parts, held.index, held.target) };
  await using stack = new AsyncDisposableStack();
  stack.use(held.folder);
  if (up !== -1) return { turn: withoutUp(parts, up) };
  const name = parts.at(-1);
  if (name === undefined) throw diskError('EISDIR', '/');
  const entry = `${held.folder.path}/${name}`;
  const last = await openOrReadLink(disk, entry, wanted ?? 'file', open);
  if ('target' in last) return { turn: withTarget(parts, parts.length - 1, last.target) };
  stack.use(last.opened);
  return { parts, ...held, entry, found: last.opened, open: stack.move() };
}

interface HeldFolders {
  /** The last one; those before it are closed again. */
  readonly folder: HeldFolder;
  readonly devices: readonly string[];
}

/** W1 */
async function holdFolders(
  disk: Disk,
  names: readonly string[],
): Promise<HeldFolders | { readonly index: number; readonly target: string }> {
  let folder = await disk.holdFolder('/');
  const devices = [folder.device];
  for (const [index, name] of names.entries()) {
    await using held = folder;
    const next = await openOrReadLink(disk, `${held.path}/${name}`, 'folder', (path) =>
      disk.holdFolder(path),
    );
    if ('target' in next) return { index, target: next.target };
    folder = next.opened;
    devices.push(folder.device);
  }
  return { folder, devices };
}

/**
 * Opens what stands at an entry, or tells where the symlink leads that stands there. Opening comes
 * first, and follows no symlink: code that looks first opens what is there a moment later.
 */
async function openOrReadLink<Opened>(
  disk: Disk,
  entry: string,
  wanted: 'file' | 'folder',
  open: (entry: string) => Promise<Opened>,
): Promise<{ readonly opened: Opened } | { readonly target: string }> {
  try {
    return { opened: await open(entry) };
  } catch (failure) {
    // Which of the two is said of a symlink depends on the system.
    if (!hasCode(failure, 'disk.not-a-folder') && !hasCode(failure, 'disk.not-a-file'))
      throw failure;
    return { target: await linkAt(disk, entry, wanted, failure) };
  }
}

async function linkAt(
  disk: Disk,
  entry: string,
  wanted: 'file' | 'folder',
  firstFailure: unknown,
): Promise<string> {
  try {
    return await disk.readLink(entry);
  } catch (failure) {
    if (!hasCode(failure, 'disk.bad-name')) throw failure;
    // It is no symlink; but it was one before, if it is what was wanted now.
    const now = await disk.stat(entry);
    throw now?.kind === wanted ? changed() : firstFailure;
  }
}

function changed(): AosError {
  return new AosError('file.changed', {
    message: 'Somebody changed the way to the file while it was walked',
    fix: 'Try again',
  });
}

/** The folder of a path that no symlink was on; undefined where it is gone, or one is on it now. */
export async function holdExactly(disk: Disk, path: string): Promise<HeldFolder | undefined> {
  const parts = path.split('/').filter((name) => name !== '');
  if (parts.length === 0) return disk.holdFolder('/');
  try {
    const { found, open } = await followPath(disk, parts, {
      open: (entry) => disk.holdFolder(entry),
      wanted: 'folder',
      onTurn: async () => {
        throw new AosError('file.changed', { message: 'A symlink has come onto the way' });
      },
      signal: new AbortController().signal,
    });
    return { ...found, [Symbol.asyncDispose]: () => open.disposeAsync() };
  } catch (failure) {
    if (failure instanceof AosError) return undefined;
    throw failure;
  }
}

// Where a path goes on behind a symlink. Names only: nothing here looks at the disk.

/** The way with what a symlink says in the place of the symlink, which is the part at `index`. */
export function withTarget(
  parts: readonly string[],
  index: number,
  target: string,
): readonly string[] {
  const behind = target.startsWith('/') ? [] : parts.slice(0, index);
  const ahead = target.split('/').filter((name) => name !== '' && name !== '.');
  // What is behind was walked, and is no symlink: there, the folder above is the name before.
  const firstName = ahead.findIndex((name) => name !== '..');
  const ups = firstName === -1 ? ahead.length : firstName;
  const kept = behind.slice(0, Math.max(0, behind.length - ups));
  return checkLength([...kept, ...ahead.slice(ups), ...parts.slice(index + 1)]);
}

/** Like withTarget(), for a `..` at `index`, once all before it was walked. */
export function withoutUp(parts: readonly string[], index: number): readonly string[] {
  return [...parts.slice(0, Math.max(0, index - 1)), ...parts.slice(index + 1)];
}

/**
 * The places that the path comes to: its end, and before that wherever it turns back up. The second
 * kind tells something too, as whether there is a folder.
 */
export function* placesOn(parts: readonly string[]): Generator<readonly string[]> {
  const names: string[] = [];
  for (const name of parts) {
    if (name !== '..') names.push(name);
    else {
      yield [...names];
      names.pop();
    }
  }
  yield names;
}

// A few symlinks that lead to each other often enough would make it longer and longer.
function checkLength(parts: readonly string[]): readonly string[] {
  if (Buffer.byteLength(printFilePath(parts)) <= longestPathBytes) return parts;
  throw new AosError('file.bad-path', {
    message: `The path leads over symlinks to one of more than ${longestPathBytes} bytes`,
    fix: 'Name the file by the path without symlinks',
  });
}
