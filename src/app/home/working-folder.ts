/** Whether an agent may have somebody work in a folder. */
import { deedOfParts, partsOfPath } from '../../kernel/capability/deed-text.ts';
import { checkHeld } from '../../security/permit.ts';
import type { OpenHome } from './open-home.ts';

/** Throws `capability.denied`. The path is the one that no symlink is on. */
export async function checkWorkingFolder(
  { grants, ledger, realHome }: OpenHome,
  principal: string,
  path: string,
): Promise<void> {
  const deeds = (['read', 'write'] as const).map((action) => ({
    ...deedOfParts(realHome, partsOfPath(path), action),
    subtree: true,
  }));
  await checkHeld(grants, ledger.committed, { principal, deeds });
}
