import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SimulatedClock } from '../../tests/sim/clock.ts';
import { SimulatedCrash, SimulatedDisk } from '../../tests/sim/disk.ts';
import { seededRandom } from '../../tests/sim/random.ts';
import { temporaryLedger } from '../../tests/support/temporary-ledger.ts';
import { realDisk } from '../engines/disk/disk.ts';
import { readWholeFile } from '../kernel/disk/durable-file.ts';
import type { Disk } from '../kernel/ports.ts';
import { countAgents, findAgent, setPresence } from '../ledger/agents.ts';
import { readEvents } from '../ledger/events.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { findPrincipal, findPrincipalOfHandle } from '../ledger/security/principals.ts';
import { Grants } from './grants/grants.ts';
import { hashOfHandle } from './handles.ts';
import { loadKey } from './identity/key-file.ts';
import { registerAgent, registerGuest } from './register.ts';

const clock = new SimulatedClock();

interface Home extends AsyncDisposable {
  readonly ledger: Ledger;
  readonly path: string;
  at(...names: string[]): string;
  register(name: string): ReturnType<typeof registerAgent>;
  registerGuest(name: string): Promise<void>;
}

async function temporaryHome(): Promise<Home> {
  const { ledger, folder, ...temporary } = await temporaryLedger({ clock });
  mkdirSync(join(folder, 'keys'), { mode: 0o700 });
  const random = seededRandom('register');
  const grants = new Grants({ ledger, clock, random });
  const deps = { ledger, grants, disk: realDisk, random, clock };
  return {
    ledger,
    path: folder,
    at: (...names) => join(folder, ...names),
    register: (name) => registerAgent(deps, folder, { name, actor: 'owner' }),
    registerGuest: (name) => registerGuest(deps, folder, name),
    [Symbol.asyncDispose]: () => temporary[Symbol.asyncDispose](),
  };
}

function principalOf(ledger: Ledger, handle: string): Promise<string | undefined> {
  return findPrincipalOfHandle(ledger.committed, hashOfHandle(handle), clock.now());
}

async function countHandles(ledger: Ledger): Promise<number> {
  return (await ledger.committed.all('select hash from handles')).length;
}

function mode(path: string): number {
  return statSync(path).mode & 0o777;
}

test('registerAgent() makes the folders, the key, the row and the event of a guest', async () => {
  await using home = await temporaryHome();

  const jean = await home.register('jean');

  expect(jean).toMatchObject({ name: 'jean', folder: home.at('agents', 'jean') });
  expect(readdirSync(jean.folder)).toEqual(['inbox', 'meta.json', 'outbox', 'workspace']);
  expect(readdirSync(join(jean.folder, 'outbox'))).toEqual(['.pending']);
  for (const name of ['.', 'outbox', 'outbox/.pending', 'inbox', 'workspace']) {
    expect(mode(join(jean.folder, name))).toBe(0o700);
  }
  expect(await findAgent(home.ledger.committed, 'jean')).toMatchObject({
    name: 'jean',
    registered_at: clock.now(),
    last_seen_at: null,
    pid: null,
    status: 'active',
    state: 'pending',
    body: 'guest',
    address: jean.address,
  });
  expect(await principalOf(home.ledger, jean.handle)).toBe('agent:jean');
  const page = { limit: 10, order: 'oldest-first' } as const;
  expect(await readEvents(home.ledger.committed, {}, page)).toMatchObject([
    {
      actor: 'owner',
      kind: 'agent.registered',
      subject: 'agent:jean',
      data: JSON.stringify({ address: jean.address, body: 'guest' }),
    },
  ]);
});

test('meta.json tells who it is, and nothing secret', async () => {
  await using home = await temporaryHome();

  const jean = await home.register('jean');

  const principal = await findPrincipal(home.ledger.committed, 'agent:jean');
  const text = readFileSync(join(jean.folder, 'meta.json'), 'utf8');
  expect(JSON.parse(text)).toEqual({
    name: 'jean',
    registered_at: '2030-01-01T00:00:00.000Z',
    body: 'guest',
    address: jean.address,
    public_key: principal?.public_key,
    pid: null,
    started_at: null,
  });
  expect(mode(join(jean.folder, 'meta.json'))).toBe(0o600);
});

