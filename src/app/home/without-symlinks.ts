import { withTarget } from '../../files/follow-path.ts';
import type { DiskView } from '../../kernel/ports.ts';

/** The same place by the path that no symlink is on: what agents name is held against it. */
export async function withoutSymlinks(disk: DiskView, path: string): Promise<string> {
  let parts: readonly string[] = path.split('/').filter((name) => name !== '');
  for (let index = 0; index < parts.length; ) {
    const place = `/${parts.slice(0, index + 1).join('/')}`;
    if ((await disk.stat(place))?.kind !== 'symlink') index++;
    else {
      parts = withTarget(parts, index, await disk.readLink(place));
      index = 0;
    }
  }
  return `/${parts.join('/')}`;
}
