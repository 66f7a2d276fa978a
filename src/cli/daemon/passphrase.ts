import { readWholeFile } from '../../kernel/disk/durable-file.ts';
import { AosError } from '../../kernel/errors.ts';
import type { DiskView } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';

const longestBytes = 1024;

/** The first line of a file, because what stands on the command line is seen by everybody. */
export async function readPassphrase(view: DiskView, path: string): Promise<string> {
  const text = new TextDecoder().decode(await readWholeFile(view, path, longestBytes));
  const [line = ''] = text.split(/\r?\n/);
  if (line !== '') return line;
  throw new AosError('usage.bad-value', {
    message: `The first line of ${quote(path)} should be a passphrase, and is empty`,
    fix: `Write one there: head -c 24 /dev/urandom | base64 > ${quote(path)}`,
  });
}
