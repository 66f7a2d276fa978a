import { describe, expect, test } from 'vitest';
import { compileGlob, exactPath, parsePathPattern } from './glob.ts';

/** Whether a path below the base is meant by a pattern. */
function isMeant(pattern: string, path: string, { hidden = false } = {}): boolean {
  const glob = compileGlob(pattern.split('/'), { hidden });
  const names = path.split('/');
  let state = glob.start;
  for (const name of names.slice(0, -1)) state = glob.into(state, name);
  return glob.fits(state, names.at(-1) ?? '');
}

describe('a pattern means', () => {
  test.each([
    ['*.pdf', 'a.pdf'],
    ['*', 'anything at all'],
    ['a?c', 'abc'],
    ['a?c', 'a😀c'],
    ['[a-c]x', 'bx'],
    ['[!a-c]x', 'dx'],
    ['[[]1].txt', '[1].txt'],
    ['[*]', '*'],
    ['*invoice*.pdf', 'my invoice 2.pdf'],
    ['{a,b}c', 'bc'],
    ['{a,{b,c}}d', 'cd'],
    ['x{a/b,c}', 'xa/b'],
    ['**/*.pdf', 'a.pdf'],
    ['**/*.pdf', 'one/two/three/a.pdf'],
    ['a/**', 'a/b/c'],
    ['a/**/b', 'a/b'],
    ['a/**/b', 'a/x/y/b'],
    ['**', 'a/b'],
    ['a*b*c', 'a--b--b--c'],
    ['*.PDF', 'a.pdf'],
    ['*.pdf', 'a.PDF'],
    ['Caf\u00e9*', 'Cafe\u0301.txt'],
    ['Cafe\u0301*', 'Caf\u00e9.txt'],
    ['.env*', '.env.local'],
    ['{a', '{a'],
    ['{a}', '{a}'],
    ['[', '['],
    ['a\\b', 'a\\b'],
    ['-rf', '-rf'],
    ['a\nb*', 'a\nb.txt'],
    ['*\udce9*', 'caf\udce9.txt'],
  ])('%j: %j', (pattern, path) => {
    expect(isMeant(pattern, path)).toBe(true);
  });
});

describe('a pattern does not mean', () => {
  test.each([
    ['*.pdf', 'a.pdf.txt'],
    ['*.pdf', 'one/a.pdf'],
    ['*', '.hidden'],
    ['**/*.txt', '.git/a.txt'],
    ['a/**', 'a'],
    ['a?c', 'ac'],
    ['[a-c]x', 'dx'],
    ['[!a-c]x', 'ax'],
    ['Report*', 'report.txt'],
    ['a*a', 'a'],
    ['*ab*ab', 'ab'],
  ])('%j: %j', (pattern, path) => {
    expect(isMeant(pattern, path)).toBe(false);
  });
});

test('hidden names fit a star where they are asked for', () => {
  expect(isMeant('**/*', '.git/config', { hidden: true })).toBe(true);
});

test('an exact path is no pattern, whatever its names look like', () => {
  const glob = exactPath(['[a]', '*']);

  expect(glob.fits(glob.into(glob.start, '[a]'), '*')).toBe(true);
  expect(glob.fits(glob.into(glob.start, '[a]'), 'x')).toBe(false);
  expect(glob.into(glob.start, 'a')).toEqual([]);
});

describe('a pattern is too complex', () => {
  test.each([
    ['with braces for 2^30 patterns', '{a,b}'.repeat(30)],
    ['with nested braces', `${'{a,'.repeat(12)}x${',b}{c,d}'.repeat(12)}`],
    ['with 50 times "**"', `${'**/'.repeat(50)}a`],
    ['with more than 1,000 characters', `*${'a'.repeat(1000)}`],
  ])('%s', (_why, pattern) => {
    const tooComplex = expect.objectContaining({ code: 'files.too-complex' });

    expect(() => parsePathPattern(pattern)).toThrow(tooComplex);
    expect(() => compileGlob(pattern.split('/'), { hidden: false })).toThrow(tooComplex);
  });

  test('never with 1,000 alternatives and 10 times "**"', () => {
    const pattern = `${'**/'.repeat(10)}${'{0,1,2,3,4,5,6,7,8,9}'.repeat(3)}`;

    expect(isMeant(pattern, 'a/b/777')).toBe(true);
    expect(isMeant(pattern, 'a/b/77x')).toBe(false);
  });
});

test('a hostile pattern is compared in steps that its length bounds', () => {
  const name = 'a'.repeat(255);
  const glob = compileGlob([`${'*a'.repeat(100)}?*b`], { hidden: false });
  const folders = compileGlob(['**', 'a', '**', 'a', '**', 'a', '**', 'b'], { hidden: false });

  let state = folders.start;
  for (let depth = 0; depth < 2000; depth++) state = folders.into(state, 'a');

  expect(glob.fits(glob.start, name)).toBe(false);
  expect(folders.fits(state, 'b')).toBe(true);
  expect(state.length).toBeLessThan(10);
});

describe('parsePathPattern()', () => {
  test.each([
    ['~/Downloads/*.pdf', '~/Downloads', ['*.pdf']],
    ['/*', '/', ['*']],
    ['*.txt', '', ['*.txt']],
    ['a/./b//*', 'a/b', ['*']],
    // What is no pattern is left to who reads paths.
    ['a/../b', 'a/../b', []],
    ['/a/b', '/a/b', []],
    ['/a/**/x/*.md', '/a', ['**', 'x', '*.md']],
    ['a/{b/c,d}/e', 'a', ['{b/c,d}', 'e']],
    ['~', '~', []],
  ])('splits %j', (text, folder, glob) => {
    expect(parsePathPattern(text)).toEqual({ folder, glob });
  });

  test.each(['../*', 'a/../*', '/*/../..', '**/../..', '{a,../b}', 'a/{b,..}/c'])(
    'refuses the way out of %j',
    (text) => {
      expect(() => parsePathPattern(text)).toThrow(
        expect.objectContaining({ code: 'files.outside-root' }),
      );
    },
  );

  test('takes names that only look like the way out', () => {
    expect(parsePathPattern('a/..b/*').folder).toBe('a/..b');
    expect(parsePathPattern('...').folder).toBe('...');
  });
});
