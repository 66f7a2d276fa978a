import { AosError } from '../../kernel/errors.ts';
import type { FileRequest } from '../../kernel/files/request.ts';
import type { FileCaller } from '../caller.ts';
import type { FilesDeps } from '../deps.ts';
import { finished } from './change-plan.ts';
import { checkRealName } from './real-name.ts';
import { select } from './select.ts';

/** To the trash; for ever only for the owner. */
export async function planDelete(deps: FilesDeps, caller: FileCaller, request: FileRequest) {
  const isPermanent = request.options?.permanent === true;
  if (isPermanent && caller.principal !== 'owner') throw permanentRefused();
  const selection = await select(deps, caller, request, { power: 'delete', last: 'keep' });
  const { sources, leftOut, isBatch } = selection;
  if (isPermanent && sources.some(({ was }) => (was.tree?.unseen ?? 0) > 0)) throw unseenWithin();
  if (!isBatch) for (const { path } of sources) await checkRealName(deps, caller, path);
  const steps = sources.map(({ path, was }) => ({
    ...({ do: isPermanent ? 'remove' : 'trash', from: path, was } as const),
  }));
  return finished(deps, request, { steps, leftOut, sources, isBatch, numbered: 0 });
}

function permanentRefused(): AosError {
  return new AosError('files.permanent-refused', {
    message: 'Only the owner deletes for ever; for everybody else it goes to the trash',
    fix: 'Leave options.permanent out',
  });
}

/** Who says yes to a number must not lose more than that. */
function unseenWithin(): AosError {
  return new AosError('files.permission-denied', {
    message:
      'There are things in that folder that I cannot look into, so I do not delete it for ever',
    fix: 'Leave options.permanent out, or open those folders first',
  });
}
