import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { realDisk } from './disk.ts';
import { bytesOf, namesIn, textOf } from './owners.ts';

const bytesBack = (text: string): Buffer => Buffer.from(bytesOf(text));

const names: readonly (readonly [what: string, name: Buffer, text: string])[] = [
  ['plain text', Buffer.from('report.md'), 'report.md'],
  ['an emoji', Buffer.from('🐝.txt'), '🐝.txt'],
  ['U+FFFD itself', Buffer.from('a\uFFFDb'), 'a\uFFFDb'],
  ['Latin-1', Buffer.from('caf\xe9', 'latin1'), 'caf\udce9'],
  ['a character that is cut off', Buffer.from('🐝').subarray(0, 3), '\udcf0\udc9f\udc90'],
  ['what UTF-8 forbids', Buffer.of(0xed, 0xb3, 0xa9, 0xc0, 0xaf), '\udced\udcb3\udca9\udcc0\udcaf'],
  [
    'all of them together',
    Buffer.concat([Buffer.from('🐝\uFFFDé'), Buffer.of(0xe9, 0xff), Buffer.from('🐝')]),
    '🐝\uFFFDé\udce9\udcff🐝',
  ],
];

describe('a name on the disk', () => {
  test.each(names)('with %s is one text, which leads back to it', (_what, name, text) => {
    expect(textOf(name)).toBe(text);
    expect(bytesBack(text)).toEqual(name);
  });

  test('of any bytes is another text than that of every other name', () => {
    const bytes = fc.array(fc.constantFrom(0x61, 0xc3, 0xa9, 0xed, 0xb3, 0xef, 0xbf, 0xbd, 0xf0));
    const name = fc.oneof(bytes, fc.array(fc.integer({ min: 1, max: 255 })));

    fc.assert(
      fc.property(name, (given) => {
        const written = Buffer.from(given);

        expect(bytesBack(textOf(written))).toEqual(written);
      }),
    );
  });
});

test('what is text goes to the system as it is', () => {
  expect(bytesOf('/a/🐝\uFFFD')).toBe('/a/🐝\uFFFD');
});

test('a folder lists each of its names once, in the order of their texts', async () => {
  await using folder = temporaryFolder();
  for (const [, name] of names) writeFileSync(inside(folder.path, name), '');

  const listed = namesIn(folder.path);

  expect(listed).toEqual(names.map(([, , text]) => text).toSorted());
});

test('the disk reads, looks at, moves, holds and removes what has such a name', async () => {
  await using folder = temporaryFolder();
  const name = Buffer.of(0xe9);
  mkdirSync(inside(folder.path, name));
  writeFileSync(inside(inside(folder.path, name), name), 'text');
  const path = folder.at('\udce9');

  await using held = await realDisk.holdFolder(path);
  const listed = await realDisk.list(held.path);
  const entry = await realDisk.stat(`${held.path}/\udce9`);
  const size = await sizeOf(`${held.path}/\udce9`);
  await realDisk.rename(`${held.path}/\udce9`, folder.at('moved\udcff'));
  await realDisk.remove(path);

  expect(listed).toEqual(['\udce9']);
  expect(entry).toMatchObject({ kind: 'file', sizeBytes: 4 });
  expect(size).toBe(4);
  expect(existsSync(inside(folder.path, Buffer.from('moved\xff', 'latin1')))).toBe(true);
  expect(await realDisk.list(folder.path)).toEqual(['moved\udcff']);
});

async function sizeOf(path: string): Promise<number> {
  await using reader = await realDisk.read(path);
  return await reader.sizeBytes();
}

function inside(folder: string | Buffer, name: Buffer): Buffer {
  return Buffer.concat([Buffer.from(folder), Buffer.from('/'), name]);
}
