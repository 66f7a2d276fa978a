/** Whether an agent may have somebody work in a folder. */
import { deedOfParts, partsOfPath } from '../../kernel/capability/deed-text.ts';
import { authorize, deniedError, withoutAsking } from '../../security/authorize.ts';
import type { OpenHome } from './open-home.ts';

/** Throws `capability.denied`. The path is the one that no symlink is on. */
export async function checkWorkingFolder(
  { grants, ledger, realHome }: OpenHome,
  principal: string,
  path: string,
): Promise<void> {
  for (const action of ['read', 'write'] as const) {
    const deed = { ...deedOfParts(realHome, partsOfPath(path), action), subtree: true };
    const wish = { principal, deed };
    const decision = withoutAsking(await authorize(grants, ledger.committed, wish));
    if (decision.kind === 'denied') throw deniedError(wish, decision);
  }
}
