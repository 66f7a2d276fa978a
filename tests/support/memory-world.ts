import { join } from 'node:path';
import { realClock } from '../../src/engines/clock.ts';
import { openMemoryIndex } from '../../src/engines/memory/memory-index.ts';
import { openTimeZone } from '../../src/engines/time-zone.ts';
import type { Embedder, MemoryIndex } from '../../src/kernel/memory/index-port.ts';
import type { MemoryKey, MemoryScope } from '../../src/kernel/memory/memory.ts';
import { insertAgent } from '../../src/ledger/agents.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { GrantRow } from '../../src/ledger/security/grants.ts';
import type { MemoryActor, MemoryDeps } from '../../src/memory/deps.ts';
import { MemoryManager } from '../../src/memory/memory-manager.ts';
import type { NewMemory } from '../../src/memory/store.ts';
import { Grants } from '../../src/security/grants/grants.ts';
import { SimulatedClock } from '../sim/clock.ts';
import { seededRandom } from '../sim/random.ts';
import { complainingLog } from './complaining-log.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { openTestLedger } from './temporary-ledger.ts';

export interface MemoryWorld extends AsyncDisposable {
  readonly folder: string;
  readonly ledger: Ledger;
  readonly clock: SimulatedClock;
  readonly grants: Grants;
  readonly index: MemoryIndex;
  readonly memory: MemoryManager;
  /** Jean's, in `long-term`, unless another place is said. */
  store(key: string, value: unknown, more?: Partial<NewMemory>): Promise<number>;
  give(principal: string, capability: string): Promise<GrantRow>;
  /** The keys that are found, the best first. */
  found(query: string, who?: string, scope?: MemoryScope): Promise<readonly string[]>;
}

export const jean = 'agent:jean';
export const sam = 'agent:sam';

export function place(key: string, owner = jean, scope: MemoryScope = 'long-term'): MemoryKey {
  return { owner, scope, key };
}

const asItIs = <T>(it: T): T => it;

function guest(name: string, at: number) {
  return { name, registered_at: at, status: 'active', state: 'pending', body: 'guest' } as const;
}

let calls = 0;

/** A call of its own each time. */
export function callerFor(principal: string, operation?: string): MemoryActor {
  const signal = new AbortController().signal;
  return { principal, user: `tool-call:call-${++calls}`, operation, signal };
}

export interface MemoryWorldChoices {
  readonly embedder?: Embedder;
  readonly eraseFiles?: (message: string) => Promise<boolean>;
  /** Where it lies, and stays. */
  readonly folder?: string;
  readonly epoch?: number;
  readonly watch?: (ledger: Ledger) => Ledger;
  readonly watchIndex?: (index: MemoryIndex) => MemoryIndex;
  readonly log?: MemoryDeps['log'];
}

/** The real ledger and the real index, on the real disk; time is told by the test. */
export async function memoryWorld(choices: MemoryWorldChoices = {}): Promise<MemoryWorld> {
  await using opened = new AsyncDisposableStack();
  const folder = choices.folder ?? opened.use(temporaryFolder()).path;
  const clock = new SimulatedClock();
  const { epoch = 1, watch = asItIs, watchIndex = asItIs, log = complainingLog } = choices;
  const ledger = watch(opened.use(await openTestLedger(join(folder, 'ledger.db'), { epoch })));
  const random = seededRandom('memory');
  const grants = new Grants({ ledger, clock, random });
  const index = watchIndex(
    opened.use(openMemoryIndex({ file: join(folder, 'search.db'), clock: realClock })),
  );
  const memory = opened.use(
    new MemoryManager({
      ...{ ledger, grants, clock, random, index, log },
      zone: openTimeZone('UTC'),
      embedder: () => choices.embedder,
      ...(choices.eraseFiles && { eraseFiles: choices.eraseFiles }),
    }),
  );
  await ledger.transact(async (tx) => {
    for (const name of ['jean', 'sam']) await insertAgent(tx, guest(name, clock.now()));
  });
  const world = {
    ...{ folder, ledger, clock, grants, index, memory },
    store: async (key: string, value: unknown, more: Partial<NewMemory> = {}) => {
      const source = `tool-call:store-${++calls}`;
      const wanted = { place: place(key), value, author: jean, source, ...more };
      return (await memory.store(wanted)).memory.version;
    },
    give: (principal: string, capability: string) =>
      grants.change((_tx, changes) =>
        changes.give({
          ...{ principal, capability, parent: null, granted_by: 'owner' },
          ...{ origin: 'owner', asks: 0 },
        }),
      ),
    found: async (query: string, who = jean, scope?: MemoryScope) => {
      const { hits } = await memory.search(callerFor(who), { query, scope });
      return hits.map(({ memory: { key } }) => key);
    },
  };
  await world.give(jean, 'memory:**:read,write,search,share');
  const kept = opened.move();
  return { ...world, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
