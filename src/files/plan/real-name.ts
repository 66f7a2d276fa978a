/**
 * On a disk that takes `Report.txt` for `report.txt`, a name that nobody gave stands for a file
 * all the same. Who deletes the "other one" of two names would delete the only file.
 */
import { AosError } from '../../kernel/errors.ts';
import { quote } from '../../kernel/text/quote.ts';
import type { FileCaller } from '../caller.ts';
import type { FilesDeps } from '../deps.ts';
import { partsOf } from '../paths.ts';
import { findPlace } from '../place.ts';
import { isSame } from './plan.ts';

export async function checkRealName(
  deps: FilesDeps,
  caller: FileCaller,
  path: string,
): Promise<void> {
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
    fix: 'Use the name that list_files shows',
  });
}
