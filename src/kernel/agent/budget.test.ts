import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Budget,
  type BudgetResource,
  leftOf,
  parseLimits,
  printAmount,
  resources,
  spent,
  uncovered,
} from './budget.ts';

const nothing = { limit: undefined, used: 0, held: 0 };
const unlimited: Budget = {
  tokens: nothing,
  cost: nothing,
  wall: nothing,
  tool_calls: nothing,
  children: nothing,
};

test('parseLimits() reads each resource in its own unit', () => {
  const limits = parseLimits([
    'tokens=1000',
    'cost=0.50',
    'wall=10m',
    'tool_calls=20',
    'children=2',
  ]);

  expect(limits).toEqual({
    tokens: 1000,
    cost: 500_000,
    wall: 600_000,
    tool_calls: 20,
    children: 2,
  });
});

test.each([
  ['cost=$3', { cost: 3_000_000 }],
  ['cost=0.000001', { cost: 1 }],
  ['cost=999999999.999999', { cost: 999_999_999_999_999 }],
  ['wall=1500ms', { wall: 1500 }],
  ['wall=90s', { wall: 90_000 }],
  ['wall=2h', { wall: 7_200_000 }],
  ['tokens=0', { tokens: 0 }],
  ['tokens=999999999999999', { tokens: 999_999_999_999_999 }],
])('parseLimits() reads %s', (text, limits) => {
  expect(parseLimits([text])).toEqual(limits);
});

test.each([
  'tokens',
  'tokens=',
  'tokens=-1',
  'tokens=1e9',
  'tokens=1.5',
  'tokens= 5',
  'tokens=5\n',
  'tokens=1000000000000000',
  'tokens=0x10',
  'Tokens=5',
  'token=5',
  '=5',
  '',
  'cost=0.1234567',
  'cost=.5',
  'cost=1,5',
  'wall=10',
  'wall=10m30s',
  'wall=1d',
  'wall=9999999999s',
  '__proto__=5',
])('parseLimits() refuses %j, and says how a budget is written', (text) => {
  expect(() => parseLimits([text])).toThrow(
    expect.objectContaining({ code: 'budget.malformed', fix: expect.stringContaining('tokens=') }),
  );
});

test('parseLimits() refuses a resource that is limited twice', () => {
  expect(() => parseLimits(['tokens=1', 'tokens=2'])).toThrow(/tokens is limited twice/);
});

test('parseLimits() guesses what was meant, and shows no more than the beginning', () => {
  expect(() => parseLimits(['tokns=5'])).toThrow(/Did you mean "tokens"\?/);
  expect(() => parseLimits([`wall=${'9'.repeat(10_000)}`])).toThrow(/^.{1,200}$/);
});

test.each([
  ['tokens', 1000, '1000'],
  ['cost', 500_000, '$0.50'],
  ['cost', 0, '$0.00'],
  ['cost', 1, '$0.000001'],
  ['cost', 1_234_500, '$1.2345'],
  ['wall', 0, '0s'],
  ['wall', 400, '400ms'],
  ['wall', 1500, '1.5s'],
  ['wall', 600_000, '10m'],
  ['wall', 90_000, '1m 30s'],
  ['wall', 5_400_000, '1h 30m'],
  ['wall', 3_600_007, '1h 0.007s'],
  ['children', 2, '2'],
] as const)('printAmount() of %s %d is %s', (resource, amount, text) => {
  expect(printAmount(resource, amount)).toBe(text);
});

test('a cost that was printed reads back as the same', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 999_999_999_999_999 }), (cost) => {
      expect(parseLimits([`cost=${printAmount('cost', cost)}`])).toEqual({ cost });
    }),
  );
});

test('what is held or used is not left, and never less than nothing is', () => {
  expect(leftOf({ limit: 100, used: 30, held: 20 })).toBe(50);
  expect(leftOf({ limit: 100, used: 130, held: 0 })).toBe(0);
  expect(leftOf(nothing)).toBe(Number.POSITIVE_INFINITY);
});

test('uncovered() names the first that is not covered', () => {
  const budget = { ...unlimited, tokens: { limit: 10, used: 5, held: 0 } };

  expect(uncovered(budget, { tokens: 5, cost: 9e9 })).toBeUndefined();
  expect(uncovered(budget, { tokens: 6 })).toBe('tokens');
  expect(uncovered(budget, {})).toBeUndefined();
});

test.each([
  ['tokens', 500, 'The budget of agent "jean" does not cover 500 tokens: 20 of 1000 tokens left'],
  ['cost', 500, 'The budget of agent "jean" does not cover $0.0005: $0.00002 of $0.001 left'],
  ['wall', 500, 'The budget of agent "jean" does not cover 500ms: 20ms of 1s left'],
  ['children', 1, 'The budget of agent "jean" does not cover 1 child: 20 of 1000 children left'],
] as const)('spent() says of %s what was wanted and what is left', (resource, wanted, message) => {
  const account = { limit: 1000, used: 900, held: 80 };

  expect(spent('agent "jean"', resource, { account, wanted })).toMatchObject({
    code: 'budget.spent',
    message,
    details: { resource, wanted, limit: 1000, used: 900, held: 80 },
  });
});

test('every resource can be printed and limited', () => {
  const example: Record<BudgetResource, string> = {
    tokens: '7',
    cost: '7',
    wall: '7s',
    tool_calls: '7',
    children: '7',
  };

  for (const one of resources)
    expect(parseLimits([`${one}=${example[one]}`])[one]).toBeGreaterThan(0);
});
