/**
 * A home with operations, as a process that kills itself at its n-th boundary: before and after
 * every transaction, and before every call of the disk that changes something. Its one argument
 * are `{ finish, begin }` of `OperationCut`; what became of one goes to its output as a line with
 * an `OperationReport`.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { realClock, realRandom } from '../../src/engines/clock.ts';
import { realDisk } from '../../src/engines/disk/disk.ts';
import { type ArtifactRow, artifactsOf } from '../../src/ledger/operations/artifacts.ts';
import { findOperation, listOperations } from '../../src/ledger/operations/operations.ts';
import { metadataLabel, metadataPath } from '../../src/operations/folder.ts';
import { verifyChain } from '../../src/security/audit/verify.ts';
import { openServerKeys } from '../../src/security/server-keys.ts';
import { type OperationWorld, openOperationWorld, writeTemplate } from './operation-world.ts';
import { Boundaries } from './watched-ledger.ts';

export interface KnownGrantee {
  readonly address: string;
  readonly publicKey: string;
}

export interface OperationCut {
  readonly home: string;
  /** What is cut: a run to its end, a rotation, or the first signature of somebody. */
  readonly what: 'run' | 'rotate' | 'learn';
  readonly grantee: KnownGrantee;
}

export interface ReportedArtifact {
  readonly operation: string;
  readonly id: string;
  readonly name: string;
  readonly key: string;
  readonly path: string;
  readonly e2e: boolean;
}

export interface OperationReport {
  readonly boundaries: number;
  readonly states: readonly string[];
  readonly artifacts: readonly ReportedArtifact[];
  /** What the journal holds that is neither a digest nor nothing. */
  readonly bodies: readonly string[];
  readonly operationKeys: readonly string[];
  readonly workspaces: readonly string[];
  readonly temporary: readonly string[];
  readonly serverKeys: number;
  /** Where metadata.json, or a key that is wrapped to the server, does not open. */
  readonly closed: readonly string[];
  /** Rows of bytes that nobody needs, and bytes that are needed and not there. */
  readonly loose: readonly string[];
  readonly chain: string;
}

/** What the agent of a run writes: one by a tool, twice, and one as a file in a folder. */
export const written: Readonly<Record<string, string>> = {
  'created.txt': 'canary-created-again',
  'deep/left.txt': 'canary-left',
};

const creating = ['canary-created-first', 'canary-created-again'].map((content) => ({
  tool: 'artifact.create',
  args: { name: 'created.txt', content },
}));

const cuts: Readonly<
  Record<
    OperationCut['what'],
    (world: OperationWorld, cut: OperationCut, at: Boundaries) => unknown
  >
> = {
  run: beginRun,
  rotate: async ({ operations }, _cut, boundaries) => {
    boundaries.isArmed = true;
    await operations.rotateKeys('owner');
  },
  learn: async ({ operations }, { grantee }, boundaries) => {
    boundaries.isArmed = true;
    await operations.learnKey(`grantee:${grantee.address}`, grantee.publicKey);
  },
};

async function walk(cut: OperationCut, dieAt: number | undefined): Promise<OperationReport> {
  const boundaries = new Boundaries(dieAt);
  await using world = await openOperationWorld(cut.home, boundaries);
  if (dieAt !== undefined) await cuts[cut.what](world, cut, boundaries);
  {
    await using _working = world.working();
    await untilFinished(world);
    boundaries.isArmed = false;
  }
  return { ...(await reportOn(world)), boundaries: boundaries.count };
}

async function beginRun(
  world: OperationWorld,
  { home, grantee }: OperationCut,
  boundaries: Boundaries,
): Promise<void> {
  const { operations, ledger } = world;
  await writeTemplate(home, 'walker', [{ call: creating }, { say: 'walked' }]);
  await submitFor(world, grantee, { isKnown: true });
  // The loop of a model agent is cut elsewhere (runtime-steps.test.ts).
  const create = operations.create.bind(operations);
  operations.create = async (id, artifact) => {
    const { agent = '' } = (await findOperation(ledger.committed, id)) ?? {};
    leaveFile(join(home, 'agents', agent, 'workspace', 'artifacts'));
    boundaries.isArmed = true;
    const row = await create(id, artifact);
    boundaries.isArmed = false;
    return row;
  };
  const beforeDone = operations.beforeDone.bind(operations);
  operations.beforeDone = async (operation, signal) => {
    boundaries.isArmed = true;
    await beforeDone(operation, signal);
  };
}

function leaveFile(folder: string): void {
  const name = 'deep/left.txt';
  mkdirSync(join(folder, 'deep'), { recursive: true });
  writeFileSync(join(folder, name), written[name] ?? '');
}

