import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Scrubber } from './scrub.ts';
import { formsOf } from './secret-forms.ts';

function scrubberOf(value: string, prefix = ''): Scrubber {
  const scrubber = new Scrubber();
  scrubber.add({ name: 'KEY', value, prefix });
  return scrubber;
}

describe('of a value with blanks', () => {
  test.each([
    'Bearer eyJhbGciOi',
    'bearer  eyJhbGciOi',
    'token eyJhbGciOi',
    'Bot eyJhbGciOi',
    'Api-Key eyJhbGciOi',
    'Authorization: Bearer eyJhbGciOi',
    'PRIVATE-TOKEN: token eyJhbGciOi',
    'X-Auth: Token: eyJhbGciOi',
  ])('what stands behind the word for a scheme is a secret too: %j', (value) => {
    expect(scrubberOf(value).scrubText('it is eyJhbGciOi, Bearer token')).toBe(
      'it is [secret:KEY], Bearer token',
    );
  });

  test.each([
    ['correct horseback battery staples', 'correct horseback battery staples.'],
    ['correct horseback', 'the word horseback'],
    ['Bearer horseback batteries', 'horseback, batteries'],
    ['my token horseback', 'on horseback'],
    ['-----BEGIN PRIVATE KEY----- abcdefghijk -----END PRIVATE KEY-----', '-----BEGIN X'],
    ['Bearer short', 'short'],
  ])('no other part is: %j', (value, text) => {
    const words = text.split(/[ .,]+/);

    const clean = words.map((word) => scrubberOf(value).scrubText(word));

    expect(clean).toEqual(words);
  });

  test('all of it is one secret', () => {
    const scrubber = scrubberOf('correct horseback battery staples');

    expect(scrubber.scrubText('<correct+horseback%20battery staples>')).toBe('<[secret:KEY]>');
  });
});

describe('a value that repeats itself', () => {
  const repeated = fc
    .tuple(
      fc.string({ minLength: 1, maxLength: 5, unit: fc.constantFrom(...'ab0/+\\%') }),
      fc.integer({ min: 40, max: 200 }),
      fc.string({ maxLength: 70, unit: fc.constantFrom(...'ab0/+\\%xyz') }),
    )
    .map(([part, times, end]) => part.repeat(times) + end);

  test('is found as a whole, in every form and wherever a stream is cut', async () => {
    await fc.assert(
      fc.asyncProperty(repeated, fc.nat(400), async (value, cut) => {
        const scrubber = scrubberOf(value);
        for (const text of [value, encodeURIComponent(value), Buffer.from(value).toString('hex')]) {
          const parts = [text.slice(0, cut), text.slice(cut)].map((part) => Buffer.from(part));

          const clean = scrubber.scrubText(text);
          const streamed = await Array.fromAsync(scrubber.scrubStream(partsOf(parts)));

          expect(clean).toMatch(/^(\[secret:KEY\])+$/);
          expect(Buffer.concat(streamed).toString()).toBe(clean);
        }
      }),
      { numRuns: 50 },
    );
  });

  async function* partsOf(parts: readonly Uint8Array[]) {
    yield* parts;
  }

  test('is looked for in pieces that are still long', () => {
    const forms = formsOf({ name: 'KEY', value: `${'a'.repeat(100)}xyz`, prefix: '' });

    expect(forms.map(({ codes }) => codes.length).filter((size) => size < 32)).toEqual([]);
  });

  // Tokens begin like this in earnest.
  test.each([`${'A'.repeat(21)}MLheAAAAAAA0%2BuSeid`, `${'0'.repeat(31)}1deadbeef`])(
    'for a short while only, is looked for as it is: %s',
    (value) => {
      const scrubber = scrubberOf(value);

      expect(scrubber.scrubText(value.slice(0, -1))).toBe(value.slice(0, -1));
      expect(scrubber.scrubText(value)).toBe('[secret:KEY]');
    },
  );
});
