import { expect, test } from 'vitest';
import { seededRandom } from '../../../tests/sim/random.ts';
import { isKeyFileName, openKeys, sealKeys } from './sealed-keys.ts';

test.each([
  ['owner.key', true],
  ['owner.handle', true],
  ['secrets.key', true],
  ['agent-jean.key', true],
  ['secrets.key.old', false],
  ['.secrets.key.0123456789abcdef.pending', false],
  ['../secrets.key', false],
  ['id_rsa', false],
])('that a backup carries %s is %s', (name, carried) => {
  expect(isKeyFileName(name)).toBe(carried);
});

test('the key for secrets comes back out of a backup', () => {
  const files = new Map([['secrets.key', Buffer.from('5a'.repeat(32))]]);

  const sealed = sealKeys(seededRandom(1), files, 'a passphrase');

  expect(openKeys(sealed, 'a passphrase')).toEqual(files);
});
