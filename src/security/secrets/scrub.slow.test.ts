import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../tests/sim/random.ts';
import { limitMs } from '../../../tests/support/limits.ts';
import { Scrubber } from './scrub.ts';

const canary = 'k3Y/with+odd "chars" & 100%~\\end';

function scrubberOf(value: string, prefix = ''): Scrubber {
  const scrubber = new Scrubber();
  scrubber.add({ name: 'KEY', value, prefix });
  return scrubber;
}

const hexOf = (code: number, digits: number) => code.toString(16).padStart(digits, '0');
const each = (value: string, write: (character: string, index: number) => string) =>
  Array.from(value, write).join('');

const percentEncoded = (value: string) =>
  each(value, (character) => `%${hexOf(character.charCodeAt(0), 2).toUpperCase()}`);
const unicodeEscaped = (value: string) =>
  each(value, (character) => `\\u${hexOf(character.charCodeAt(0), 4)}`);
const inBase64 = (value: string, before: string, encoding: 'base64' | 'base64url') =>
  Buffer.from(`${before}${value} and what follows`).toString(encoding);
const wrapped = (text: string, columns: number, lineEnd: string) =>
  (text.match(new RegExp(`.{1,${columns}}`, 'g')) ?? []).join(lineEnd);

/** Every way of writing a value that is promised to be found. */
const forms: Readonly<Record<string, (value: string) => string>> = {
  'as it is': (value) => value,
  'for a URL': encodeURIComponent,
  'for a form': (value) => new URLSearchParams({ q: value }).toString().slice(2),
  'percent-encoded throughout': percentEncoded,
  'percent-encoded in small letters': (value) => percentEncoded(value).toLowerCase(),
  'percent-encoded twice': (value) => encodeURIComponent(percentEncoded(value)),
  'percent-encoded here and there': (value) =>
    each(value, (character, index) => (index % 3 === 0 ? percentEncoded(character) : character)),
  'in JSON': (value) => JSON.stringify(value).slice(1, -1),
  'in JSON in JSON': (value) => JSON.stringify(JSON.stringify(value)).slice(3, -3),
  'in JSON with escaped slashes': (value) =>
    JSON.stringify(value).slice(1, -1).replaceAll('/', '\\/'),
  'as \\u escapes': unicodeEscaped,
  'as \\u escapes in JSON': (value) => JSON.stringify(unicodeEscaped(value)),
  'as \\x escapes': (value) =>
    each(value, (character) => `\\x${hexOf(character.charCodeAt(0), 2)}`),
  'as entities': (value) => each(value, (character) => `&#${character.charCodeAt(0)};`),
  'as entities by name': (value) =>
    value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;'),
  'in hex': (value) => Buffer.from(value).toString('hex'),
  'in large hex': (value) => Buffer.from(value).toString('hex').toUpperCase(),
  'in hex with colons': (value) =>
    each(value, (character) => `${hexOf(character.charCodeAt(0), 2)}:`),
  'in UTF-16': (value) => Buffer.from(value, 'utf16le').toString('latin1'),
  'in UTF-16, the other way round': (value) =>
    Buffer.from(value, 'utf16le').swap16().toString('latin1'),
  'in base64': (value) => Buffer.from(value).toString('base64'),
  'in base64 one byte on': (value) => inBase64(value, 'x', 'base64'),
  'in base64 two bytes on': (value) => inBase64(value, 'xy', 'base64'),
  'in base64url': (value) => inBase64(value, '', 'base64url'),
  'in base64url one byte on': (value) => inBase64(value, '?', 'base64url'),
  'in base64url two bytes on': (value) => inBase64(value, '??', 'base64url'),
  'in base64 for a URL': (value) => encodeURIComponent(inBase64(value, '>>', 'base64')),
  'in base64 of several lines': (value) => wrapped(inBase64(value, 'a', 'base64'), 7, '\r\n'),
  'in base64 of several lines in JSON': (value) =>
    JSON.stringify(wrapped(inBase64(value, 'a', 'base64'), 5, '\n')),
};

/** What was only written beside the value may stay, at either end. */
function survives(text: string, written: string): boolean {
  const middle = written.slice(4, -24);
  return text.includes(written) || (middle.length >= 12 && text.includes(middle));
}

const values = fc.string({ unit: fc.constantFrom(...asciiFrom(0x21, 0x7e)), minLength: 8 });
const surroundings = fc.string({ unit: 'binary', maxLength: 30 });

function asciiFrom(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => String.fromCharCode(first + index));
}

describe.each(Object.entries(forms))('a secret that is written %s', (_form, write) => {
  test('is found in the middle of a text', () => {
    const scrubber = scrubberOf(canary);

    const clean = scrubber.scrubText(`before ${write(canary)} after`);

    expect(clean).toMatch(/^before .*\[secret:KEY\].* after$/s);
    expect(survives(clean, write(canary))).toBe(false);
  });

  test('is found whatever it is and whatever stands around it', () => {
    fc.assert(
      fc.property(values, surroundings, surroundings, (value, before, after) => {
        const scrubber = scrubberOf(value);

        const clean = scrubber.scrubText(before + write(value) + after);

        expect(clean).toContain('[secret:KEY]');
        expect(survives(clean, write(value))).toBe(false);
      }),
      { numRuns: 50 },
    );
  });

  test('is found in a stream, wherever that is cut', async () => {
    await fc.assert(
      fc.asyncProperty(values, fc.array(fc.nat(120), { maxLength: 6 }), async (value, cuts) => {
        const scrubber = scrubberOf(value);
        const bytes = Buffer.from(`<${write(value)}>`, 'latin1');

        const clean = Buffer.concat(await streamed(scrubber, cutAt(bytes, cuts))).toString(
          'latin1',
        );

        expect(clean).toBe(scrubber.scrubText(bytes.toString('latin1')));
        expect(clean).toContain('[secret:KEY]');
      }),
      { numRuns: 30 },
    );
  });
});

