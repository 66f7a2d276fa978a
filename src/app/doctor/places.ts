import { join } from 'node:path';
import type { DiskEntry, DiskView } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import type { Verdict } from './finding.ts';
import { daemonLogName, ownFolders } from './own-names.ts';

/** Every folder in the home that is made before anything works in it, parents first. */
export const preparedFolders: readonly string[] = [
  ...ownFolders,
  join('run', 'agents'),
  join('run', 'bodies'),
];

/** Does something else stand where a folder, or the log, is to be? Undefined when not. */
export async function judgePlaces(disk: DiskView, home: string): Promise<Verdict | undefined> {
  for (const name of preparedFolders) {
    const wrong = await judgePlace(disk, join(home, name), 'folder');
    if (wrong !== undefined) return wrong;
  }
  return judgePlace(disk, join(home, 'logs', daemonLogName), 'file');
}

async function judgePlace(
  disk: DiskView,
  path: string,
  wanted: 'folder' | 'file',
): Promise<Verdict | undefined> {
  const there = await disk.stat(path);
  if (there === undefined || there.kind === wanted) return undefined;
  return { state: 'failed', ...wrongPlace(path, wanted, there.kind) };
}

const kindWords = {
  file: 'a file',
  folder: 'a folder',
  symlink: 'a symlink',
  other: 'a device or pipe',
} as const;

/** What is told when something else stands at a place of ours. */
export function wrongPlace(
  path: string,
  wanted: 'folder' | 'file',
  kind: DiskEntry['kind'] | undefined,
): { readonly says: string; readonly fix: string } {
  const found = kind === undefined ? 'something else' : kindWords[kind];
  return {
    says: `${quote(path)} must be ${kindWords[wanted]}, and ${found} stands there`,
    fix: `Move it away; the ${wanted} is made by itself`,
  };
}
