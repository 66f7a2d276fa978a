/** What a search takes among very many memories, against one among few. */
import { join } from 'node:path';
import { realClock } from '../src/engines/clock.ts';
import { openMemoryIndex } from '../src/engines/memory/memory-index.ts';
import type { IndexQuery, MemoryIndex } from '../src/kernel/memory/index-port.ts';
import { type Bench, quantile, type Sides } from './frame.ts';
import { workplace } from './workplace.ts';

const [few, many] = [1000, 100_000];
const pageSize = 1000;
const rowsOfThread = 20;
const queriesPerRound = 60;

export const memoryGrowthBenches: readonly Bench[] = [
  {
    name: 'memory.growth',
    unit: 'ms (p50 of a query)',
    floorIs: `the same among ${few} instead of ${many}`,
    target: '<=10',
    rounds: 7,
    prepare,
  },
];

const never = new AbortController().signal;

async function prepare(): Promise<Sides> {
  const { folder, disposables } = await workplace();
  const open = async (rows: number) => {
    const file = join(folder, `${rows}.db`);
    const index = disposables.use(openMemoryIndex({ file, clock: realClock }));
    await fill(index, rows);
    return index;
  };
  const [large, small] = [await open(many), await open(few)];
  return {
    value: () => medianQueryMs(large),
    floor: () => medianQueryMs(small),
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  };
}

async function fill(index: MemoryIndex, rows: number): Promise<void> {
  const text = talk(1);
  for (let first = 0; first < rows; first += pageSize) {
    const changes = Array.from({ length: pageSize }, (_, place) => {
      const id = first + place + 1;
      const thread = `talk ${Math.floor(id / rowsOfThread)}`;
      const names = { owner: 'agent:jean', scope: 'long-term', key: `said/${id}` } as const;
      return { id, memory: { ...names, id, thread, tags: [], text: text(25), validFrom: id } };
    });
    await index.apply(changes, { seq: first + pageSize, event: 0, eventHash: '' });
  }
}

async function medianQueryMs(index: MemoryIndex): Promise<number> {
  const text = talk(2);
  const times: number[] = [];
  for (let round = 0; round < queriesPerRound; round++) {
    const query = queryOf(text(5));
    const startedAt = performance.now();
    await index.search(query, never);
    times.push(performance.now() - startedAt);
  }
  return quantile(times, 0.5);
}

function queryOf(query: string): IndexQuery {
  const within = [{ owner: 'agent:jean', scope: 'long-term', chains: 'all' }] as const;
  return { query, within, tags: [], now: many, limit: 10, by: 'memory' };
}

const vocabulary = 20_000;

/** Words as people use them: the second half as often as the first, the third a third as often. */
function talk(seed: number): (words: number) => string {
  let state = seed;
  const chance = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  const word = () => Math.floor(vocabulary ** chance());
  return (words) => Array.from({ length: words }, () => `w${word().toString(36)}`).join(' ');
}
