import { checkedRequest } from '../../files/input.ts';
import { fileManifest, moreManifest } from '../../files/manifest.ts';
import { answerOfFailure, answerOfOutcome } from '../../toolbox/files/answer-of-outcome.ts';
import type { Answer } from '../contract/contract.ts';
import { actingPrincipal } from '../server/parties.ts';
import type { Call, Handles, RouteDeps } from './handlers.ts';
import { signalOfCaller } from './tools.ts';

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
  deps: RouteDeps,
  { caller, query, body, request, reply }: Call<'runFiles'>,
): Promise<Answer<'runFiles'>> {
  const { calls, ledger } = deps;
  const principal = await actingPrincipal(ledger, caller, query.as);
  const header = request.headers['idempotency-key'];
  const key = header === undefined ? undefined : String(header);
  try {
    const { action, ...args } = checkedRequest(body);
    const tool = `files.${action}`;
    const signal = signalOfCaller(deps, { principal, tool, reply });
    const outcome = await calls.call({ principal, tool, args, key, signal });
    return await answerOfOutcome(ledger.committed, outcome);
  } catch (failure) {
    return answerOfFailure(failure);
  }
}
