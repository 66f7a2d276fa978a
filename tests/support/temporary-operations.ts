/** Operations over a real ledger and a real disk, whose runs are in the test. */
import { mkdirSync } from 'node:fs';
import { homeBlobs } from '../../src/app/upkeep/blobs.ts';
import { realEventLoop, realRandom } from '../../src/engines/clock.ts';
import { realDisk } from '../../src/engines/disk/disk.ts';
import { newId } from '../../src/kernel/new-id.ts';
import type { Instant } from '../../src/kernel/ports.ts';
import { insertAgent } from '../../src/ledger/agents.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { ArtifactRow } from '../../src/ledger/operations/artifacts.ts';
import { insertBudget } from '../../src/ledger/operations/leases.ts';
import {
  claimOperation,
  endOperation,
  findOperation,
  insertOperation,
  type OperationRow,
  type OverState,
} from '../../src/ledger/operations/operations.ts';
import { appendSteps } from '../../src/ledger/operations/steps.ts';
import { insertPrincipal } from '../../src/ledger/security/principals.ts';
import type { OperationLimits, OperationsDeps } from '../../src/operations/deps.ts';
import { Operations } from '../../src/operations/operations.ts';
import { CapabilityManager } from '../../src/security/grants/capability-manager.ts';
import { Grants } from '../../src/security/grants/grants.ts';
import { ledgerWithBodies, openOperationKeys } from '../../src/security/operation-keys.ts';
import { ensureOwner } from '../../src/security/owner.ts';
import { openServerKeys } from '../../src/security/server-keys.ts';
import { SimulatedClock } from '../sim/clock.ts';
import { Grantee } from './grantee.ts';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';
import { openTestLedger } from './temporary-ledger.ts';

export interface TemporaryOperations extends AsyncDisposable {
  readonly folder: TemporaryFolder;
  readonly ledger: Ledger;
  readonly grants: Grants;
  readonly clock: SimulatedClock;
  readonly deps: OperationsDeps;
  readonly operations: Operations;
  /** What was told, by its words. */
  readonly logged: readonly string[];
  /** Operations that were cancelled, each with the reason. */
  readonly cancelled: readonly string[];
  /** As after a crash: nothing of what was in memory is left. */
  restart(): Promise<void>;
  /** An outsider who has signed, unless said otherwise. */
  outsider(facts?: { readonly isKnown: boolean }): Promise<Grantee>;
  /** The id of the grant. */
  grant(grantee: Grantee, capability?: string): Promise<string>;
  revoke(grant: string): Promise<void>;
  /** One that runs, with what was said in it so far. */
  begin(grantee: Grantee, facts?: { readonly grant?: string }): Promise<OperationRow>;
  store(operation: OperationRow, name: string, text: string): Promise<ArtifactRow>;
  /** It is over, and finished. */
  end(operation: OperationRow, state?: OverState): Promise<void>;
  /** For somebody whom it is sealed for. */
  read(grantee: Grantee, operation: OperationRow, name: string): Promise<string>;
}

export const day = 86_400_000;
export const said = 'something that only the journal has';

