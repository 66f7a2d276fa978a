/** Somebody who sends slowly, and the same once more meanwhile. */
import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import {
  libraryOf,
  libraryWithHandle,
  servedHome,
  someBytes,
  storedFiles,
} from '../support/transfer-ends.ts';

test('who sends slowly does not write into what the same process has stored meanwhile', async () => {
  await using home = await servedHome();
  const plain = someBytes(1_200_000);
  const library = libraryOf(home, 'samantha');
  const begun = vi.fn();
  // The second stretch comes more than five seconds after the first.
  const slow = { to: 'jared', limitBytesPerSecond: 180_000, onProgress: begun };

  const first = library.sendBuffer(plain, 'slow.bin', slow);
  await vi.waitFor(
    () => expect(begun).toHaveBeenCalledWith(expect.objectContaining({ phase: 'sending' })),
    15_000,
  );
  const second = library.sendBuffer(plain, 'quick.bin', { to: 'jared' });
  await Promise.allSettled([first, second]);

  expect(storedFiles(home)).toHaveLength(1);
  expect(await home.daemon.client.verifyBlobs()).toMatchObject({ corrupt: [], missing: [] });
  const { id } = await second;
  const { path } = await libraryWithHandle(home, 'jared').download(id, {
    dest: home.folder.at('got'),
  });
  expect(readFileSync(path).equals(plain)).toBe(true);
});
