import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SimulatedClock } from '../../tests/sim/clock.ts';
import { SimulatedLedger } from '../../tests/sim/ledger.ts';
import { seededRandom } from '../../tests/sim/random.ts';
import { coversPath } from '../kernel/capability/decide.ts';
import { memoryDeed } from '../kernel/memory/deed.ts';
import { type MemoryKey, type MemoryScope, memoryScopes } from '../kernel/memory/memory.ts';
import { Grants } from './grants/grants.ts';
import { memoryReach } from './memory-reach.ts';

const jean = 'agent:jean';

async function grantsOf(capabilities: readonly string[]) {
  const clock = new SimulatedClock();
  const ledger = await SimulatedLedger.create(clock);
  const grants = new Grants({ ledger, clock, random: seededRandom('reach') });
  await grants.change(async (_tx, changes) => {
    for (const capability of capabilities) {
      const facts = { parent: null, granted_by: 'owner', origin: 'owner', asks: 0 } as const;
      await changes.give({ principal: jean, capability, ...facts });
    }
  });
  return { grants, ledger };
}

const names = fc.constantFrom('a', 'b', 'of', 'sam', 'working', 'shared');
const parts = fc.array(fc.oneof(names, fc.constant('*')), { maxLength: 4 });
const heads = fc.constantFrom(
  ...[[], ['*'], ['working'], ['long-term'], ['shared'], ['of', 'sam'], ['of', '*'], ['*', 'sam']],
  ['of', 'sam', 'long-term'],
  ['of', 'sam', '*'],
);

const capability = fc
  .record({
    ...{ heads, parts, isDeep: fc.boolean() },
    actions: fc.constantFrom('search', 'read', 'read,search', '*'),
  })
  .map(({ heads: head, parts: rest, isDeep, actions }) => {
    const path = [...head, ...rest, ...(isDeep ? ['**'] : [])].join('/');
    return `memory:${path === '' ? '**' : path}:${actions}`;
  });

const place = fc.record({
  owner: fc.constantFrom(jean, 'agent:sam', 'owner'),
  scope: fc.constantFrom(...memoryScopes),
  key: fc.array(names, { minLength: 1, maxLength: 4 }).map((each) => each.join('/')),
});

test('what is in reach is what would be allowed, memory by memory', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(capability, { maxLength: 4 }),
      fc.array(place, { minLength: 1, maxLength: 8 }),
      async (capabilities, places) => {
        const { grants, ledger } = await grantsOf(capabilities);
        const reach = await memoryReach(grants, jean, 'search');
        for (const each of places) {
          const whose = each.scope === 'shared' ? { ...each, owner: 'shared' } : each;
          const deed = memoryDeed(jean, whose, 'search');
          const decision = await grants.decide(ledger.committed, jean, deed);
          expect(isIn(reach, whose), `${capabilities} ${JSON.stringify(whose)}`).toBe(
            decision.kind === 'allowed',
          );
        }
      },
    ),
    { numRuns: 300 },
  );
});

function isIn(
  reach: Awaited<ReturnType<typeof memoryReach>>,
  { owner, scope, key }: MemoryKey,
): boolean {
  const path = key.split('/');
  const deed = { resource: 'memory', action: 'search', path } as const;
  return reach.some(
    (each) =>
      each.owner === owner &&
      each.scope === scope &&
      (each.chains === 'all' ||
        each.chains.some((chain) => chain.every((target) => coversPath(target, deed)))),
  );
}

test.each<[string, readonly MemoryScope[]]>([
  ['memory:**:search', ['context', 'working', 'long-term']],
  ['memory:*:*', ['context', 'working', 'long-term']],
  ['memory:*/notes/**:search', ['context', 'working', 'long-term']],
  ['memory:shared/team/**:search', ['shared']],
  ['memory:working/**:read', []],
])('%s reaches one’s own alone', async (text, scopes) => {
  const { grants } = await grantsOf([text]);

  const reach = await memoryReach(grants, jean, 'search');

  expect(reach.map(({ scope }) => scope)).toEqual(scopes);
  expect(new Set(reach.map(({ owner }) => owner)).has('agent:sam')).toBe(false);
});

test('the owner reaches everything of their own, and every space', async () => {
  const { grants } = await grantsOf([]);

  const reach = await memoryReach(grants, 'owner', 'search');

  expect(reach.map(({ owner, scope, chains }) => [owner, scope, chains])).toEqual([
    ['owner', 'context', 'all'],
    ['owner', 'working', 'all'],
    ['owner', 'long-term', 'all'],
    ['shared', 'shared', 'all'],
  ]);
});
