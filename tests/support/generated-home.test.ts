import { appendFileSync, chmodSync, existsSync, lstatSync, statSync, utimesSync } from 'node:fs';
import exifr from 'exifr';
import { fileTypeFromFile } from 'file-type';
import { expect, test } from 'vitest';
import { generateHome } from './generated-home.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { treeEntries, treeHash } from './tree-hash.ts';

const now = Date.UTC(2026, 10, 15, 12);

test('generateHome() makes the same tree for the same seed and moment', async () => {
  await using folder = temporaryFolder();
  await using first = await generateHome(folder.at('one', 'home'), { now });
  await using second = await generateHome(folder.at('two', 'home'), { now });
  await using other = await generateHome(folder.at('three', 'home'), { now, seed: 2 });

  const hash = await treeHash(first.root);

  expect(await treeHash(second.root)).toBe(hash);
  expect(await treeHash(other.root)).not.toBe(hash);
  expect(first.files).toBeGreaterThan(280);
});

test('generateHome() makes files that are what they are called', async () => {
  await using folder = temporaryFolder();
  await using home = await generateHome(folder.at('home'), { now });

  const { reportPdf, wrongExtension, noExtension, contract, largestVideo } = home.notable;

  expect(await fileTypeFromFile(reportPdf)).toMatchObject({ ext: 'pdf' });
  expect(await fileTypeFromFile(wrongExtension)).toMatchObject({ ext: 'png' });
  expect(await fileTypeFromFile(noExtension)).toMatchObject({ ext: 'pdf' });
  expect(await fileTypeFromFile(contract)).toMatchObject({ ext: 'docx' });
  expect(await fileTypeFromFile(largestVideo)).toMatchObject({ ext: 'mp4' });
  expect(await fileTypeFromFile(folder.at('home/Music/Band/01 Song.mp3'))).toMatchObject({
    ext: 'mp3',
  });
});

test('generateHome() makes photos whose camera wrote a date, none, or nonsense', async () => {
  await using folder = temporaryFolder();
  await using home = await generateHome(folder.at('home'), { now });

  const read = async (path: string) => (await exifr.parse(path))?.DateTimeOriginal;

  expect(await read(home.notable.firstPhoto)).toBeInstanceOf(Date);
  expect(await read(home.notable.photoWithoutDate)).toBeUndefined();
  expect(await read(home.notable.photoWithGarbageDate)).not.toBeInstanceOf(Date);
});

test('generateHome() sets times before 1970, in the future and in the week before', async () => {
  await using folder = temporaryFolder();
  await using home = await generateHome(folder.at('home'), { now });

  const { fromBefore1970, fromTheFuture, ahmedInvoice } = home.notable;

  expect(statSync(fromBefore1970).mtimeMs).toBe(Date.UTC(1969, 6, 20, 20, 17, 40));
  expect(statSync(fromTheFuture).mtimeMs).toBeGreaterThan(now);
  expect(statSync(ahmedInvoice).mtime.toISOString()).toBe('2026-11-04T12:00:00.000Z');
});

test('everything notable is there, and the sparse file takes almost nothing', async () => {
  await using folder = temporaryFolder();
  await using home = await generateHome(folder.at('home'), { now });

  const entries = await treeEntries(home.root);

  const paths = new Set(entries.map(({ path }) => `${home.root}/${path}`));
  expect(Object.values(home.notable).filter((path) => !paths.has(path))).toEqual([]);
  expect(lstatSync(home.notable.sparseFile).blocks * 512).toBeLessThan(1_000_000);
  expect(statSync(home.notable.hardLinked).nlink).toBe(2);
});

test('generateHome() refuses to stand in the temporary folder of all', async () => {
  await using folder = temporaryFolder();

  await expect(generateHome(folder.path, { now })).rejects.toThrow('Take a folder in');
  expect(existsSync(`${folder.path}-outside`)).toBe(false);
});

test('treeHash() changes with a byte, a mode and a time', async () => {
  await using folder = temporaryFolder();
  await using home = await generateHome(folder.at('home'), { now });
  const { notes, hiddenFile, contract } = home.notable;

  const hashes = [await treeHash(home.root)];
  appendFileSync(notes, 'x');
  hashes.push(await treeHash(home.root));
  chmodSync(hiddenFile, 0o600);
  hashes.push(await treeHash(home.root));
  utimesSync(contract, 1, 1);
  hashes.push(await treeHash(home.root));

  expect(new Set(hashes).size).toBe(4);
});

test('treeHash() leaves the times of folders out where that is asked for', async () => {
  await using folder = temporaryFolder();
  await using home = await generateHome(folder.at('home'), { now });
  const strict = await treeHash(home.root);
  const lenient = await treeHash(home.root, { folderTimes: 'left-out' });

  utimesSync(home.notable.emptyFolder, 1, 1);

  expect(await treeHash(home.root)).not.toBe(strict);
  expect(await treeHash(home.root, { folderTimes: 'left-out' })).toBe(lenient);
});

test('treeEntries() names what nobody may read, and goes on', async () => {
  await using folder = temporaryFolder();
  await using home = await generateHome(folder.at('home'), { now });

  const entries = await treeEntries(home.root);

  const sealed = entries.filter(({ mode, kind }) => mode === 0 && kind !== 'symlink');
  expect(sealed.map(({ path }) => path)).toEqual(['Documents/Sealed', 'Documents/sealed.txt']);
  expect(sealed.every((entry) => entry.isUnreadable === true)).toBe(process.getuid?.() !== 0);
  expect(entries.at(-1)?.path).toBe('Videos/wedding.mp4');
});
