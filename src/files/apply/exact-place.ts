import type { FilePower } from '../../security/reach.ts';
import { partsOf } from '../paths.ts';
import { type FilePlace, findPlace } from '../place.ts';
import { changed } from '../refusals.ts';
import type { StepRun } from './deps.ts';

/** The very path of a step: where a symlink has come onto the way, it is another one. */
export async function exactPlace(
  { deps, caller }: StepRun,
  path: string,
  power: FilePower,
): Promise<FilePlace> {
  const place = await findPlace(deps, caller, partsOf(path), { power, last: 'keep' });
  if (place.path === path) return place;
  await place[Symbol.asyncDispose]();
  throw changed();
}
