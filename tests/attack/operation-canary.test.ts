/**
 * What an agent has written for an outsider is nowhere in the home once its operation is over,
 * but sealed for that outsider: no file has a form of it, and no key that lies there opens it.
 */
import { hkdfSync } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { realClock, realRandom } from '../../src/engines/clock.ts';
import { realDisk } from '../../src/engines/disk/disk.ts';
import { openServerKeys } from '../../src/security/server-keys.ts';
import { formsOf, newCanary } from '../support/canary.ts';
import { Grantee, openSealed, unwrap } from '../support/grantee.ts';
import { hasSandbox } from '../support/machine.ts';
import {
  contentsOf,
  filesBelow,
  good,
  type OutsiderHome,
  outsiderHome,
  type Turns,
  type WireOperation,
} from '../support/outsider-home.ts';
import { send } from '../support/temporary-gateway.ts';
import { untilTrue } from '../support/until.ts';

const partBytes = 16;

/** As anybody may write it, and its parts. */
function allForms(canary: string): ReadonlyMap<string, Buffer> {
  const forms = new Map([...formsOf(canary)].map(([name, text]) => [name, Buffer.from(text)]));
  const wide = Buffer.from(canary, 'utf16le');
  forms.set('in UTF-16', wide);
  forms.set('in UTF-16, the other way', Buffer.from(wide).swap16());
  const bytes = Buffer.from(canary);
  for (let from = 0; from + partBytes <= bytes.length; from += partBytes) {
    const part = bytes.subarray(from, from + partBytes);
    forms.set(`its part at ${from}`, part);
    forms.set(`its part at ${from}, from behind`, Buffer.from(part).reverse());
  }
  return forms;
}

/** Every file of the home that holds a form of it, as it lies on the disk. */
function whereFound(home: string, canary: string): readonly string[] {
  const forms = [...allForms(canary)];
  return contentsOf(home).flatMap(([file, bytes]) =>
    forms.filter(([, form]) => bytes.includes(form)).map(([name]) => `${file}: ${name}`),
  );
}

const artifactNames = ['created.txt', 'written.txt', ...(hasSandbox ? ['printed.txt'] : [])];

/** Says it, and writes it in every way that there is; then waits at `end`. */
function tells(home: OutsiderHome, template: string, canary: string): Turns {
  const path = '{{result 1 | json body}}/artifacts/written.txt';
  const printing = { program: 'tee', args: ['artifacts/printed.txt'], stdin: canary };
  return [
    home.asks(template),
    {
      say: `I write ${canary}`,
      reason: `Somebody wants ${canary}`,
      call: [
        { tool: 'artifact.create', args: { name: 'created.txt', content: canary } },
        { tool: 'file.write', args: { path, content: canary } },
        ...(hasSandbox ? [{ tool: 'shell.execute', args: printing }] : []),
        // What fails has said it too.
        { tool: 'artifact.create', args: { name: 'a/../b', content: canary } },
        { tool: 'no.such', args: { text: canary } },
        { tool: canary, args: {} },
        { tool: 'artifact.create', args: { name: 'x', [canary]: canary } },
        { tool: 'file.write', args: { path: '/nowhere/at/all', content: canary } },
      ],
    },
    home.asks(template, 'end'),
    { say: 'done' },
  ];
}

const mayPrint = ['shell:*:execute'];

async function readAll(
  home: OutsiderHome,
  grantee: Grantee,
  { artifacts }: WireOperation,
): Promise<Readonly<Record<string, string>>> {
  const read: Record<string, string> = {};
  for (const artifact of artifacts.artifacts) {
    read[artifact.name] = (await home.read(grantee, artifact)).toString();
  }
  return read;
}

