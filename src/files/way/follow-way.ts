/**
 * The way to a name, in folders where somebody else may swap things meanwhile.
 *
 * W1. Each folder is opened from the one before it, which is held, and never through a
 *     symlink. Whatever takes a name later, the way does not lead there.
 * W2. A symlink is read and not followed: what it says takes its place, and the way is walked
 *     again from the root. After 40 of them it is taken for a circle.
 * W3. Before anything is looked at where a symlink leads, `onTurn` is asked, which throws where
 *     the way must not go on. Who may not does not learn whether something is there.
 *
 * A weaker form where the system has no paths into a held folder (macOS): there, names are
 * looked up again at each step, and whoever swaps a folder in that moment can lead astray.
 */
import { diskError } from '../../kernel/disk/errors.ts';
import { AosError } from '../../kernel/errors.ts';
import { printFilePath } from '../../kernel/files/file-path.ts';
import type { Disk, HeldFolder } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import { withoutUp, withTarget } from './link-target.ts';
import { openOrReadLink } from './open-or-read-link.ts';

const mostTurns = 40;

export interface WayOptions<Found> {
  /** Opens the last name, and follows no symlink: one that stands there is refused. */
  readonly open: (entry: string) => Promise<Found>;
  /** What the last name should be; a file where nothing is said. */
  readonly wanted?: 'file' | 'folder' | undefined;
  /** W3 */
  readonly onTurn: (parts: readonly string[]) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Where a way has led. Whoever gets it closes `open`. */
export interface WayEnd<Found> {
  /** Without symlinks. */
  readonly parts: readonly string[];
  readonly folder: HeldFolder;
  /** The last name, in the held folder. */
  readonly entry: string;
  readonly found: Found;
  /** The folder, and what was found. */
  readonly open: AsyncDisposableStack;
  /** Of the root and of each folder on the way. */
  readonly devices: readonly string[];
}

/** Walks to the folder of a path and opens the last name there. */
export async function followWay<Found extends AsyncDisposable | undefined>(
  disk: Disk,
  path: readonly string[],
  { open, wanted = 'file', onTurn, signal }: WayOptions<Found>,
): Promise<WayEnd<Found>> {
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
  { open, wanted }: Required<Pick<WayOptions<Found>, 'open' | 'wanted'>>,
): Promise<WayEnd<Found> | Turn> {
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
