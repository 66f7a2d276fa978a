/** The folder to look into, or the one file that was named. */
import { AosError } from '../../kernel/errors.ts';
import { parsePathPattern } from '../../kernel/files/glob.ts';
import { parsePath } from '../paths.ts';
import { type FilePlace, type FolderPlace, findFolder, findPlace } from '../place.ts';
import type { Look } from './deps.ts';

export type LookPlace =
  | { readonly kind: 'folder'; readonly folder: FolderPlace; readonly glob: readonly string[] }
  | { readonly kind: 'one'; readonly place: FilePlace };

/** Whoever gets it closes it. */
export async function lookPlace({ deps, caller, request }: Look): Promise<LookPlace> {
  const text = request.path ?? '~';
  const { folder, glob } = parsePathPattern(text);
  if (glob.length > 0) {
    const exact = await oneNamed(deps, caller, text).catch(() => undefined);
    if (exact !== undefined) return exact;
  }
  const parts = parsePath(caller.roots, glob.length === 0 ? text : folder === '' ? '~' : folder);
  try {
    return {
      kind: 'folder',
      folder: await findFolder(deps, caller, parts, { power: 'read' }),
      glob,
    };
  } catch (failure) {
    const isNone = failure instanceof AosError && /^disk\.not-a-f/.test(failure.code);
    if (!isNone || glob.length > 0) throw failure;
    const one = await oneNamed(deps, caller, text);
    if (one === undefined) throw failure;
    return one;
  }
}

async function oneNamed(deps: Look['deps'], caller: Look['caller'], text: string) {
  const parts = parsePath(caller.roots, text);
  if (parts.length === 0) return undefined;
  const place = await findPlace(deps, caller, parts, { power: 'read', last: 'follow' });
  if (place.there !== undefined && place.there.kind !== 'folder') {
    return { kind: 'one', place } as const;
  }
  await place[Symbol.asyncDispose]();
  return undefined;
}