describe('registerGuest()', () => {
  test('makes an agent of a folder, closes it to others, and gives no handle', async () => {
    await using home = await temporaryHome();
    mkdirSync(home.at('agents', 'jean', 'outbox', '.pending'), { recursive: true });
    for (const name of ['.', 'outbox', 'outbox/.pending']) {
      chmodSync(home.at('agents', 'jean', name), 0o755);
    }
    chmodSync(home.at('agents'), 0o700);

    await home.registerGuest('jean');

    for (const name of ['.', 'outbox', 'outbox/.pending', 'inbox', 'workspace']) {
      expect(mode(home.at('agents', 'jean', name))).toBe(0o700);
    }
    const agent = await findAgent(home.ledger.committed, 'jean');
    expect(agent).toMatchObject({ status: 'active', body: 'guest' });
    expect(await countHandles(home.ledger)).toBe(0);
    const page = { limit: 10, order: 'oldest-first' } as const;
    expect(await readEvents(home.ledger.committed, {}, page)).toMatchObject([
      {
        actor: 'system',
        kind: 'agent.registered',
        subject: 'agent:jean',
        data: JSON.stringify({ address: agent?.address, body: 'guest', by: 'folder' }),
      },
    ]);
  });

  test('changes nothing of an agent that is known', async () => {
    await using home = await temporaryHome();
    const { handle } = await home.register('jean');

    await home.registerGuest('jean');

    expect(await principalOf(home.ledger, handle)).toBe('agent:jean');
    expect(await countAgents(home.ledger.committed)).toMatchObject({ total: 1 });
  });

  test('never takes the name from a registration under way', async () => {
    await using home = await temporaryHome();

    const [agent, guest] = await Promise.allSettled([
      home.register('jean'),
      home.registerGuest('jean'),
    ]);

    expect(agent).toMatchObject({ status: 'fulfilled' });
    expect(guest).toMatchObject({ status: 'fulfilled' });
    expect(await countHandles(home.ledger)).toBe(1);
  });

  test('refuses a name that differs in case only from an agent', async () => {
    await using home = await temporaryHome();
    await home.register('jean');

    await expect(home.registerGuest('Jean')).rejects.toMatchObject({ code: 'agent.exists' });
  });

  test.each(['jean', 'jean/outbox', 'jean/outbox/.pending', 'jean/inbox'])(
    'refuses a symlink at agents/%s and follows it nowhere',
    async (name) => {
      await using home = await temporaryHome();
      mkdirSync(home.at('elsewhere'), { mode: 0o755 });
      mkdirSync(home.at('agents'), { mode: 0o700 });
      mkdirSync(join(home.at('agents', name), '..'), { recursive: true });
      symlinkSync(home.at('elsewhere'), home.at('agents', name));

      const attempt = home.registerGuest('jean');

      await expect(attempt).rejects.toMatchObject({ code: 'disk.not-a-folder' });
      expect(mode(home.at('elsewhere'))).toBe(0o755);
      expect(await findAgent(home.ledger.committed, 'jean')).toBeUndefined();
    },
  );

  test('leaves a meta.json that the agent keeps, and replaces a symlink itself', async () => {
    await using home = await temporaryHome();
    for (const name of ['jean', 'mary']) {
      mkdirSync(home.at('agents', name), { recursive: true, mode: 0o700 });
    }
    writeFileSync(home.at('agents', 'jean', 'meta.json'), '{"pid":7}');
    writeFileSync(home.at('outside'), 'stays');
    symlinkSync(home.at('outside'), home.at('agents', 'mary', 'meta.json'));

    await home.registerGuest('jean');
    await home.registerGuest('mary');

    expect(readFileSync(home.at('agents', 'jean', 'meta.json'), 'utf8')).toBe('{"pid":7}');
    expect(readFileSync(home.at('agents', 'mary', 'meta.json'), 'utf8')).toContain('"mary"');
    expect(readFileSync(home.at('outside'), 'utf8')).toBe('stays');
  });
});

describe('registerAgent() takes up, with a handle,', () => {
  test('a guest that made its own folder', async () => {
    await using home = await temporaryHome();
    mkdirSync(home.at('agents', 'jean'), { recursive: true, mode: 0o700 });
    await home.registerGuest('jean');

    const { handle } = await home.register('jean');

    const hash = hashOfHandle(handle);
    const { committed } = home.ledger;
    expect(await findPrincipalOfHandle(committed, hash, clock.now())).toBe('agent:jean');
    await expect(home.register('jean')).rejects.toMatchObject({ code: 'agent.exists' });
  });

  test('an agent that was terminated, whose old handle is refused from then on', async () => {
    await using home = await temporaryHome();
    const first = await home.register('jean');
    await home.ledger.transact((tx) => setPresence(tx, 'jean', 'terminated'));

    const second = await home.register('jean');

    const { committed } = home.ledger;
    const holderOf = (handle: string) =>
      findPrincipalOfHandle(committed, hashOfHandle(handle), clock.now());
    expect(await findAgent(committed, 'jean')).toMatchObject({ status: 'active' });
    expect(await holderOf(first.handle)).toBeUndefined();
    expect(await holderOf(second.handle)).toBe('agent:jean');
    expect(second.address).toBe(first.address);
  });
});

