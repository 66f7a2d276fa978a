import { expect, test } from 'vitest';
import { type FittingFile, RgOutput } from './rg-output.ts';

const lineOf = (value: unknown) => `${JSON.stringify(value)}\n`;

function match(path: string, text: string): string {
  const found = { text: 'Ahmed' };
  return lineOf({
    type: 'match',
    data: {
      path: { text: path },
      lines: { text },
      ...{ line_number: 1, absolute_offset: 0, submatches: [{ match: found, start: 0, end: 5 }] },
    },
  });
}

const begin = (path: string) => lineOf({ type: 'begin', data: { path: { text: path } } });
const end = (path: string, binary: number | null = null) =>
  lineOf({ type: 'end', data: { path: { text: path }, binary_offset: binary } });

function read(chunks: readonly (string | Buffer)[]): { files: FittingFile[]; isWhole: boolean } {
  const files: FittingFile[] = [];
  const output = new RgOutput((file) => files.push(file));
  for (const chunk of chunks) output.take(Buffer.from(chunk));
  return { files, isWhole: output.isWhole };
}

test('what arrives byte by byte is read as what arrives at once', () => {
  const all = Buffer.from(
    `${begin('./é')}${match('./é', 'Ahmed ü\n')}${end('./é')}${lineOf({ type: 'summary' })}`,
  );

  const bytes = Array.from(all, (byte) => Buffer.of(byte));

  expect(read(bytes)).toEqual(read([all]));
  expect(read([all])).toMatchObject({ isWhole: true, files: [{ path: './é' }] });
});

test('a line of two megabytes is passed over, and the next is read', () => {
  const long = match('./a', `Ahmed${'x'.repeat(2_000_000)}\n`);

  const { files } = read([begin('./a'), long, match('./a', 'Ahmed\n'), end('./a')]);

  expect(files.map(({ lines }) => lines.length)).toEqual([1]);
});

test('a file that turns out to be no text is none', () => {
  expect(read([begin('./a'), match('./a', 'Ahmed\n'), end('./a', 7)]).files).toEqual([]);
});

test('names and texts that are no UTF-8 come as their bytes', () => {
  const path = { bytes: Buffer.of(0x2e, 0x2f, 0xff).toString('base64') };
  const lines = { bytes: Buffer.of(0x41, 0xfe).toString('base64') };
  const submatches = [{ match: { text: 'A' } }];
  const data = { path, lines, line_number: 3, absolute_offset: 9, submatches };

  const { files } = read([
    lineOf({ type: 'match', data }),
    lineOf({ type: 'end', data: { path, binary_offset: null } }),
  ]);

  const line = { number: 3, offset: 9, bytes: Buffer.of(0x41, 0xfe), found: ['A'] };
  expect(files).toEqual([{ path: './\udcff', lines: [line] }]);
});
