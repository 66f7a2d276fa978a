/** What a request that changes something comes to, step by step. Nothing is touched. */
import { AosError } from '../../kernel/errors.ts';
import type { FileRequest } from '../../kernel/files/request.ts';
import { thousands } from '../../kernel/files/words.ts';
import type { FileCaller } from '../caller.ts';
import { toFilesError } from '../codes.ts';
import type { FilesDeps } from '../deps.ts';
import type { ChangePlan } from './change-plan.ts';
import { planDelete } from './plan-delete.ts';
import { planCopy, planMove, planRename } from './plan-moves.ts';
import { planWrite } from './plan-write.ts';

export type ChangeAction = Extract<
  FileRequest['action'],
  'move_file' | 'rename_file' | 'copy_file' | 'delete_file' | 'write_file'
>;

export function isChange(action: FileRequest['action']): action is ChangeAction {
  return action in makers;
}

/** Throws `files.*`. */
export async function makePlan(
  deps: FilesDeps,
  caller: FileCaller,
  request: FileRequest,
): Promise<ChangePlan> {
  const { action } = request;
  if (!isChange(action)) throw new Error('only a change has a plan');
  try {
    const made = await makers[action](deps, caller, request);
    if (made.plan.steps.length === 0) throw nothingToDo(made);
    return made;
  } catch (failure) {
    throw toFilesError(failure);
  }
}

type Maker = (deps: FilesDeps, caller: FileCaller, request: FileRequest) => Promise<ChangePlan>;

const makers: Readonly<Record<ChangeAction, Maker>> = {
  move_file: planMove,
  rename_file: planRename,
  copy_file: planCopy,
  delete_file: planDelete,
  write_file: planWrite,
};

function nothingToDo({ plan }: ChangePlan): AosError {
  const [left] = plan.leftOut;
  const count = plan.leftOut.length;
  const stays =
    count === 1
      ? 'The only one that would fit stays where it is'
      : `All ${thousands(count)} that would fit stay where they are`;
  return new AosError('files.not-found', {
    message:
      left === undefined ? 'No file fits that, so there is nothing to do' : `${stays}: ${left.why}`,
    fix: 'Look with list_files which ones there are',
  });
}