test('a canary is sealed for its outsider, and found nowhere in the home', async () => {
  await using home = await outsiderHome();
  const alice = new Grantee();
  await home.grant(alice);
  const canary = newCanary();
  const whole = Object.fromEntries(artifactNames.map((name) => [name, canary]));
  home.template('first', tells(home, 'first', canary), mayPrint);
  const atEnd = home.hold('first', 'end');
  const { id } = await home.submit(alice, 'first', `Write ${canary} into a file`);
  await atEnd.asked;

  const whileItRuns = whereFound(home.home, canary);
  atEnd.letGo();
  const operation = await home.settled(alice, id);
  const whenSucceeded = whereFound(home.home, canary);
  const read = await readAll(home, alice, operation);

  // The search finds it where it has to be for now, and only there: the journal is sealed.
  expect(whileItRuns.length).toBeGreaterThan(0);
  const inWorkspace = /^agents\/first-[0-9a-f]+\/workspace\/artifacts\/\w+\.txt: /;
  expect(whileItRuns.filter((line) => !inWorkspace.test(line))).toEqual([]);
  expect(operation).toMatchObject({ status: 'succeeded' });
  expect(read).toEqual(whole);
  expect(operation.artifacts.artifacts.map(({ e2e }) => e2e)).toEqual(
    artifactNames.map(() => true),
  );
  expect(whenSucceeded).toEqual([]);
  expect(readdirSync(join(home.home, 'agents')).map((agent) => workspaceIn(home, agent))).toEqual([
    [],
  ]);

  // Nor does it come back when others read the operation, or the daemon ends.
  const client = home.daemon.client;
  const shown = JSON.stringify([await client.goal(id), await client.steps(id).catch(String)]);
  expect(shown).not.toContain(canary.slice(0, partBytes));
  await home.daemon.stop();
  expect(whereFound(home.home, canary)).toEqual([]);
  expect(keysThatOpen(home.home, alice, operation)).toEqual([]);

  await home.start();
  expect(await readAll(home, alice, await home.settled(alice, id))).toEqual(whole);
  expect(whereFound(home.home, canary)).toEqual([]);

  // Killed in the very moment in which it shows as done, and started again.
  const second = newCanary();
  home.template('second', tells(home, 'second', second), mayPrint);
  const killed = await home.run(alice, 'second', `Write ${second} into a file`);
  await home.daemon.kill();
  expect(killed).toMatchObject({ status: 'succeeded' });
  expect(whereFound(home.home, second)).toEqual([]);
  expect(keysThatOpen(home.home, alice, killed)).toEqual([]);
  await home.start();
  expect(Object.values(await readAll(home, alice, killed))).toEqual(
    artifactNames.map(() => second),
  );
  expect(whereFound(home.home, second)).toEqual([]);
});

function workspaceIn({ home }: OutsiderHome, agent: string): readonly string[] {
  return filesBelow(join(home, 'agents', agent, 'workspace'));
}

/** Of an operation that was cancelled, failed, or never begun. */
test('nothing is left of an operation that came to no good end either', async () => {
  await using home = await outsiderHome();
  const alice = new Grantee();
  await home.grant(alice);
  const canary = newCanary();
  home.template('ended', tells(home, 'ended', canary), mayPrint);
  home.template('failing', [
    { say: canary, call: [{ tool: 'artifact.create', args: { name: 'x', content: canary } }] },
    { say: '' },
    { say: '' },
    { say: '' },
    { say: '' },
    { say: '' },
    { say: '' },
  ]);
  const atEnd = home.hold('ended', 'end');
  const ended = await home.submit(alice, 'ended', `Write ${canary}`);
  await atEnd.asked;

  const uri = `/api/v1/operations/${ended.id}/cancel`;
  await alice.call(home.base, { method: 'POST', uri, body: { reason: 'enough' } });
  const cancelled = await home.settled(alice, ended.id);
  atEnd.letGo();
  const failed = await home.run(alice, 'failing', `Fail at ${canary}`);

  expect(cancelled.status).toBe('cancelled');
  expect(failed.status).toBe('failed');
  expect(whereFound(home.home, canary)).toEqual([]);
  await home.daemon.kill();
  expect(whereFound(home.home, canary)).toEqual([]);
});

/** The secrets that lie there, and what is made of them. */
function secretsIn(home: string): ReadonlyMap<string, string> {
  const secrets = new Map<string, string>();
  for (const file of filesBelow(join(home, 'keys'))) {
    const text = readFileSync(join(home, 'keys', file), 'latin1');
    for (const [hex] of text.matchAll(/[0-9a-f]{64}/g)) secrets.set(`${file} ${hex}`, hex);
  }
  const agents = readdirSync(join(home, 'agents')).flatMap((agent) =>
    [0, 1].map((again) => `aos agent key 1 ${again} ${agent}`),
  );
  const infos = [...agents, 'aos sealing secret 1', 'aos server key 1 artifact-key'];
  for (const [name, hex] of [...secrets]) {
    for (const info of infos) {
      const made = Buffer.from(hkdfSync('sha256', Buffer.from(hex, 'hex'), '', info, 32));
      secrets.set(`${name}, for ${info}`, made.toString('hex'));
    }
  }
  return secrets;
}

