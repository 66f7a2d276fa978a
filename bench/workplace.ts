import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new folder, and a stack that removes it after everything that is put on it later. */
export async function workplace() {
  const folder = await mkdtemp(join(tmpdir(), 'aos-bench-'));
  const disposables = new AsyncDisposableStack();
  disposables.defer(() => rm(folder, { recursive: true, force: true }));
  return { folder, disposables };
}
