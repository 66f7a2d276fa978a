/** The usual first mistake: `aos spawn bot -- python3 ./bot.py`, where only python3 is shown. */
import { dirname, isAbsolute, resolve } from 'node:path';
import type { Body } from '../../gateway/contract/contract.ts';
import type { DiskView } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';

/**
 * What to do about an argument that names a file which the program does not see, as far as one
 * can tell from here; undefined where there is none.
 */
export async function unseenArgument(
  disk: Pick<DiskView, 'stat'>,
  { cli = [], cwd, sees = [], unsandboxed }: Body<'spawn'>,
): Promise<string | undefined> {
  if (unsandboxed === true) return undefined;
  const [program = '', ...words] = cli;
  const own = program.includes('/') ? [dirname(resolve(cwd ?? '.', program))] : [];
  const shown = [...(cwd === undefined ? [] : [cwd]), ...sees, ...own, '/usr'];
  for (const word of words) {
    const path = resolve(cwd ?? '.', word);
    if (shown.some((folder) => path.startsWith(`${folder}/`))) continue;
    if (!(await isFile(disk, path))) continue;
    // Inside, what is not absolute begins at the folder that it works in.
    const flag =
      isAbsolute(word) || cwd !== undefined ? `--see ${quote(dirname(path))}` : '--cwd .';
    return `${quote(path)} is not seen inside: ${flag} shows it`;
  }
  return undefined;
}

async function isFile(disk: Pick<DiskView, 'stat'>, path: string): Promise<boolean> {
  try {
    return (await disk.stat(path))?.kind === 'file';
  } catch {
    // Most words are no paths at all, and some could not be.
    return false;
  }
}
