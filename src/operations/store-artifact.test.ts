import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { changingDisk } from '../../tests/support/changing-disk.ts';
import { temporaryFolder } from '../../tests/support/temporary-folder.ts';
import { realDisk } from '../engines/disk/disk.ts';
import { bytesOf } from './store-artifact.ts';

test('bytesOf() fails where somebody writes to the file meanwhile, and gives all of one that stays', async () => {
  await using folder = temporaryFolder();
  const path = folder.at('report.txt');
  writeFileSync(path, 'a'.repeat(5000));
  await using steady = await realDisk.read(path);
  const disk = changingDisk(realDisk, () => writeFileSync(path, 'b'.repeat(5001)));

  const whole = Buffer.concat(await Array.fromAsync(bytesOf(steady)));
  await using changing = await disk.read(path);
  const torn = Array.fromAsync(bytesOf(changing));

  expect(whole.toString()).toBe('a'.repeat(5000));
  await expect(torn).rejects.toMatchObject({ code: 'file.changed' });
});
