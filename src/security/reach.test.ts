import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SimulatedClock } from '../../tests/sim/clock.ts';
import { SimulatedLedger } from '../../tests/sim/ledger.ts';
import { seededRandom } from '../../tests/sim/random.ts';
import { times } from '../../tests/support/tier.ts';
import { coversPath } from '../kernel/capability/capability.ts';
import {
  type MemoryKey,
  type MemoryScope,
  memoryAction,
  memoryScopes,
} from '../kernel/memory/memory.ts';
import { Grants } from './grants/grants.ts';
import { memoryReach } from './reach.ts';

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
          const action = memoryAction(jean, whose, 'search');
          const decision = await grants.decide(ledger.committed, jean, action);
          expect(isIn(reach, whose), `${capabilities} ${JSON.stringify(whose)}`).toBe(
            decision.kind === 'allowed',
          );
        }
      },
    ),
    { numRuns: times({ fast: 60, full: 300 }) },
  );
});

function isIn(
  reach: Awaited<ReturnType<typeof memoryReach>>,
  { owner, scope, key }: MemoryKey,
): boolean {
  const path = key.split('/');
  const action = { resource: 'memory', action: 'search', path } as const;
  return reach.some(
    (each) =>
      each.owner === owner &&
      each.scope === scope &&
      (each.chains === 'all' ||
        each.chains.some((chain) => chain.every((target) => coversPath(target, action)))),
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

describe('a share reaches as far as whoever gave it may share', () => {
  const sam = 'agent:sam';
  const sams = (key: string) => ({ owner: sam, scope: 'long-term', key }) as const;
  const spaces = (key: string) => ({ owner: 'shared', scope: 'shared', key }) as const;

  async function shared(right: string | undefined, capability: string) {
    const { grants } = await grantsOf([]);
    const facts = { parent: null, asks: 0 } as const;
    await grants.change(async (_tx, changes) => {
      const given = { ...facts, granted_by: 'owner', origin: 'owner' } as const;
      if (right !== undefined) await changes.give({ ...given, principal: sam, capability: right });
      const share = { ...facts, granted_by: sam, origin: 'delegation' } as const;
      const { id } = await changes.give({ ...share, principal: jean, capability });
      const passedOn = { ...share, parent: id, granted_by: jean, capability };
      await changes.give({ ...passedOn, principal: 'agent:ben' });
    });
    return grants;
  }

  test.each<[string | undefined, string, readonly MemoryKey[], readonly MemoryKey[]]>([
    ['memory:**:share', 'memory:of/sam/long-term/a/**:search', [sams('a/b')], [sams('c')]],
    ['memory:long-term/a/b/**:share', 'memory:of/sam/**:search', [sams('a/b/c')], [sams('a/x')]],
    ['memory:**:read', 'memory:of/sam/long-term/a/**:search', [], [sams('a/b')]],
    [undefined, 'memory:of/sam/long-term/a/**:search', [], [sams('a/b')]],
    ['memory:shared/a/**:share', 'memory:shared/**:search', [spaces('a/b')], [spaces('c/b')]],
    [undefined, 'memory:shared/a/**:search', [], [spaces('a/b')]],
  ])('with %s: %s', async (right, capability, inside, outside) => {
    const grants = await shared(right, capability);

    for (const who of [jean, 'agent:ben']) {
      const reach = await memoryReach(grants, who, 'search');
      for (const each of inside) expect(isIn(reach, each)).toBe(true);
      for (const each of outside) expect(isIn(reach, each)).toBe(false);
    }
  });

  test('and ends not because its giver is paused', async () => {
    const grants = await shared('memory:**:share', 'memory:of/sam/long-term/a/**:search');
    grants.setPaused(sam, true);

    expect(isIn(await memoryReach(grants, jean, 'search'), sams('a/b'))).toBe(true);
  });
});

test('a grant that is used up reaches nothing', async () => {
  const { grants, ledger } = await grantsOf(['memory:working/**:search{max:1}']);
  const [held] = await grants.heldBy(jean);
  expect(await memoryReach(grants, jean, 'search')).toHaveLength(1);

  await ledger.transact((tx) => grants.use(tx, [held]));

  expect(await memoryReach(grants, jean, 'search')).toEqual([]);
});