/** The names of those that unwrap the key of an artifact, or are it. */
function keysThatOpen(
  home: string,
  { address }: Grantee,
  { artifacts }: WireOperation,
): readonly string[] {
  const secrets = secretsIn(home);
  expect(secrets.size).toBeGreaterThan(10);
  const opens = (work: () => unknown): boolean => {
    try {
      work();
      return true;
    } catch {
      // It is for somebody else.
      return false;
    }
  };
  return artifacts.artifacts.flatMap(({ id, encryption_key_encrypted: key }) =>
    [...secrets].flatMap(([name, hex]) =>
      opens(() => unwrap(`0x${hex}`, { key: key ?? '', id, address })) ? [name] : [],
    ),
  );
}

interface StoredArtifact {
  readonly id: string;
  readonly hash: string;
  readonly wrapped_key: string;
}

function storedIn(home: string): readonly StoredArtifact[] {
  using database = new DatabaseSync(join(home, 'ledger.db'), { readOnly: true });
  const rows = database.prepare('select id, hash, wrapped_key from artifacts').all();
  // The columns that were asked for.
  return rows as unknown as readonly StoredArtifact[];
}

test('of whom only the address is known, the server can read, until they have signed', async () => {
  await using home = await outsiderHome();
  const grantee = new Grantee();
  const canary = newCanary();
  home.template('early', [
    { call: [{ tool: 'artifact.create', args: { name: 'created.txt', content: canary } }] },
    { say: 'done' },
  ]);
  const asOwner = async (path: string, body?: object): Promise<WireOperation> => {
    const order = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    // The route's own form.
    return (await send({ at: home.daemon.socket, path, ...order })).json as WireOperation;
  };
  const order = { goal: 'write', agent: 'early', grantee_address: grantee.address.toLowerCase() };
  const { id } = await asOwner('/api/v1/operations', order);
  const look = () => asOwner(`/api/v1/operations/${id}`);
  await untilTrue(async () => (await look()).status === 'succeeded');

  const before = await look();
  const [stored] = storedIn(home.home);
  if (stored === undefined) throw new Error('nothing was stored');
  const blob = filesBelow(home.home).find((file) => file.includes(stored.hash)) ?? '';
  const engines = { clock: realClock, disk: realDisk, random: realRandom };
  const keys = await openServerKeys(engines, home.home);
  const dek = keys.open('artifact-key', stored.id, stored.wrapped_key);
  const readByServer = openSealed(readFileSync(join(home.home, blob)), dek).toString();

  expect(before.artifacts.artifacts).toMatchObject([
    { e2e: false, encryption_key_encrypted: null },
  ]);
  expect(readByServer).toBe(canary);

  const after = await home.settled(grantee, id);
  const [artifact] = after.artifacts.artifacts;
  const leftOfIt = () => {
    const forms = stored.wrapped_key.split('.').slice(2);
    const bytes = forms.map((text) => Buffer.from(text, 'base64url'));
    return contentsOf(home.home)
      .filter(([, content]) =>
        [...forms, ...bytes, Buffer.from(dek)].some((form) => content.includes(form)),
      )
      .map(([file]) => file);
  };

  expect(artifact).toMatchObject({ e2e: true, encryption_key_encrypted: expect.any(String) });
  expect(leftOfIt()).toEqual([]);
  expect(keysThatOpen(home.home, grantee, after)).toEqual([]);
  expect(
    good<WireOperation>(await grantee.call(home.base, { uri: `/api/v1/operations/${id}` }), 200),
  ).toMatchObject({ artifacts: { artifacts: [{ e2e: true }] } });
  if (artifact === undefined) throw new Error('it is gone');
  expect((await home.read(grantee, artifact)).toString()).toBe(canary);
  await home.daemon.kill();
  expect(leftOfIt()).toEqual([]);
  expect(whereFound(home.home, canary)).toEqual([]);
});