/** For an outsider who has signed, or of whom only the address is known. */
export async function submitFor(
  { operations, capabilities }: OperationWorld,
  { address, publicKey }: KnownGrantee,
  { isKnown }: { readonly isKnown: boolean },
): Promise<void> {
  const grantee = `grantee:${address}`;
  const order = { goal: 'canary-goal', template: 'walker' };
  if (!isKnown) {
    await operations.submit('owner', { ...order, grantee });
    return;
  }
  await capabilities.grant({ agent: address, capability: 'operation:*:start' }, 'owner');
  await operations.learnKey(grantee, publicKey);
  await operations.submit(grantee, order);
}

export async function untilFinished({ ledger }: Pick<OperationWorld, 'ledger'>): Promise<void> {
  const open = `select 1 from operations where ended_at is null or finish is not null`;
  while ((await ledger.committed.get(open)) !== undefined) await sleep(2);
}

async function reportOn(world: OperationWorld): Promise<Omit<OperationReport, 'boundaries'>> {
  const { home, ledger } = world;
  const sql = ledger.committed;
  const rows = await listOperations(sql, { limit: 100 });
  const artifacts = (await Promise.all(rows.map(({ id }) => artifactsOf(sql, id)))).flat();
  return {
    states: rows.map(({ state }) => state),
    artifacts: artifacts.map((row) => reported(home, row)),
    bodies: await bodiesIn(world),
    operationKeys: readdirSync(join(home, 'keys', 'operations')),
    workspaces: rows
      .map(({ agent }) => join(home, 'agents', agent, 'workspace'))
      .filter((path) => existsSync(path)),
    temporary: readdirSync(join(home, 'tmp')),
    ...(await keysIn(home, artifacts, rows)),
    loose: await looseIn(world, artifacts),
    chain: (await verifyChain({ ledger })).kind,
  };
}

function reported(home: string, row: ArtifactRow): ReportedArtifact {
  const { operation, id, name, wrapped_key: key, e2e } = row;
  const path = join(home, 'artifacts', 'operations', operation, 'artifacts', `${name}.enc`);
  return { operation, id, name, key, path, e2e: e2e === 1 };
}

async function bodiesIn({ ledger }: OperationWorld): Promise<readonly string[]> {
  const rows = await ledger.committed.all<{ body: string }>(
    `select body from steps union all select arguments from journal
     union all select result from journal where result is not null
     union all select goal from operations`,
  );
  const isDigest = /^(?:erased:|\{(?:"kind":"\w+",)?"erased":)?"?sha256:[0-9a-f]{64}"?\}?$/;
  return rows.map(({ body }) => body).filter((body) => !isDigest.test(body));
}

async function keysIn(
  home: string,
  artifacts: readonly ArtifactRow[],
  rows: readonly { readonly id: string }[],
): Promise<Pick<OperationReport, 'serverKeys' | 'closed'>> {
  const engines = { clock: realClock, disk: realDisk, random: realRandom };
  const keys = await openServerKeys(engines, home);
  const closed: string[] = [];
  const open = (what: string, work: () => unknown): void => {
    try {
      work();
    } catch (failure) {
      closed.push(`${what}: ${failure}`);
    }
  };
  for (const { id, server_key, wrapped_key } of artifacts) {
    if (server_key !== null) open(id, () => keys.open('artifact-key', id, wrapped_key));
  }
  for (const { id } of rows) {
    open(`metadata of ${id}`, () => {
      const { sealed } = JSON.parse(readFileSync(metadataPath(home, id), 'utf8'));
      JSON.parse(Buffer.from(keys.open('metadata', metadataLabel(id), sealed)).toString());
    });
  }
  const ring = JSON.parse(readFileSync(join(home, 'keys', 'server.key'), 'utf8'));
  return { serverKeys: ring.keys.length, closed };
}

async function looseIn(
  { home, ledger }: OperationWorld,
  artifacts: readonly ArtifactRow[],
): Promise<readonly string[]> {
  const rows = await ledger.committed.all<{ hash: string }>('select hash from blobs');
  const needed = new Set(artifacts.map(({ hash }) => hash));
  const lost = [...needed].filter(
    (hash) => !existsSync(join(home, 'blobs', hash.slice(0, 2), hash)),
  );
  const unneeded = rows.filter(({ hash }) => !needed.has(hash));
  return [...lost.map((hash) => `lost ${hash}`), ...unneeded.map(({ hash }) => `row ${hash}`)];
}

// Imported by the test for its types and words, and run by nobody but itself.
if (process.argv[1] === import.meta.filename) {
  // The test wrote it.
  const { finish, begin } = JSON.parse(process.argv[2] ?? '{}') as {
    readonly finish?: OperationCut;
    readonly begin?: OperationCut & { readonly dieAt: number };
  };
  if (finish !== undefined) say(await walk(finish, undefined));
  if (begin !== undefined) say(await walk(begin, begin.dieAt));
}

// At once: what follows may be the end of this process.
function say(report: OperationReport): void {
  writeSync(1, `${JSON.stringify(report)}\n`);
}
