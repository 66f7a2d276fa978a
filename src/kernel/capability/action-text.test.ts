import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyAction } from '../../../tests/support/capability-arbitrary.ts';
import { capabilityFor, printAction, wideEnough } from './action-text.ts';
import { type Action, type Capability, covers } from './capability.ts';
import { parseCapability, printCapability } from './capability-text.ts';

const file = (...path: string[]): Action => ({ resource: 'file', action: 'read', path });
const page = (...path: string[]): Action => ({
  ...{ resource: 'http', action: 'get', host: 'h.example', port: 443 },
  path,
});

const program = (name: string): Action => ({ resource: 'shell', action: 'execute', name });

const wholePlace: Action = {
  ...{ resource: 'http', action: 'request', host: 'h.example', port: 443 },
  path: ['v1'],
  everyPath: true,
};

const printed = (capability: Capability | undefined) => capability && printCapability(capability);

test('what is written for an action allows it', () => {
  fc.assert(
    fc.property(anyAction(), (action) => {
      const capability = wideEnough(action);

      expect(capability && covers(parseCapability(printCapability(capability)), action)).toBe(true);
    }),
  );
});

test.each([
  [file('data', 'a.txt'), 'file:/data/a.txt:read'],
  [page('v1', 'items'), 'http:h.example:443/v1/items:get'],
  [page(), 'http:h.example:443/:get'],
  [wholePlace, 'http:h.example:443/*:request'],
  [{ resource: 'message', action: 'send', name: '*' } satisfies Action, 'message:*:send'],
  [program('g++'), 'shell:g++:execute'],
  [program('/workspace/build.sh'), 'shell:/workspace/build.sh:execute'],
  [program('/workspace/a b/*'), 'shell:/workspace/a%20b/%2A:execute'],
])('a plain action has a capability of its own: %j', (action, text) => {
  expect(printAction(action)).toBe(text);
  expect(printed(wideEnough(action))).toBe(text);
  expect(capabilityFor(action)).toBeDefined();
});

test.each([
  [page('a', ''), 'http:h.example:443/a/*:get'],
  [page('', 'b'), 'http:h.example:443/*:get'],
  [file('data', 'two\nlines', 'x'), 'file:/data/*/x:read'],
  [file('data', 'turned‮round'), 'file:/data/*:read'],
])('what no capability can name gets a star, and none of its own: %j', (action, text) => {
  expect(capabilityFor(action)).toBeUndefined();
  expect(printed(wideEnough(action))).toBe(text);
  expect(covers(parseCapability(text), action)).toBe(true);
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
  { resource: 'secret', action: 'use', name: 'two words' } satisfies Action,
])('a name that no capability can say has none at all, and none that is wider: %j', (action) => {
  expect(capabilityFor(action)).toBeUndefined();
  expect(wideEnough(action)).toBeUndefined();
});
