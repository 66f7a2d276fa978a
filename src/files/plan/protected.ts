/** What nobody moves or deletes, whatever they say yes to. */
import { AosError } from '../../kernel/errors.ts';
import type { FileCaller } from '../caller.ts';
import type { FilesDeps } from '../deps.ts';
import { isRootOrAbove, partsOf } from '../paths.ts';

type ProtectedDeps = Pick<FilesDeps, 'home' | 'trash'>;

/** What it is, where it is protected: the root, what is above it, the trash, and our own home. */
export function whyProtected(
  { home, trash }: ProtectedDeps,
  { roots }: Pick<FileCaller, 'roots'>,
  path: string,
): string | undefined {
  const parts = partsOf(path);
  if (isRootOrAbove(roots, parts)) return 'the folder that everything else is in';
  // The workspace of an agent is its own, wherever the home is.
  const isOwn = roots.slice(1).some((root) => isWithin(root, path) && path !== root);
  if (!isOwn && (isRootOrAbove([home], parts) || isWithin(home, path))) {
    return 'where Agent OS keeps its own things';
  }
  return isRootOrAbove([trash], parts) || isWithin(trash, path) ? 'where the trash is' : undefined;
}

export function checkUnprotected(
  deps: ProtectedDeps,
  caller: Pick<FileCaller, 'roots'>,
  path: string,
): void {
  const what = whyProtected(deps, caller, path);
  if (what === undefined) return;
  throw new AosError('files.protected', {
    message: `That is ${what}, which I never move, change or delete`,
    fix: 'Name something inside it',
  });
}

function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
