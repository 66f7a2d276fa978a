import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyDeed } from '../../../tests/support/capability-arbitrary.ts';
import { type Capability, covers, type Deed } from './capability.ts';
import { parseCapability, printCapability } from './capability-text.ts';
import { capabilityFor, printDeed, wideEnough } from './sensitive-path.ts';

const file = (...path: string[]): Deed => ({ resource: 'file', action: 'read', path });
const page = (...path: string[]): Deed => ({
  ...{ resource: 'http', action: 'get', host: 'h.example', port: 443 },
  path,
});

const program = (name: string): Deed => ({ resource: 'shell', action: 'execute', name });

const wholePlace: Deed = {
  ...{ resource: 'http', action: 'request', host: 'h.example', port: 443 },
  path: ['v1'],
  everyPath: true,
};

const printed = (capability: Capability | undefined) => capability && printCapability(capability);

test('what is written for a deed allows it', () => {
  fc.assert(
    fc.property(anyDeed(), (deed) => {
      const capability = wideEnough(deed);

      expect(capability && covers(parseCapability(printCapability(capability)), deed)).toBe(true);
    }),
  );
});

test.each([
  [file('data', 'a.txt'), 'file:/data/a.txt:read'],
  [page('v1', 'items'), 'http:h.example:443/v1/items:get'],
  [page(), 'http:h.example:443/:get'],
  [wholePlace, 'http:h.example:443/*:request'],
  [{ resource: 'message', action: 'send', name: '*' } satisfies Deed, 'message:*:send'],
  [program('g++'), 'shell:g++:execute'],
  [program('/workspace/build.sh'), 'shell:/workspace/build.sh:execute'],
  [program('/workspace/a b/*'), 'shell:/workspace/a%20b/%2A:execute'],
])('a plain deed has a capability of its own: %j', (deed, text) => {
  expect(printDeed(deed)).toBe(text);
  expect(printed(wideEnough(deed))).toBe(text);
  expect(capabilityFor(deed)).toBeDefined();
});

test.each([
  [page('a', ''), 'http:h.example:443/a/*:get'],
  [page('', 'b'), 'http:h.example:443/*:get'],
  [file('data', 'two\nlines', 'x'), 'file:/data/*/x:read'],
  [file('data', 'turned‮round'), 'file:/data/*:read'],
])('what no capability can name gets a star, and none of its own: %j', (deed, text) => {
  expect(capabilityFor(deed)).toBeUndefined();
  expect(printed(wideEnough(deed))).toBe(text);
  expect(covers(parseCapability(text), deed)).toBe(true);
});

test.each([
  program('git '),
  program('git.*'),
  program('['),
  program('../git'),
  program('/'),
  program('/workspace/two\nlines'),
  program('/workspace/turned\u202eround'),
  program(`/workspace/${'x'.repeat(256)}`),
  program(`/workspace/${'x/'.repeat(3000)}x`),
  { resource: 'secret', action: 'use', name: 'two words' } satisfies Deed,
])('a name that no capability can say has none at all, and none that is wider: %j', (deed) => {
  expect(capabilityFor(deed)).toBeUndefined();
  expect(wideEnough(deed)).toBeUndefined();
});