test.each(['../jean', 'system', '', 'a/b'])(
  'the name %j is refused before anything is made',
  async (name) => {
    await using home = await temporaryHome();

    await expect(home.register(name)).rejects.toMatchObject({ code: 'agent.bad-name' });

    expect(existsSync(home.at('agents'))).toBe(false);
  },
);

test('a taken name is refused as it is spelt, and nothing of its agent changes', async () => {
  await using home = await temporaryHome();
  const jean = await home.register('Jean');
  const meta = readFileSync(join(jean.folder, 'meta.json'), 'utf8');
  await clock.advance(1000);

  for (const name of ['Jean', 'jean', 'JEAN']) {
    await expect(home.register(name)).rejects.toMatchObject({
      code: 'agent.exists',
      message: expect.stringContaining('"Jean"'),
    });
  }

  expect(readdirSync(home.at('agents'))).toEqual(['Jean']);
  expect(readFileSync(join(jean.folder, 'meta.json'), 'utf8')).toBe(meta);
  expect(await principalOf(home.ledger, jean.handle)).toBe('agent:Jean');
});

test.each([
  ['jean', 'jean', 'jean', 'jean'],
  ['jean', 'Jean', 'JEAN', 'jEAN'],
])('of %s, %s, %s and %s at once exactly one is registered, with one handle', async (...names) => {
  await using home = await temporaryHome();
  // Tells large letters from small ones on every machine.
  const disk = new SimulatedDisk({ seed: 1 });
  await disk.makeFolder('/keys');
  const { ledger } = home;
  const random = seededRandom('at once');
  const deps = { ledger, grants: new Grants({ ledger, clock, random }), disk, random, clock };

  const answers = await Promise.allSettled(
    names.map((name) => registerAgent(deps, '/', { name, actor: 'owner' })),
  );

  const winners = answers.filter((answer) => answer.status === 'fulfilled');
  const losers = answers.filter((answer) => answer.status === 'rejected');
  expect(losers.map(({ reason }) => reason.code)).toEqual(Array(3).fill('agent.exists'));
  expect(await countAgents(home.ledger.committed)).toMatchObject({ total: 1 });
  expect(await countHandles(home.ledger)).toBe(1);
  for (const { value } of winners) {
    const key = await loadKey(disk, '/keys', `agent:${value.name}`);
    expect(await principalOf(home.ledger, value.handle)).toBe(`agent:${value.name}`);
    expect(key?.address).toBe(value.address);
  }
});

describe('what stands in the way is refused in words, and left alone:', () => {
  const places = ['agents', 'agents/jean', 'agents/jean/inbox', 'agents/jean/outbox/.pending'];

  test.each(places)('a symlink at %s', async (place) => {
    await using home = await temporaryHome();
    mkdirSync(home.at('elsewhere'), { mode: 0o700 });
    mkdirSync(join(home.at(place), '..'), { recursive: true, mode: 0o700 });
    symlinkSync(home.at('elsewhere'), home.at(place));

    await expect(home.register('jean')).rejects.toMatchObject({
      code: 'disk.not-a-folder',
      message: expect.stringContaining(`${home.at(place)}" is taken by a symlink`),
    });

    expect(readdirSync(home.at('elsewhere'))).toEqual([]);
    expect(await countAgents(home.ledger.committed)).toMatchObject({ total: 0 });
  });

  test.each(places)('a file at %s', async (place) => {
    await using home = await temporaryHome();
    mkdirSync(join(home.at(place), '..'), { recursive: true, mode: 0o700 });
    writeFileSync(home.at(place), 'mine');

    await expect(home.register('jean')).rejects.toMatchObject({ code: 'disk.not-a-folder' });

    expect(readFileSync(home.at(place), 'utf8')).toBe('mine');
  });

  test('a folder that others may enter', async () => {
    await using home = await temporaryHome();
    mkdirSync(home.at('agents', 'jean'), { recursive: true, mode: 0o700 });
    chmodSync(home.at('agents', 'jean'), 0o755);

    await expect(home.register('jean')).rejects.toMatchObject({
      code: 'disk.denied',
      fix: expect.stringContaining('chmod 700'),
    });
  });

  test('a key of somebody else', async () => {
    await using home = await temporaryHome();
    const { address } = await home.register('samantha');
    const key = readFileSync(home.at('keys', 'agent-samantha.key'));
    writeFileSync(home.at('keys', 'agent-jean.key'), key, { mode: 0o600 });

    await expect(home.register('jean')).rejects.toMatchObject({ code: 'identity.broken-key' });

    expect(await findPrincipal(home.ledger.committed, 'agent:samantha')).toMatchObject({ address });
    expect(await countAgents(home.ledger.committed)).toMatchObject({ total: 1 });
  });
});

