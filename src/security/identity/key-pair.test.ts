import { getAddress } from 'viem';
import { expect, test } from 'vitest';
import { seededRandom } from '../../../tests/sim/random.ts';
import { checksummed, toHex } from './key-pair.ts';

test('checksummed() writes small and large letters as viem does', () => {
  const random = seededRandom('addresses');

  for (let sample = 0; sample < 200; sample++) {
    const small = toHex(random.bytes(20));
    // What toHex() makes is what viem calls Hex.
    const theirs = getAddress(small as `0x${string}`);

    expect(checksummed(small)).toBe(theirs);
    expect(checksummed(`0x${small.slice(2).toUpperCase()}`)).toBe(theirs);
    expect(checksummed(theirs)).toBe(theirs);
  }
});

test('checksummed() takes an address without letters', () => {
  const digits = `0x${'1234567890'.repeat(4)}`;

  expect(checksummed(digits)).toBe(digits);
});

test.each([
  ['one letter in the wrong size', '0x8BA1f109551bD432803012645Ac136ddd64DBA72'],
  ['39 digits', '0x8ba1f109551bd432803012645ac136ddd64dba7'],
  ['41 digits', '0x8ba1f109551bd432803012645ac136ddd64dba722'],
  ['no 0x', '8ba1f109551bd432803012645ac136ddd64dba72'],
  ['a large X', '0X8ba1f109551bd432803012645ac136ddd64dba72'],
  ['another letter', '0x8ba1f109551bd432803012645ac136ddd64dba7g'],
  ['a newline at the end', '0x8ba1f109551bd432803012645ac136ddd64dba72\n'],
  ['a number in wide digits', `0x${'１'.repeat(40)}`],
  ['nothing', ''],
])('checksummed() refuses %s', (_what, address) => {
  expect(checksummed(address)).toBeUndefined();
});
