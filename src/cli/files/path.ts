/** Paths of files as they are typed on a command line. */
import { normalize } from 'node:path';
import { absolutePath } from '../../app/config/config.ts';
import { composeEngines } from '../../app/home/compose.ts';
import { withoutSymlinks } from '../../app/home/home-folder.ts';
import { isPattern } from '../../kernel/files/glob.ts';
import { oneLine } from '../../kernel/text/quote.ts';
import { agentDoor, reach } from '../core/connect.ts';
import type { Context } from '../core/context.ts';

/** Where the command was run. */
export function currentFolder(): string {
  return absolutePath('.');
}

/** What is not a whole path is meant from here; `~` is the root of the file agent. */
export function typedPath(typed: string): string {
  if (typed === '~' || typed.startsWith('~/') || typed.startsWith('/')) return typed;
  const here = currentFolder();
  if (typed === '' || typed === '.') return here;
  // Only what was typed is a pattern, whatever the folder is called.
  const folder = isPattern(typed) ? here.replaceAll(/[*?[{]/g, '[$&]') : here;
  // A slash at the end stays: it says that a folder is meant.
  return normalize(`${folder}/${typed}`);
}

export type ShowPath = (path: string) => string;

/** Paths for people to read: below the root as `~/…`, on one line. */
export async function pathsOf(context: Context): Promise<ShowPath> {
  // What `~` is outside, the program of an agent does not know.
  if (agentDoor(context) !== undefined) return oneLine;
  const { settings } = await reach(context);
  const root = await withoutSymlinks(composeEngines().disk, absolutePath(settings.filesRoot));
  return (path) => {
    if (path === root) return '~';
    const isBelow = root !== '/' && path.startsWith(`${root}/`);
    return oneLine(isBelow ? `~${path.slice(root.length)}` : path);
  };
}

export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}
