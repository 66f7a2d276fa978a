import { AosError } from '../kernel/errors.ts';

/** The trash and the indexes are the owner's: they tell of files that others may not know of. */
export function checkOwner({ principal }: { readonly principal: string }): void {
  if (principal === 'owner') return;
  throw new AosError('files.permission-denied', {
    message: 'Only the owner may do that',
    fix: 'An agent takes back its own plans with undo_plan, and searches what it may read',
  });
}
