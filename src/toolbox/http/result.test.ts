import fc from 'fast-check';
import { expect, test } from 'vitest';
import { times } from '../../../tests/support/tier.ts';
import { resultOf } from './result.ts';

const head = { url: 'https://h/', status: 200, headers: { a: 'b' }, redirects: [] };
// The most that the frame around the body takes.
const frameBytes = 160;

test('whatever the body is, the result fills its room and never exceeds it', () => {
  const bodies = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 400 }).map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
    fc
      .string({ unit: fc.constantFrom('\n', '"', '\\', '\u0001', '\u007f', 'ü', '€', '😀') })
      .map((text) => Buffer.from(text)),
  );
  fc.assert(
    fc.property(
      bodies,
      fc.integer({ min: frameBytes, max: 700 }),
      fc.boolean(),
      (bytes, room, cut) => {
        const result = resultOf(head, { bytes, truncated: cut }, room);

        const size = Buffer.byteLength(JSON.stringify(result));
        expect(size).toBeLessThanOrEqual(room);
        // Six bytes for a character that did not fit, five for the longer frame of bytes.
        const kept = result as { bytes: number; truncated: boolean };
        if (kept.truncated && !cut) expect(size).toBeGreaterThan(room - 20);
        if (!kept.truncated) expect(kept.bytes).toBe(bytes.length);
      },
    ),
    { numRuns: times({ fast: 60, full: 500 }) },
  );
});

test('a body that fits is all there', () => {
  const result = resultOf(head, { bytes: Buffer.from('\ufeffü'), truncated: false }, 1000);

  expect(result).toEqual({ ...head, body: '\ufeffü', bytes: 5, truncated: false });
});
