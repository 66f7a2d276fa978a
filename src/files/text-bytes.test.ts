import { describe, expect, test } from 'vitest';
import { decodeUtf8, typeOfBytes, wholeCharacters } from './text-bytes.ts';

const text = 'aé€😀z';
const bytes = Buffer.from(text);

describe('wholeCharacters()', () => {
  test('gives a text whole, however it is cut in two', () => {
    for (let at = 0; at <= bytes.length; at++) {
      const first = wholeCharacters(bytes.subarray(0, at), { start: false, end: true });
      const rest = bytes.subarray(first.length);

      const second = wholeCharacters(rest, { start: true, end: false });

      expect(second).toHaveLength(rest.length);
      expect(`${decodeUtf8(first)}${decodeUtf8(second)}`).toBe(text);
    }
  });

  test('leaves out at both ends what belongs to characters beyond', () => {
    const middle = wholeCharacters(bytes.subarray(2, 8), { start: true, end: true });

    expect(decodeUtf8(middle)).toBe('€');
  });

  test('leaves bytes that are no text as they are, so that they are seen to be none', () => {
    const none = Uint8Array.of(0x80, 0x80, 0x80, 0x80, 0x80);

    expect(decodeUtf8(wholeCharacters(none, { start: true, end: true }))).toBeUndefined();
    expect(decodeUtf8(wholeCharacters(none, { start: false, end: false }))).toBeUndefined();
  });
});

test('decodeUtf8() keeps a byte order mark, and refuses what is no UTF-8', () => {
  expect(decodeUtf8(Buffer.from('\ufeffx'))).toBe('\ufeffx');
  expect(decodeUtf8(Uint8Array.of(0xff, 0xfe))).toBeUndefined();
  // A surrogate, and a slash that is longer than it has to be.
  expect(decodeUtf8(Uint8Array.of(0xed, 0xa0, 0x80))).toBeUndefined();
  expect(decodeUtf8(Uint8Array.of(0xc0, 0xaf))).toBeUndefined();
});

test('typeOfBytes() goes by how the bytes begin', () => {
  expect(typeOfBytes(Buffer.from('%PDF-1.7'))).toBe('application/pdf');
  expect(typeOfBytes(Uint8Array.of(0xff, 0xd8, 0xff, 0xe0))).toBe('image/jpeg');
  expect(typeOfBytes(Uint8Array.of(1, 2, 3))).toBe('application/octet-stream');
});