function cutAt(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.filter((cut) => cut < bytes.length), bytes.length];
  places.sort((a, b) => a - b);
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}

async function streamed(scrubber: Scrubber, parts: readonly Uint8Array[]): Promise<Uint8Array[]> {
  async function* all() {
    yield* parts;
  }
  return Array.fromAsync(scrubber.scrubStream(all()));
}

test('a text without the secret stays what it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      expect(scrubberOf(canary).scrubText(text)).toBe(text);
    }),
  );
});

test('bytes without the secret go through a stream unchanged, however they are cut', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 50 })), async (parts) => {
      const clean = await streamed(scrubberOf(canary), parts);

      expect(Buffer.concat(clean)).toEqual(Buffer.concat(parts));
    }),
  );
});

test('a stream holds back only what may be the beginning of a secret', async () => {
  const parts = [
    Buffer.from('all of this, and k3'),
    Buffer.from('Z of this, ~%'),
    Buffer.from('!'),
  ];

  const clean = await streamed(scrubberOf(canary), parts);

  expect(clean.map(String)).toEqual(['all of this, and ', 'k3Z of this, ~', '%!']);
});

test('a stream without secrets hands on the very bytes', async () => {
  const part = Buffer.from('x');

  const [through] = await streamed(new Scrubber(), [part]);

  expect(through).toBe(part);
});

test('a secret that comes a byte at a time is found, and another one right behind it', async () => {
  const parts = Array.from(Buffer.from(`a${canary}${canary}z`), (byte) => Buffer.from([byte]));

  const clean = await streamed(scrubberOf(canary), parts);

  expect(Buffer.concat(clean).toString()).toBe('a[secret:KEY][secret:KEY]z');
});

describe('of secrets that overlap', () => {
  const scrubber = new Scrubber();
  scrubber.add({ name: 'SHORT', value: 'password1', prefix: '' });
  scrubber.add({ name: 'LONG', value: 'password1234567', prefix: '' });
  scrubber.add({ name: 'NEXT', value: '4567890abcdef', prefix: '' });

  test.each([
    ['the longer one is named', 'x password1234567 y', 'x [secret:LONG] y'],
    ['the shorter one is found alone', 'x password123 y', 'x [secret:SHORT]23 y'],
    ['nothing is left over', 'x password1234567890abcdef y', 'x [secret:LONG] y'],
  ])('%s', async (_what, text, wanted) => {
    expect(scrubber.scrubText(text)).toBe(wanted);

    for (let cut = 0; cut <= text.length; cut++) {
      const clean = await streamed(scrubber, cutAt(Buffer.from(text), [cut]));

      expect(Buffer.concat(clean).toString()).toBe(wanted);
    }
  });
});

test.each([
  ['in the value', `Basic ${Buffer.from('jean:open sesame').toString('base64')}`, ''],
  ['behind its prefix', Buffer.from('jean:open sesame').toString('base64'), 'Basic '],
])('the password of basic credentials %s is a secret too', (_where, value, prefix) => {
  const scrubber = scrubberOf(value, prefix);

  expect(scrubber.scrubText('jean has the words open sesame')).toBe(
    'jean has the words [secret:KEY]',
  );
  expect(scrubber.scrubText('at jean:open sesame@host')).toBe('at [secret:KEY]@host');
});

test('scrubJson() looks at texts, keys and numbers at any depth and keeps the rest', () => {
  const scrubber = scrubberOf('12345678');
  const value = {
    'a 12345678': ['12345678', 12345678, 1234, null, true],
    deep: { er: { text: 'x12345678x' } },
    __proto__: null,
  };

  expect(scrubber.scrubJson(value)).toEqual({
    'a [secret:KEY]': ['[secret:KEY]', '[secret:KEY]', 1234, null, true],
    deep: { er: { text: 'x[secret:KEY]x' } },
  });
  expect(value.deep.er.text).toBe('x12345678x');
});

test('scrubJson() keeps the order of keys, and a key that is called __proto__', () => {
  const text = '{"b":1,"__proto__":{"a":"12345678"},"a":[3,1,2]}';

  const clean = scrubberOf('12345678').scrubJson(JSON.parse(text));

  expect(JSON.stringify(clean)).toBe(text.replace('12345678', '[secret:KEY]'));
});

test('scrubJson() goes deeper than calls can', () => {
  let value: unknown = canary;
  for (let depth = 0; depth < 100_000; depth++) value = [value];

  let clean = scrubberOf(canary).scrubJson(value);

  while (Array.isArray(clean)) [clean] = clean;
  expect(clean).toBe('[secret:KEY]');
});

test.each([
  ['backslashes', '\\'.repeat(300_000)],
  ['percents', '%25'.repeat(100_000)],
  ['entities', '&#'.repeat(150_000)],
  ['beginnings', 'abcdefghijklmnop%'.repeat(10_000)],
])('a text of many %s takes no longer than others', (_what, text) => {
  const scrubber = scrubberOf('abcdefghijklmnop%q');
  const start = performance.now();

  const clean = scrubber.scrubText(text);

  expect(clean === text).toBe(true);
  expect(performance.now() - start).toBeLessThan(limitMs(2000));
});

test('a long value is found in every form', () => {
  const value = Buffer.from(
    seededRandom('long')
      .bytes(8192)
      .map((byte) => 0x21 + (byte % 94)),
  ).toString();
  const scrubber = scrubberOf(value);

  for (const write of Object.values(forms)) {
    expect(scrubber.scrubText(write(value)).length).toBeLessThan(80);
  }
});
