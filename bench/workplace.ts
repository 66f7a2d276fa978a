import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders = new Set<string>();

/** A new folder, and a stack for what works in it. */
export async function workplace() {
  return { folder: await benchFolder(), disposables: new AsyncDisposableStack() };
}

/**
 * A new folder that is removed when all benches are over: for minutes after many files were
 * removed, ext4 looks long for a place for each new one, and the next bench would measure that.
 */
export async function benchFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'aos-bench-'));
  folders.add(folder);
  return folder;
}

export function removeBenchFolders(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}
