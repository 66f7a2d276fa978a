import { expect, test } from 'vitest';
import { seededRandom } from '../../tests/sim/random.ts';
import { hashOfHandle, looksLikeHandle, mintHandle } from './handles.ts';

test('mintHandle() makes another handle each time, of 256 bits', () => {
  const random = seededRandom(1);
  const handles = Array.from({ length: 1000 }, () => mintHandle(random));

  expect(new Set(handles).size).toBe(1000);
  expect(handles.every(looksLikeHandle)).toBe(true);
  expect(Buffer.from(handles[0]?.slice(4) ?? '', 'base64url')).toEqual(
    Buffer.from(seededRandom(1).bytes(32)),
  );
});

test('hashOfHandle() is the sha256 of the text', () => {
  expect(hashOfHandle('aos_abc')).toBe(
    '65be69e3f3ac7b301ad01ae733c42aa121762d0512cf4bcfa17c2ee90d5eb206',
  );
});

test.each([
  [''],
  ['aos_'],
  [`aos_${'a'.repeat(42)}`],
  [`aos_${'a'.repeat(44)}`],
  [`AOS_${'a'.repeat(43)}`],
  [`aos_${'a'.repeat(42)}=`],
  [`aos_${'a'.repeat(43)}\n`],
  [` aos_${'a'.repeat(43)}`],
])('%j is no handle', (text) => {
  expect(looksLikeHandle(text)).toBe(false);
});
