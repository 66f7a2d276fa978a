import { fileManifest, moreManifest } from '../../files/manifest.ts';
import { answerOfFailure, answerOfOutcome } from '../../toolbox/files/answer-of-outcome.ts';
import type { Answer } from '../contract.ts';
import { actingPrincipal } from '../parties.ts';
import type { Call, Handles, RouteDeps } from './handlers.ts';

export function fileRoutes(deps: RouteDeps): Handles<'fileManifest' | 'runFiles'> {
  return {
    fileManifest: () => ({
      manifest: { ...fileManifest, ...listsOf(fileManifest) },
      more: { ...moreManifest, ...listsOf(moreManifest) },
    }),
    runFiles: (call) => runFiles(deps, call),
  };
}

type Manifest = typeof fileManifest | typeof moreManifest;

function listsOf({ permissions, optional_permissions, actions }: Manifest) {
  return {
    permissions: [...permissions],
    optional_permissions: [...optional_permissions],
    actions: [...actions],
  };
}

async function runFiles(
  { calls, ledger }: RouteDeps,
  { caller, query, body, request }: Call<'runFiles'>,
): Promise<Answer<'runFiles'>> {
  const { action, ...args } = body;
  const principal = await actingPrincipal(ledger, caller, query.as);
  const header = request.headers['idempotency-key'];
  const key = header === undefined ? undefined : String(header);
  try {
    const outcome = await calls.call({ principal, tool: `files.${action}`, args, key });
    return await answerOfOutcome(ledger.committed, outcome);
  } catch (failure) {
    return answerOfFailure(failure);
  }
}