export async function temporaryOperations(
  limits: Partial<OperationLimits> = {},
): Promise<TemporaryOperations> {
  const folder = temporaryFolder();
  for (const name of ['keys', 'agents', 'blobs', 'artifacts', 'tmp']) {
    mkdirSync(folder.at(name), { mode: 0o700 });
  }
  const clock = new SimulatedClock();
  const engines = { clock, disk: realDisk, random: realRandom, eventLoop: realEventLoop };
  // Its own waiting is real: it waits for others who read.
  const raw = await openTestLedger(folder.at('ledger.db'));
  await ensureOwner({ ...engines, ledger: raw }, folder.path);
  const logged: string[] = [];
  const log = (_facts: object, words: string): void => void logged.push(words);
  const cancelled: string[] = [];
  const open = async (): Promise<OperationsDeps> => {
    const operationKeys = await openOperationKeys(engines, folder.path);
    const ledger = ledgerWithBodies(raw, operationKeys);
    return {
      ...{ ...engines, ledger, operationKeys, home: folder.path },
      blobs: homeBlobs(engines, folder.path).blobs,
      grants: new Grants({ ...engines, ledger }),
      log: { info: log, warn: log, error: log },
      serverKeys: await openServerKeys(engines, folder.path),
      limits: { runMs: 600_000, workspaceBytes: 1_000_000, keepMs: 7 * day, ...limits },
      queue: {
        submit: () => Promise.reject(new Error('nothing is submitted here')),
        cancel: async (id, { reason }) => void cancelled.push(`${id}: ${reason}`),
        templateFor: async () => 'default',
        observe: () => {},
      },
    };
  };
  let deps = await open();
  let operations = new Operations(deps);
  let agents = 0;
  const opened: TemporaryOperations = {
    ...{ folder, clock, logged, cancelled },
    get deps() {
      return deps;
    },
    get ledger() {
      return deps.ledger;
    },
    get grants() {
      return deps.grants;
    },
    get operations() {
      return operations;
    },
    async restart() {
      operations[Symbol.dispose]();
      deps = await open();
      operations = new Operations(deps);
    },
    async outsider({ isKnown } = { isKnown: true }) {
      const grantee = new Grantee();
      const { address, publicKey } = grantee;
      const facts = { id: `grantee:${address}`, kind: 'grantee', address } as const;
      const public_key = isKnown ? publicKey : '';
      await deps.ledger.transact((tx) =>
        insertPrincipal(tx, { ...facts, public_key, created_at: clock.now() }),
      );
      return grantee;
    },
    async grant({ address }, capability = 'operation:*:start') {
      const manager = new CapabilityManager(deps);
      return (await manager.grant({ agent: address, capability }, 'owner')).id;
    },
    async revoke(grant) {
      await new CapabilityManager(deps).revoke(grant, 'owner');
    },
    async begin({ address }, facts = {}) {
      const id = newId(clock.now(), realRandom);
      await deps.operationKeys.make(id);
      const agent = `worker-${++agents}`;
      mkdirSync(folder.at('agents', agent, 'workspace', 'artifacts'), { recursive: true });
      const owner = `grantee:${address}`;
      return beginOperation(deps.ledger, { id, agent, owner, at: clock.now(), ...facts });
    },
    async store({ id }, name, text) {
      return operations.create(id, { name, content: once(Buffer.from(text)) });
    },
    async end({ id }, to = 'completed') {
      const at = clock.now();
      const result = JSON.stringify({ text: 'done' });
      await deps.ledger.transact((tx) => endOperation(tx, id, { to, result, at }));
      await operations.recover();
    },
    async read(grantee, { id }, name) {
      const principal = `grantee:${grantee.address}`;
      const { artifact, open: openBytes } = await operations.download(principal, { id, name });
      const bytes = Buffer.concat(
        await Array.fromAsync(await openBytes({ from: 0, to: artifact.stored_bytes })),
      );
      return grantee.open({ bytes, key: artifact.wrapped_key, id: artifact.id }).toString();
    },
    async [Symbol.asyncDispose]() {
      operations[Symbol.dispose]();
      await raw[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
  return opened;
}

export interface BegunOperation {
  readonly id: string;
  readonly agent: string;
  readonly owner: string;
  readonly at: Instant;
  readonly grant?: string;
}

/** An agent, and what it works on for an outsider. */
export async function beginOperation(
  ledger: Ledger,
  { id, agent, owner, at, grant }: BegunOperation,
): Promise<OperationRow> {
  await ledger.transact(async (tx) => {
    const facts = { registered_at: at, status: 'active', state: 'pending', body: 'model' } as const;
    await insertAgent(tx, { name: agent, ...facts });
    await insertOperation(tx, {
      ...{ id, agent, owner, parent: null, goal: said, because: 'a test', priority: 5 },
      ...{ due_at: at, deadline_at: null, created_at: at, of_mail: 0 },
      ...{ grant_id: grant, is_sealed: true },
    });
    await insertBudget(tx, `operation:${id}`, { wall: 600_000 });
    await claimOperation(tx, id, at);
    await appendSteps(tx, id, [{ kind: 'note', code: 'test.note', text: said }], at);
  });
  const row = await findOperation(ledger.committed, id);
  if (row === undefined) throw new Error('it is not there');
  return row;
}

export async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  yield bytes;
}
