import { describe, expect, test } from 'vitest';
import { AosError } from '../kernel/errors.ts';
import { parsePath, type Roots, shownPath } from './paths.ts';

const roots: Roots = ['/home/a'];

function codeOf(text: string, of: Roots = roots): string {
  try {
    return `/${parsePath(of, text).join('/')}`;
  } catch (failure) {
    return failure instanceof AosError ? failure.code : String(failure);
  }
}

describe('a path', () => {
  test.each([
    ['~', '/home/a'],
    ['~/x', '/home/a/x'],
    ['x/y', '/home/a/x/y'],
    ['/home/a/x', '/home/a/x'],
    ['./x//y/', '/home/a/x/y'],
    ['Documents/../Pictures', '/home/a/Pictures'],
    ['~draft.txt', '/home/a/~draft.txt'],
    ['-rf', '/home/a/-rf'],
    [' leading', '/home/a/ leading'],
    ['trailing.', '/home/a/trailing.'],
    ['a\nb', '/home/a/a\nb'],
    ['caf\udce9', '/home/a/caf\udce9'],
  ])('%j is %j', (text, path) => {
    expect(codeOf(text)).toBe(path);
  });

  test.each([
    '../../etc/passwd',
    'Documents/../../x',
    '/etc/passwd',
    '/home/ab/x',
    '/home',
    '/',
    '~other/',
    '~root',
    '~/../b',
    '/home/a/../b',
  ])('%j leads out of the root', (text) => {
    expect(codeOf(text)).toBe('files.outside-root');
  });

  test.each([
    ['with a NUL', 'a\0b'],
    ['with half a character', 'a\ud800b'],
    ['with the other half', 'a\udfffb'],
    ['that is too long', 'a/'.repeat(2100)],
    ['with a name of 256 bytes', 'x'.repeat(256)],
    ['that is empty', ''],
  ])('%s is none', (_, text) => {
    expect(codeOf(text)).toBe('files.invalid-path');
  });

  test('in the workspace of an agent is inside too', () => {
    expect(codeOf('/h/agents/jean/workspace/x', [...roots, '/h/agents/jean/workspace'])).toBe(
      '/h/agents/jean/workspace/x',
    );
  });

  test('is shown below the root with a tilde', () => {
    expect(shownPath(roots, '/home/a/x')).toBe('~/x');
    expect(shownPath(roots, '/home/a')).toBe('~');
    expect(shownPath(roots, '/home/ab')).toBe('/home/ab');
    expect(shownPath(['/'], '/x')).toBe('/x');
  });
});
