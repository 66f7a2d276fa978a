/**
 * SIGKILL at every boundary of what is done with artifacts: stored, collected, finished; sealed
 * with a new key; wrapped to somebody who becomes known. Then a start that goes on with it.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cutEverywhere } from '../support/cut-everywhere.ts';
import { Grantee } from '../support/grantee.ts';
import {
  type OperationCut,
  type OperationReport,
  type ReportedArtifact,
  submitFor,
  untilFinished,
  written,
} from '../support/operation-process.ts';
import { openOperationWorld, writeTemplate } from '../support/operation-world.ts';
import { filesBelow } from '../support/outsider-home.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { Boundaries } from '../support/watched-ledger.ts';

const walks = (moreThan: number, orderOf: (dieAt: number) => OperationCut) =>
  cutEverywhere<OperationCut, OperationReport>({
    ...{ moreThan, orderOf },
    program: join(import.meta.dirname, '..', 'support', 'operation-process.ts'),
  });

const known = ({ address, publicKey }: Grantee) => ({ address, publicKey });

/** By name, for whom they are sealed. */
function opened(grantee: Grantee, artifacts: readonly ReportedArtifact[]): object {
  const entries = artifacts.map(({ name, path, key, id }) => {
    const plain = grantee.open({ bytes: readFileSync(path), key, id });
    return [name, plain.toString()] as const;
  });
  return Object.fromEntries(entries);
}

/** Every file of the home that has one of these in it, raw. */
function filesWith(home: string, ...wanted: readonly (string | Buffer)[]): readonly string[] {
  return filesBelow(home).filter((file) => {
    const bytes = readFileSync(join(home, file));
    return wanted.some((one) => bytes.includes(one));
  });
}

/** What somebody who died while writing a file has left of it. */
function litterIn(home: string): readonly string[] {
  return filesBelow(join(home, 'artifacts')).filter((file) => file.endsWith('.pending'));
}

const whole = {
  ...{ bodies: [], operationKeys: [], workspaces: [], temporary: [] },
  ...{ serverKeys: 1, closed: [], loose: [], chain: 'whole' },
};

test('an operation that is cut while its artifacts are stored, or it is finished, succeeds', async () => {
  await using folder = temporaryFolder();
  const alice = new Grantee();

  const cuts = await walks(50, (dieAt) => ({
    ...{ home: folder.at(`home-${dieAt}`), what: 'run', grantee: known(alice) },
  }));

  for (const { dieAt, order, report } of cuts) {
    expect({ dieAt, ...report }).toMatchObject({ dieAt, states: ['completed'], ...whole });
    expect(report.artifacts.map(({ e2e }) => e2e)).toEqual(report.artifacts.map(() => true));
    expect({ dieAt, read: opened(alice, report.artifacts) }).toEqual({ dieAt, read: written });
    expect({ dieAt, left: filesWith(order.home, 'canary-') }).toEqual({ dieAt, left: [] });
  }
  expect(cuts.flatMap(({ order }) => litterIn(order.home))).toEqual([]);
});

interface Finished {
  readonly home: string;
  /** Signed; of the other one only the address is known. */
  readonly alice: Grantee;
  readonly bob: Grantee;
}

/** A home with operations that are finished, each of somebody who is known or not. */
async function finishedHome(
  folder: TemporaryFolder,
  ...areKnown: readonly boolean[]
): Promise<Finished> {
  const home = folder.at('finished');
  const [alice, bob] = [new Grantee(), new Grantee()];
  await using world = await openOperationWorld(home, new Boundaries());
  const args = { name: 'a.txt', content: 'canary-a' };
  const turns = [{ call: [{ tool: 'artifact.create', args }] }, { say: 'walked' }];
  await writeTemplate(home, 'walker', turns);
  for (const isKnown of areKnown) {
    await submitFor(world, known(isKnown ? alice : bob), { isKnown });
  }
  await using _working = world.working();
  await untilFinished(world);
  return { home, alice, bob };
}

/** With its modes and hard links. */
function copyHome(from: string, to: string): void {
  const { status, stderr } = spawnSync('cp', ['-a', from, to], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

interface StoredRing {
  readonly keys: readonly { readonly id: string; readonly secret_key: string }[];
}

function ringOf(home: string): StoredRing['keys'] {
  // The daemon's own form.
  const file = JSON.parse(readFileSync(join(home, 'keys', 'server.key'), 'utf8')) as StoredRing;
  return file.keys;
}

test('a rotation of keys that is cut anywhere leaves nothing that does not open, and no old key', async () => {
  await using folder = temporaryFolder();
  const { home: base, bob } = await finishedHome(folder, false, true, false);
  const [old] = ringOf(base);
  if (old === undefined) throw new Error('there is no key');

  const cuts = await walks(15, (dieAt) => {
    const home = folder.at(`home-${dieAt}`);
    copyHome(base, home);
    return { home, what: 'rotate', grantee: known(bob) };
  });

  const rotated: number[] = [];
  for (const { dieAt, order, report } of cuts) {
    expect({ dieAt, ...report }).toMatchObject({ dieAt, ...whole });
    expect(report.artifacts.map(({ e2e }) => e2e)).toEqual([false, true, false]);
    const [current] = ringOf(order.home);
    // Cut before the new key had its name, nothing has happened.
    if (current?.id === old.id) continue;
    rotated.push(dieAt);
    const hex = old.secret_key.replace('0x', '');
    const secret = [hex, Buffer.from(hex, 'hex')];
    expect({ dieAt, left: filesWith(order.home, ...secret) }).toEqual({ dieAt, left: [] });
    const sealed = filesWith(order.home, `aos1.${old.id}.`).filter(
      (file) => file !== 'ledger.db-wal',
    );
    expect({ dieAt, sealed }).toEqual({ dieAt, sealed: [] });
  }
  expect(rotated.length).toBeGreaterThan(cuts.length - 8);
  expect(cuts.flatMap(({ order }) => litterIn(order.home))).toEqual([]);
});

test('somebody who becomes known has everything, wherever the wrapping is cut, and the server nothing', async () => {
  await using folder = temporaryFolder();
  const { home: base, bob } = await finishedHome(folder, true, false);
  const [key] = ringOf(base);

  const cuts = await walks(15, (dieAt) => {
    const home = folder.at(`home-${dieAt}`);
    copyHome(base, home);
    return { home, what: 'learn', grantee: known(bob) };
  });

  for (const { dieAt, order, report } of cuts) {
    expect({ dieAt, ...report }).toMatchObject({ dieAt, ...whole });
    // Cut before the first row was written, they are not known yet.
    const isKnown = report.artifacts.every(({ e2e }) => e2e);
    expect(isKnown || dieAt === 1).toBe(true);
    if (!isKnown) continue;
    const theirs = report.artifacts.filter((artifact) => opens(bob, artifact));
    expect({ dieAt, count: theirs.length }).toEqual({ dieAt, count: 1 });
    for (const one of theirs) expect(opened(bob, [one])).toEqual({ 'a.txt': 'canary-a' });
    // metadata.json is sealed by the server, and has no key of an artifact in it.
    const wraps = filesWith(order.home, `aos1.${key?.id}.`).filter(
      (file) => !file.includes('metadata.json'),
    );
    expect({ dieAt, wraps }).toEqual({ dieAt, wraps: [] });
  }
  expect(cuts.flatMap(({ order }) => litterIn(order.home))).toEqual([]);
});

function opens(grantee: Grantee, artifact: ReportedArtifact): boolean {
  try {
    opened(grantee, [artifact]);
    return true;
  } catch {
    // It is somebody else's.
    return false;
  }
}
