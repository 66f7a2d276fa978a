import { expect, test } from 'vitest';
import { fixFor, saysNoRoom, tooOld } from './examine.ts';

test.each(['bubblewrap 0.8.0', 'bubblewrap 0.11.2', 'bubblewrap 1.0'])('%s will do', (version) => {
  expect(tooOld(version)).toBeUndefined();
});

test.each([
  ['bubblewrap 0.6.1', 'it is bubblewrap 0.6, and 0.8 is needed'],
  ['what?', 'it does not tell its version: what?'],
])('%s will not', (version, says) => {
  expect(tooOld(version)).toBe(says);
});

test.each([
  ['bwrap: setting up uid map: Permission denied', /user namespaces/],
  ['bwrap: No permissions to create new namespace', /user namespaces/],
  ['descriptors are inherited (0 1 2 3 9)', /aos up --detach/],
  ['the network is reachable (eth0:)', /bubblewrap 0\.8 or newer/],
])('for "%s" there is something to do', (words, fix) => {
  expect(fixFor(words)).toMatch(fix);
});

test.each([
  ['ENOSPC: no space left on device, write', true],
  ["sh: 1: can't create /workspace/.aos-self-test: No space left on device", true],
  ['EDQUOT: disk quota exceeded, open', true],
  ['the workspace cannot be written', false],
])('"%s" is for want of room: %s', (words, isSo) => {
  expect(saysNoRoom(words)).toBe(isSo);
});
