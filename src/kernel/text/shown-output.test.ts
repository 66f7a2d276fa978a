import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bytesOfShown, ShownOutput, type ShownPart, textOfShown } from './quote.ts';

function shown(...parts: readonly Uint8Array[]): readonly ShownPart[] {
  const output = new ShownOutput();
  const taken = parts.map((bytes) => output.take({ stream: 'stdout', bytes }));
  return [...taken.filter((part) => part !== undefined), ...output.rest()];
}

describe('ShownOutput', () => {
  test('shows text as text, with its byte order mark', () => {
    const bytes = Buffer.from('\ufeffgrüß\n');

    expect(shown(bytes)).toEqual([{ stream: 'stdout', text: '\ufeffgrüß\n' }]);
  });

  test('holds half a character back until it is whole', () => {
    const bytes = Buffer.from('a\u{1f600}b');

    expect(shown(bytes.subarray(0, 3), bytes.subarray(3, 4), bytes.subarray(4))).toEqual([
      { stream: 'stdout', text: 'a' },
      { stream: 'stdout', text: '\u{1f600}b' },
    ]);
  });

  test('holds halves of two streams apart', () => {
    const output = new ShownOutput();
    const [first, second] = [Buffer.from('ü').subarray(0, 1), Buffer.from('ü').subarray(1)];

    const taken = [
      output.take({ stream: 'stdout', bytes: first }),
      output.take({ stream: 'stderr', bytes: Buffer.from('e') }),
      output.take({ stream: 'stdout', bytes: second }),
    ];

    expect(taken).toEqual([
      undefined,
      { stream: 'stderr', text: 'e' },
      { stream: 'stdout', text: 'ü' },
    ]);
  });

  test('shows what is no text as base64, and goes on with text', () => {
    expect(shown(Buffer.from([0x61, 0xff]), Buffer.from('b'))).toEqual([
      { stream: 'stdout', base64: 'Yf8=' },
      { stream: 'stdout', text: 'b' },
    ]);
  });

  test('shows a half that never became whole at the end', () => {
    expect(shown(Buffer.from([0x61, 0xc3]))).toEqual([
      { stream: 'stdout', text: 'a' },
      { stream: 'stdout', base64: 'ww==' },
    ]);
  });

  test('loses and adds no byte, wherever it is cut', () => {
    const parts = fc.array(fc.oneof(fc.uint8Array({ maxLength: 9 }), utf8()), { maxLength: 9 });

    fc.assert(
      fc.property(parts, (bytes) => {
        const all = Buffer.concat(shown(...bytes).map(bytesOfShown));

        expect(all).toEqual(Buffer.concat(bytes));
      }),
    );
  });

  test('loses no character of a text, wherever it is cut', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.array(fc.nat(40)), (text, cuts) => {
        const bytes = Buffer.from(text);
        const places = [0, ...cuts.sort((one, other) => one - other), bytes.length];
        const parts = places.map((place, index) => bytes.subarray(places[index - 1] ?? 0, place));

        expect(
          shown(...parts)
            .map(textOfShown)
            .join(''),
        ).toBe(bytes.toString());
      }),
    );
  });
});

function utf8(): fc.Arbitrary<Uint8Array> {
  return fc.string({ unit: 'binary', maxLength: 9 }).map((text) => Buffer.from(text));
}
