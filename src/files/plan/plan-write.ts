import { hash } from 'node:crypto';
import { AosError } from '../../kernel/errors.ts';
import { countOtherNames } from '../../kernel/files/names.ts';
import type { FileRequest } from '../../kernel/files/request.ts';
import type { FileCaller } from '../caller.ts';
import type { FilesDeps } from '../deps.ts';
import { parsePath } from '../paths.ts';
import { findPlace } from '../place.ts';
import { notRegular, permissionDenied, taken } from '../refusals.ts';
import { refuseUnused } from '../unused-parts.ts';
import { finished } from './change-plan.ts';
import { foldersFor } from './destination.ts';
import { type Step, type WriteStep, wasOf } from './plan.ts';
import { checkUnprotected } from './protected.ts';

/** A whole file, with the folders above it that are not there yet. */
export async function planWrite(deps: FilesDeps, caller: FileCaller, request: FileRequest) {
  const content = contentOf(request);
  if (request.path === undefined) throw noTarget();
  refuseUnused(request, ['filters', 'query', 'destination']);
  const parts = parsePath(caller.roots, request.path);
  const { path, makes } = await foldersFor(deps, caller, parts);
  checkUnprotected(deps, caller, path);
  const over = makes.length > 0 ? undefined : await writtenOver(deps, caller, request, path);
  const step: Step = {
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
