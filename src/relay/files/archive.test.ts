import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { realDisk } from '../../engines/disk/disk.ts';
import { putBack } from './archive.ts';

test.each(['a', 'é'])('names that leave no room for a number are cut (of %s)', async (letter) => {
  await using folder = temporaryFolder();
  mkdirSync(folder.at('outbox'));
  const bytes = Buffer.byteLength(letter);
  const name = `${letter.repeat(Math.floor(251 / bytes))}.msg`;
  writeFileSync(folder.at('archived'), 'older');
  writeFileSync(folder.at(`outbox/${name}`), 'newer');

  const back = await putBack(realDisk, folder.at('archived'), folder.at(`outbox/${name}`));

  expect(readdirSync(folder.at('outbox')).sort()).toEqual([back, name].sort());
  expect(readFileSync(folder.at(`outbox/${back}`), 'utf8')).toBe('older');
  expect(back < name).toBe(true);
});