test('a symlink in the place of meta.json is replaced, not followed', async () => {
  await using home = await temporaryHome();
  writeFileSync(home.at('precious'), 'mine');
  mkdirSync(home.at('agents', 'jean'), { recursive: true, mode: 0o700 });
  symlinkSync(home.at('precious'), home.at('agents', 'jean', 'meta.json'));

  await home.register('jean');

  expect(readFileSync(home.at('precious'), 'utf8')).toBe('mine');
  expect(readFileSync(home.at('agents', 'jean', 'meta.json'), 'utf8')).toContain('"jean"');
});

describe('a second try adopts what the first one left', () => {
  async function diskWithKeys(seed: number): Promise<SimulatedDisk> {
    const disk = new SimulatedDisk({ seed });
    await disk.makeFolder('/keys');
    await disk.syncFolder('/');
    return disk;
  }

  function registerOn(disk: Disk, ledger: Ledger, seed: string) {
    const random = seededRandom(seed);
    const deps = { ledger, grants: new Grants({ ledger, clock, random }), disk, random, clock };
    return registerAgent(deps, '/', { name: 'jean', actor: 'owner' });
  }

  test.each([1, 2, 3])('when the power went in any of its disk calls, seed %i', async (seed) => {
    for (let call = 1, outcome = 'crashed'; outcome === 'crashed'; call++) {
      await using home = await temporaryHome();
      const disk = await diskWithKeys(seed);
      disk.crashAtCall(disk.calls + call);

      outcome = await registerOn(disk, home.ledger, `first ${call}`).then(
        () => 'registered',
        (thrown: unknown) => {
          if (thrown instanceof SimulatedCrash) return 'crashed';
          throw thrown;
        },
      );
      if (outcome === 'registered') disk.crash();
      disk.restart();
      const orphan = await loadKey(disk, '/keys', 'agent:jean');
      if (outcome === 'crashed') await registerOn(disk, home.ledger, `second ${call}`);
      disk.crash();
      disk.restart();

      const principal = await findPrincipal(home.ledger.committed, 'agent:jean');
      const key = await loadKey(disk, '/keys', 'agent:jean');
      const meta = await readWholeFile(disk, '/agents/jean/meta.json', 1000);
      expect(key?.address).toBe(principal?.address);
      if (orphan !== undefined) expect(key).toEqual(orphan);
      expect(Buffer.from(meta).toString()).toContain(key?.address);
      expect(await disk.list('/agents/jean/outbox')).toEqual(['.pending']);
      expect(await countHandles(home.ledger)).toBe(1);
    }
  });

  test('when the disk was full in any of its calls', async () => {
    await using clean = await temporaryHome();
    const cleanDisk = await diskWithKeys(1);
    const callsBefore = cleanDisk.calls;
    await registerOn(cleanDisk, clean.ledger, 'clean');

    for (let call = 1; call <= cleanDisk.calls - callsBefore; call++) {
      await using home = await temporaryHome();
      const disk = await diskWithKeys(1);
      disk.failCall(disk.calls + call, 'ENOSPC');
      const [first] = await Promise.allSettled([registerOn(disk, home.ledger, `first ${call}`)]);

      // Only removing a pending file may fail and still be a success.
      if (first.status === 'rejected') await registerOn(disk, home.ledger, `second ${call}`);

      expect(await countAgents(home.ledger.committed)).toMatchObject({ total: 1 });
      expect(await countHandles(home.ledger)).toBe(1);
    }
  });
});

async function heldBy(ledger: Ledger, name: string): Promise<readonly string[]> {
  const rows = await ledger.committed.all<{ capability: string }>(
    `select capability from grants where principal = $1 and revoked_at is null order by capability`,
    [`agent:${name}`],
  );
  return rows.map(({ capability }) => capability);
}

test('whom the owner registers may send messages and files, and who made its folder messages', async () => {
  await using home = await temporaryHome();
  mkdirSync(home.at('agents', 'sam', 'outbox'), { recursive: true, mode: 0o700 });

  await home.register('jean');
  await home.registerGuest('sam');
  const before = await heldBy(home.ledger, 'sam');
  await home.register('sam');

  expect(await heldBy(home.ledger, 'jean')).toEqual(['message:*:send', 'transfer:*:send']);
  expect(before).toEqual(['message:*:send']);
  expect(new Set(await heldBy(home.ledger, 'sam'))).toEqual(
    new Set(['message:*:send', 'transfer:*:send']),
  );
});

test('whoever is brought back has what it had, and not what was taken from it', async () => {
  await using home = await temporaryHome();
  await home.register('jean');
  await home.ledger.transact(async (tx) => {
    await tx.run(`update grants set revoked_at = 1 where capability = 'transfer:*:send'`);
    await setPresence(tx, 'jean', 'terminated');
  });

  await home.register('jean');

  expect(await heldBy(home.ledger, 'jean')).toEqual(['message:*:send']);
});
