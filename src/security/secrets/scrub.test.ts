import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../tests/sim/random.ts';
import { SecretIndex } from './scrub.ts';
import { formsOf } from './secret-forms.ts';

const random = seededRandom('secrets');

function indexOf(values: readonly string[]): SecretIndex {
  const index = new SecretIndex();
  for (const [at, value] of values.entries()) {
    for (const form of formsOf({ name: `KEY${at}`, value, prefix: '' })) index.add(form);
  }
  return index;
}

const tokens = (beginning: string) =>
  Array.from(
    { length: 500 },
    () => beginning + Buffer.from(random.bytes(24)).toString('base64url'),
  );
const header = 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.';
const secrets = {
  'many tokens': indexOf(tokens('')),
  'tokens that begin alike': indexOf(tokens(header)),
  'one letter 8192 times': indexOf(['a'.repeat(8192)]),
  'the same two words for long': indexOf(['knock, knock. '.repeat(500).trim()]),
  'zeros before a token': indexOf([`${'0'.repeat(128)}x`]),
  'backslashes before a token': indexOf([`${'\\'.repeat(31)}x`]),
  'only backslashes': indexOf(['\\'.repeat(300)]),
};

const percents = (text: string) => encodedBy(text, (code) => `%${code.toString(16)}`);
const encodedBy = (text: string, write: (code: number) => string) =>
  Array.from(text, (character) => write(character.charCodeAt(0))).join('');

describe('a text costs a number of steps that its length alone limits', () => {
  test.each<[keyof typeof secrets, string]>([
    ['many tokens', '%41'],
    ['many tokens', '%25'],
    ['many tokens', '\\x41'],
    ['many tokens', '\\u0041'],
    ['many tokens', '&#65;'],
    ['many tokens', '&amp;'],
    ['many tokens', '\\'],
    ['many tokens', 't\\'],
    ['many tokens', '4 1\n'],
    ['tokens that begin alike', header],
    ['tokens that begin alike', percents(header)],
    ['one letter 8192 times', `${'a'.repeat(8191)}b`],
    ['one letter 8192 times', '%61'],
    ['one letter 8192 times', 'aaaaaaa%61'],
    ['one letter 8192 times', '61'],
    ['one letter 8192 times', '6\n1\n'],
    ['one letter 8192 times', 'YWFh'],
    ['the same two words for long', 'knock, knock. '],
    ['zeros before a token', '0'],
  ])('%s, and a text of nothing but %j', (kind, part) => {
    const text = part.repeat(Math.ceil(16_384 / part.length));

    const { steps } = secrets[kind].scan(text, { covered: 0, hasEnded: true });

    expect(steps / text.length).toBeLessThan(40);
  });

  // Each of them may be read as one, two, four or eight.
  test.each<keyof typeof secrets>(['backslashes before a token', 'only backslashes'])(
    '%s, and a text of backslashes',
    (kind) => {
      const text = '\\'.repeat(4096);

      const { steps } = secrets[kind].scan(text, { covered: 0, hasEnded: true });

      expect(steps / text.length).toBeLessThan(600);
    },
  );
});

describe('where a text ends', () => {
  const index = secrets['many tokens'];

  test.each(['', 'k', 'k17', 'k17%', '\\u004'])(
    'nothing is looked for when no secret fits in behind: %j',
    (text) => {
      const scan = index.scan(text, { covered: 0, hasEnded: true });

      expect(scan).toMatchObject({ text, rest: '', found: 0, steps: 0 });
    },
  );

  test('a secret that is the last of it is found', () => {
    for (const size of [8, 9, 40]) {
      const value = 'Q7'.padEnd(size, 'xyz-');

      const scan = indexOf([value]).scan(`=${value}`, { covered: 0, hasEnded: true });

      expect(scan.text).toBe('=[secret:KEY0]');
    }
  });

  test('what goes on is held against what secrets begin with, not against all of them', () => {
    const scan = index.scan(`${'.'.repeat(100)}k`, { covered: 0, hasEnded: false });

    expect(scan.rest).toBe('k');
    expect(scan.steps).toBeLessThan(10);
  });
});
