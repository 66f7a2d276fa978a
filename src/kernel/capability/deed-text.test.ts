import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyDeed } from '../../../tests/support/capability-arbitrary.ts';
import type { Deed } from './capability.ts';
import { parseCapability, printCapability } from './capability-text.ts';
import { covers } from './decide.ts';
import { capabilityFor, printDeed, wideEnough } from './deed-text.ts';

const file = (...path: string[]): Deed => ({ resource: 'file', action: 'read', path });
const page = (...path: string[]): Deed => ({
  ...{ resource: 'http', action: 'get', host: 'h.example', port: 443 },
  path,
});

const wholePlace: Deed = {
  ...{ resource: 'http', action: 'request', host: 'h.example', port: 443 },
  path: ['v1'],
  everyPath: true,
};

test('what is written for a deed allows it', () => {
  fc.assert(
    fc.property(anyDeed(), (deed) => {
      const capability = wideEnough(deed);

      expect(covers(parseCapability(printCapability(capability)), deed)).toBe(true);
    }),
  );
});

test.each([
  [file('data', 'a.txt'), 'file:/data/a.txt:read'],
  [page('v1', 'items'), 'http:h.example:443/v1/items:get'],
  [page(), 'http:h.example:443/:get'],
  [wholePlace, 'http:h.example:443/*:request'],
  [{ resource: 'message', action: 'send', name: '*' } satisfies Deed, 'message:*:send'],
])('a plain deed has a capability of its own: %j', (deed, text) => {
  expect(printDeed(deed)).toBe(text);
  expect(printCapability(wideEnough(deed))).toBe(text);
  expect(capabilityFor(deed)).toBeDefined();
});

test.each([
  [page('a', ''), 'http:h.example:443/a/*:get'],
  [page('', 'b'), 'http:h.example:443/*:get'],
  [file('data', 'two\nlines', 'x'), 'file:/data/*/x:read'],
  [file('data', 'turned‮round'), 'file:/data/*:read'],
])('what no capability can name gets a star, and none of its own: %j', (deed, text) => {
  expect(capabilityFor(deed)).toBeUndefined();
  expect(printCapability(wideEnough(deed))).toBe(text);
  expect(covers(wideEnough(deed), deed)).toBe(true);
});
