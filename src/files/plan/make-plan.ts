/** What a request that changes something comes to, step by step. Nothing is touched. */

import { hash } from 'node:crypto';
import { AosError } from '../../kernel/errors.ts';
import { countOtherNames } from '../../kernel/files/names.ts';
import type { FileRequest } from '../../kernel/files/request.ts';
import { thousands } from '../../kernel/files/words.ts';
import { quote } from '../../kernel/text/quote.ts';
import type { FileCaller, FilesDeps } from '../deps.ts';
import { parsePath, partsOf } from '../paths.ts';
import { findPlace } from '../place.ts';
import { notRegular, permissionDenied, taken, toFilesError } from '../refusals.ts';
import { refuseUnused } from '../unused-parts.ts';
import { type ChangePlan, finished } from './change-plan.ts';
import { foldersFor } from './destination.ts';
import { checkUnprotected, isSame, type PlanStep, type WriteStep, wasOf } from './plan.ts';
import { planCopy, planMove, planRename } from './plan-moves.ts';
import { select } from './select.ts';

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
    fix: 'List the folder to see which ones there are',
  });
}

/** To the trash; for ever only for the owner. */
async function planDelete(deps: FilesDeps, caller: FileCaller, request: FileRequest) {
  const isPermanent = request.options?.permanent === true;
  if (isPermanent && caller.principal !== 'owner') throw permanentRefused();
  const selection = await select(deps, caller, request, { power: 'delete', last: 'keep' });
  const { sources, leftOut, isBatch, areNamed = !isBatch } = selection;
  if (isPermanent && sources.some(({ was }) => (was.tree?.unseen ?? 0) > 0)) throw unseenWithin();
  if (areNamed) for (const { path } of sources) await checkRealName(deps, caller, path);
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

/** A caller that says yes to a number must not lose more than that. */
function unseenWithin(): AosError {
  return new AosError('files.permission-denied', {
    message:
      'There are things in that folder that I cannot look into, so I do not delete it for ever',
    fix: 'Leave options.permanent out, or open those folders first',
  });
}

/**
 * On a disk that takes `Report.txt` for `report.txt`, a name that was never given stands for a file
 * all the same. A caller that deletes the "other one" of two names would delete the only file.
 */
async function checkRealName(deps: FilesDeps, caller: FileCaller, path: string): Promise<void> {
  const { disk } = deps;
  await using place = await findPlace(deps, caller, partsOf(path), {
    power: 'delete',
    last: 'keep',
  });
  const { name, folder, there } = place;
  const other = name === name.toLowerCase() ? name.toUpperCase() : name.toLowerCase();
  if (there === undefined || other === name) return;
  // Where the other spelling is no file, or another one, the disk tells them apart.
  const twin = await disk.stat(`${folder.path}/${other}`);
  if (!isSame(there, twin)) return;
  const names = await disk.list(`${folder.path}/.`);
  if (names.includes(name)) return;
  const real = names.find((one) => one.toLowerCase() === name.toLowerCase());
  throw new AosError('files.same-file', {
    message: `That is the same file as ${quote(real ?? other)}: this disk does not tell capitals apart`,
    fix: 'Use the name as the folder lists it',
  });
}

/** A whole file, with the folders above it that are not there yet. */
async function planWrite(deps: FilesDeps, caller: FileCaller, request: FileRequest) {
  const content = contentOf(request);
  if (request.path === undefined) throw noTarget();
  refuseUnused(request, ['filters', 'query', 'destination']);
  const parts = parsePath(caller.roots, request.path);
  const { path, makes } = await foldersFor(deps, caller, parts);
  checkUnprotected(deps, caller, path);
  const over = makes.length > 0 ? undefined : await writtenOver(deps, caller, request, path);
  const step: PlanStep = {
    ...{ do: 'write', to: path, sizeBytes: content.length, sha256: hash('sha256', content) },
    ...over,
  };
  const steps = [...makes, step];
  const made = { steps, leftOut: [], sources: [], isBatch: false, numbered: 0 };
  return { ...(await finished(deps, request, made)), content };
}

async function writtenOver(
  deps: FilesDeps,
  caller: FileCaller,
  { options }: FileRequest,
  path: string,
): Promise<Pick<WriteStep, 'replaces' | 'otherNames'> | undefined> {
  const parts = path.split('/').slice(1);
  await using place = await findPlace(deps, caller, parts, { power: 'write', last: 'follow' });
  const { there } = place;
  if (there === undefined) return undefined;
  if (there.kind === 'folder') {
    throw new AosError('files.is-a-folder', {
      message: 'That is a folder, and I can only write files',
      fix: 'Name a file in it',
    });
  }
  if (there.kind !== 'file') throw notRegular();
  if ((there.mode & 0o222) === 0) throw writeProtected();
  if (options?.on_conflict === 'fail') throw taken();
  const otherNames = await countOtherNames(deps.disk, place.entry);
  return { replaces: wasOf(there), ...(otherNames === 0 ? {} : { otherNames }) };
}

function contentOf({ content, content_base64 }: FileRequest): Uint8Array {
  if ((content === undefined) === (content_base64 === undefined)) {
    throw new AosError('files.invalid-input', {
      message: 'write_file takes either content or content_base64',
      fix: 'Say what to write in one of the two',
    });
  }
  return content === undefined ? Buffer.from(content_base64 ?? '', 'base64') : Buffer.from(content);
}

function noTarget(): AosError {
  return new AosError('files.invalid-input', {
    message: 'write_file does not say which file is meant',
    fix: 'Say it in path',
  });
}

function writeProtected(): AosError {
  return permissionDenied('It is write-protected: let its owner change that first');
}
