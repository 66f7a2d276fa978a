/** What it costs to ask whether something is allowed. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { realClock, realRandom } from '../src/engines/clock.ts';
import type { Action } from '../src/kernel/capability/capability.ts';
import { Grants } from '../src/security/grants/grants.ts';
import { authorize } from '../src/security/permit.ts';
import { type Bench, quantile, type Sides } from './frame.ts';
import { openBenchLedger } from './ledger.ts';
import { workplace } from './workplace.ts';

const few = 1000;
const many = 100_000;
/** An agent does the same things again and again, however much it may. */
const working = 1000;
const asksPerRound = 20_000;
const principal = 'agent:jean';

export const securityBenches: readonly Bench[] = [
  {
    name: 'security.authorize',
    unit: 'us',
    floorIs: 'one prepared SELECT by its index, of the same ledger',
    target: '<=4',
    rounds: 21,
    prepare: prepareAuthorize,
  },
  {
    name: 'security.growth',
    unit: 'us',
    floorIs: `the same ${working} actions with ${few} grants instead of ${many}`,
    target: '<=2',
    rounds: 21,
    prepare: () => prepareGrowth(working),
  },
  {
    name: 'security.growth.cold',
    unit: 'us',
    floorIs: `${few} grants instead of ${many}, each of them used as rarely as any other`,
    target: 'printed',
    rounds: 11,
    prepare: () => prepareGrowth(many),
  },
];

async function prepareAuthorize(): Promise<Sides> {
  const { folder, disposables } = await workplace();
  const path = join(folder, 'ledger.db');
  const held = await hold(disposables, path, few);
  const raw = disposables.adopt(new DatabaseSync(path, { readOnly: true }), (db) => db.close());
  const select = raw.prepare('select capability from grants where id = ?');
  return {
    value: () => timeAsks(held, working),
    async floor() {
      const times: number[] = [];
      for (let ask = 0; ask < asksPerRound; ask++) {
        const startedAt = process.hrtime.bigint();
        select.get(held.ids[ask % held.ids.length] ?? '');
        times.push(Number(process.hrtime.bigint() - startedAt) / 1000);
      }
      return quantile(times, 0.5);
    },
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  };
}

async function prepareGrowth(actions: number): Promise<Sides> {
  const { folder, disposables } = await workplace();
  const large = await hold(disposables, join(folder, 'large.db'), many);
  const small = await hold(disposables, join(folder, 'small.db'), few);
  return {
    value: () => timeAsks(large, actions),
    floor: () => timeAsks(small, actions),
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  };
}

interface Held {
  readonly grants: Grants;
  readonly sql: Parameters<typeof authorize>[1];
  readonly ids: readonly string[];
  readonly count: number;
}

/** One agent that holds so many: files, hosts and names, each a third. */
async function hold(disposables: AsyncDisposableStack, path: string, count: number): Promise<Held> {
  const ledger = disposables.use(await openBenchLedger(path, 1));
  const grants = new Grants({ ledger, clock: realClock, random: realRandom });
  const ids = await grants.change(async (_tx, changes) => {
    const given: string[] = [];
    for (let index = 0; index < count; index++) {
      const facts = { parent: null, granted_by: 'owner', origin: 'owner', asks: 0 } as const;
      given.push((await changes.give({ principal, capability: capabilityAt(index), ...facts })).id);
    }
    return given;
  });
  return { grants, sql: ledger.committed, ids, count };
}

function capabilityAt(index: number): string {
  if (index % 3 === 0) return `file:/srv/project-${index}/data/**:read,write`;
  if (index % 3 === 1) return `http:api-${index}.example.com/v1/*:get,post`;
  return `tool:pack-${index}.run:call`;
}

/** Every tenth is of something that is not held. */
function actionAt(index: number, isHeld: boolean): Action {
  const name = isHeld ? String(index) : `none-${index}`;
  if (index % 3 === 0) {
    const path = ['srv', `project-${name}`, 'data', 'reports', '2030', 'january.csv'];
    return { resource: 'file', action: 'read', path };
  }
  if (index % 3 === 1) {
    const host = `api-${name}.example.com`;
    return { resource: 'http', action: 'get', host, port: 443, path: ['v1', 'items', '17'] };
  }
  return { resource: 'tool', action: 'call', name: `pack-${name}.run` };
}

/** `actions` different ones, spread over all that is held. */
async function timeAsks({ grants, sql, count }: Held, actions: number): Promise<number> {
  const different = Math.min(actions, count);
  const apart = Math.floor(count / different);
  const times: number[] = [];
  for (let ask = 0; ask < asksPerRound; ask++) {
    const isHeld = ask % 10 !== 0;
    const action = actionAt(((ask * 7919) % different) * apart, isHeld);
    const startedAt = process.hrtime.bigint();
    const decision = await authorize(grants, sql, { principal, action });
    times.push(Number(process.hrtime.bigint() - startedAt) / 1000);
    if ((decision.kind === 'allowed') !== isHeld) throw new Error('a decision is wrong');
  }
  return quantile(times, 0.5);
}
