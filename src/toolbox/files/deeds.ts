/** What a request wants to do, as capabilities see it, by the places that it names. */

import { parsePath, type Roots } from '../../files/paths.ts';
import type { Deed } from '../../kernel/capability/capability.ts';
import { deedOfParts } from '../../kernel/capability/deed-text.ts';
import { parsePathPattern } from '../../kernel/files/glob.ts';
import type { FileAction, FileRequest } from '../../kernel/files/request.ts';

type Power = 'read' | 'write' | 'move' | 'delete';

const powers: Readonly<Record<FileAction, { readonly path: Power; readonly destination?: Power }>> =
  {
    list_files: { path: 'read' },
    read_file: { path: 'read' },
    write_file: { path: 'write' },
    move_file: { path: 'move', destination: 'move' },
    rename_file: { path: 'move' },
    copy_file: { path: 'read', destination: 'write' },
    delete_file: { path: 'delete' },
    search_files: { path: 'read' },
    get_metadata: { path: 'read' },
    get_disk_usage: { path: 'read' },
  };

export interface DeedPlaces {
  readonly root: string;
  /** The folder of Agent OS. */
  readonly home: string;
}

/** Each file that turns out to be meant is looked at by itself later. Throws `files.*`. */
export function deedsOf({ root, home }: DeedPlaces, request: FileRequest): readonly Deed[] {
  // Who is in a workspace, and may, is told by the grants.
  const roots: Roots = [root, `${home}/agents`];
  const { path: power, destination: power2 } = powers[request.action];
  const { folder, glob } = parsePathPattern(request.path ?? '~');
  const place = glob.length === 0 ? (request.path ?? '~') : folder === '' ? '~' : folder;
  const deeds = [deedOfParts(home, parsePath(roots, place), power)];
  if (power2 === undefined || request.destination === undefined) return deeds;
  return [...deeds, deedOfParts(home, parsePath(roots, request.destination), power2)];
}
