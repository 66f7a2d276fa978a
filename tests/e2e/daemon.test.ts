/** The daemon's commands as their users run them. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { connect } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { realProcesses } from '../../src/engines/process/processes.ts';
import { aosHere } from '../support/aos-here.ts';
import { launcher, type Run, runAos, stackLine } from '../support/run-aos.ts';
import { type RunningDaemon, startDaemon } from '../support/running-daemon.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { cases, isFull } from '../support/tier.ts';
import { until, untilTrue } from '../support/until.ts';

/** The real program. */
const program = (home: string, ...words: string[]): Promise<Run> =>
  runAos(['--home', home, ...words]);

/** The same command in this process, which takes a fifth of the time. */
const aos = (home: string, ...words: string[]): Promise<Run> => aosHere(['--home', home, ...words]);

async function json(home: string, ...words: string[]) {
  const run = await aos(home, '--json', ...words);
  return JSON.parse(run.stdout);
}

let shared: TemporaryFolder;
/** A daemon for tests that neither stop it nor count what is in its home. */
let daemon: RunningDaemon;
const daemonHome = () => shared.at('daemon');
/** With the words of a command that waits ten seconds for a frozen daemon: meanwhile others run. */
let frozen: { readonly daemon: RunningDaemon; readonly status: Promise<Run> };

beforeAll(async () => {
  shared = temporaryFolder();
  const stopped = await startDaemon(shared.at('frozen'));
  stopped.signal('SIGSTOP');
  frozen = { daemon: stopped, status: program(shared.at('frozen'), 'status') };
  daemon = await startDaemon(daemonHome());
  for (const name of ['jean', 'samantha', 'jared']) {
    await aos(shared.at('of-three'), 'register', name);
    if (name === 'jean') await copyHome('of-three', shared.at('of-one'));
  }
});

afterAll(async () => {
  await frozen?.status;
  await frozen?.daemon.kill();
  await daemon?.kill();
  await shared?.[Symbol.asyncDispose]();
});

/** A home in which jean, or jean, samantha and jared were registered, in this order. */
async function copyHome(which: 'of-one' | 'of-three', path: string): Promise<string> {
  // Not by cpSync(), which forgets the modes of folders.
  await cp(shared.at(which), path, { recursive: true });
  return path;
}

/** On a connection that is not kept, which would outlive the test. */
function askStatus({ url }: RunningDaemon, handle: string): Promise<Response> {
  const headers = { authorization: `Bearer ${handle}`, connection: 'close' };
  return fetch(`${url}/api/v1/status`, { headers });
}

/** Sends raw bytes to a socket and returns all that comes back. */
function exchange(path: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let heard = '';
    connect({ path })
      .setEncoding('utf8')
      .on('data', (chunk: string) => {
        heard += chunk;
      })
      .on('error', reject)
      .on('close', () => resolve(heard))
      .end(text);
  });
}

describe('aos up, status and down', () => {
  test('--detach returns when the daemon is ready, and down when it is gone', async () => {
    await using folder = temporaryFolder();
    const home = folder.at('home');

    const up = await program(home, 'up', '--detach', '--port', '0');
    const status = JSON.parse((await program(home, '--json', 'status')).stdout);
    const down = await program(home, 'down');

    expect(up).toMatchObject({ code: 0, stderr: '' });
    expect(up.stdout).toMatch(/^Agent OS .* is up\.\n {2}home +.*\n {2}socket +.*\n {2}http +/);
    expect(status.data).toMatchObject({ role: 'owner', ready: true, home, agents: { total: 0 } });
    expect(down).toMatchObject({ code: 0, stdout: 'The daemon has stopped.\n' });
    expect(realProcesses.startTimeOf(status.data.pid)).toBeUndefined();
  });

  test('--detach says what kept the daemon from starting', async () => {
    await using folder = temporaryFolder();
    writeFileSync(folder.at('home'), 'a file');

    const up = await program(folder.at('home'), 'up', '--detach', '--port', '0');

    expect(up.code).not.toBe(0);
    expect(up.stdout).toBe('');
    expect(up.stderr).toMatch(/^error: .+\n {2}try: .+\n$/);
    expect(up.stderr).not.toMatch(stackLine);
  });

  test('a port that is taken is named, and the home is free again', async () => {
    await using folder = temporaryFolder();
    const port = new URL(daemon.url).port;

    const second = await program(folder.at('second'), 'up', '--port', port);

    expect(second).toMatchObject({ code: 7, stdout: '' });
    expect(second.stderr).toContain(port);
    expect(await aos(folder.at('second'), 'register', 'jean')).toMatchObject({ code: 0 });
  });

  test('without a daemon status says so, and down has nothing to do', async () => {
    await using folder = temporaryFolder();

    const status = await aos(folder.at('home'), 'status');
    const down = await aos(folder.at('home'), 'down');

    expect(status).toMatchObject({ code: 7, stdout: '' });
    expect(status.stderr).toContain('try: aos up --detach');
    expect(down).toMatchObject({ code: 0, stdout: 'No daemon was running.\n' });
  });

  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

  test.each(cases('signals that stop', signals, 2))(
    '%s stops it gracefully: a signed head, nothing left in run/, and no secret in its log',
    async (signal) => {
      await using folder = temporaryFolder();
      const home = folder.at('home');
      await using stopping = await startDaemon(home);
      const { handle } = await stopping.client.register('jean');

      stopping.signal(signal);
      const end = await stopping.ended;

      expect(end).toEqual({ code: 0, signal: null });
      const audit = await aos(home, 'audit', '--kind', 'daemon.stopped');
      expect(audit.stdout).toContain('daemon.stopped');
      expect(existsSync(`${home}/run/aos.sock`)).toBe(false);
      using ledger = new DatabaseSync(`${home}/ledger.db`, { readOnly: true });
      const head = ledger.prepare('select max(seq) as seq from event_heads').get();
      const events = ledger.prepare('select max(seq) as seq from events').get();
      expect(head).toEqual(events);
      expectLogWithout(home, handle);
    },
  );

  /** JSON lines for the owner of the home alone. */
  function expectLogWithout(home: string, handle: string): void {
    const log = readFileSync(`${home}/logs/daemon.log`, 'utf8');
    const words = log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).msg);
    expect(words).toEqual(expect.arrayContaining(['the daemon starts', 'the daemon has stopped']));
    expect(log).not.toContain(handle);
    expect(log).not.toContain(readFileSync(`${home}/keys/owner.handle`, 'utf8').trim());
    expect(statSync(`${home}/logs/daemon.log`).mode & 0o777).toBe(0o600);
  }

  test.each(cases('second signal', ['SIGTERM', 'SIGINT'] as const, 1))(
    'the second %s does not wait for what is under way',
    async (signal) => {
      await using folder = temporaryFolder();
      await using stopping = await startDaemon(folder.at('home'));
      // A request whose body never ends keeps a graceful stop waiting.
      const hanging = connect({ path: stopping.socket }).on('error', () => {});
      hanging.write(
        'POST /api/v1/agents HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{',
      );
      await once(hanging, 'connect');
      await stopping.client.status();

      stopping.signal(signal);
      await untilTrue(() => !existsSync(stopping.socket));
      stopping.signal(signal);
      const end = await stopping.ended;

      hanging.destroy();
      expect(end).toEqual({ code: null, signal });
      expect(await aos(folder.at('home'), 'audit', 'verify')).toMatchObject({ code: 0 });
    },
  );
});

describe('aos register', () => {
  test('does the same with a daemon and without one', async () => {
    await using folder = temporaryFolder();
    const home = folder.at('home');

    const without = JSON.parse((await program(home, '--json', 'register', 'jean')).stdout);
    await using other = await startDaemon(home);
    const withOne = JSON.parse((await program(home, '--json', 'register', 'samantha')).stdout);

    for (const { ok, data } of [without, withOne]) {
      expect(ok).toBe(true);
      expect(data).toMatchObject({
        address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
        handle: expect.stringMatching(/^aos_/),
      });
      for (const part of ['inbox', 'outbox', 'outbox/.pending', 'workspace']) {
        expect(statSync(`${data.folder}/${part}`).mode & 0o777).toBe(0o700);
      }
      expect(statSync(`${data.folder}/meta.json`).mode & 0o777).toBe(0o600);
    }
    const names = (await Array.fromAsync(other.client.agents())).map(({ name }) => name);
    expect(names).toEqual(['jean', 'samantha']);
    await expectOwnSockets(home, { jean: without.data.handle, samantha: withOne.data.handle });
  });

  /** Each agent has a socket that takes its own handle and no other. */
  async function expectOwnSockets(
    home: string,
    { jean, samantha }: { readonly jean: string; readonly samantha: string },
  ): Promise<void> {
    const ask = (name: string, handle?: string) =>
      exchange(
        `${home}/run/agents/${name}.sock`,
        `GET /api/v1/status HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${handle === undefined ? '' : `Authorization: Bearer ${handle}\r\n`}\r\n`,
      );

    expect(await ask('jean', jean)).toMatch(/^HTTP\/1.1 200 [\s\S]*"name":"jean"/);
    expect(await ask('samantha', samantha)).toMatch(/^HTTP\/1.1 200 /);
    expect(await ask('jean', samantha)).toMatch(/^HTTP\/1.1 403 /);
    expect(await ask('jean')).toMatch(/^HTTP\/1.1 401 /);
    const owner = readFileSync(`${home}/keys/owner.handle`, 'utf8').trim();
    expect(await ask('jean', owner)).toMatch(/^HTTP\/1.1 403 /);
  }

  test('many at once without a daemon take turns, and all of them succeed', async () => {
    await using folder = temporaryFolder();
    const names = isFull ? ['a', 'b', 'c', 'd', 'e', 'f'] : ['a', 'b', 'c'];
    // A turn is waited for five seconds: on a busy machine one may be told that, and comes again.
    const register = (name: string): Promise<void> =>
      until(async () => {
        const run = await program(folder.path, 'register', name);
        expect(run).toMatchObject({ code: 0, stderr: '' });
      });

    await Promise.all(names.map(register));

    const audit = await aos(folder.path, 'audit', '--kind', 'agent.registered');
    expect(audit.stdout.trim().split('\n')).toHaveLength(names.length);
  });

  test('waits for a daemon that is just starting', async () => {
    await using folder = temporaryFolder();

    const [starting, run] = await Promise.all([
      startDaemon(folder.path),
      program(folder.path, 'register', 'jean'),
    ]);

    await using _daemon = starting;
    expect(run).toMatchObject({ code: 0, stderr: '' });
  });

  test.each([
    ['1jean', 'agent.bad-name'],
    ['../jean', 'agent.bad-name'],
    ['ROOT', 'agent.bad-name'],
    ['__orchestrator__', 'agent.bad-name'],
    ['a'.repeat(64), 'agent.bad-name'],
    ['jean\n', 'agent.bad-name'],
    ['', 'agent.bad-name'],
    ['a'.repeat(300), 'agent.bad-name'],
  ])('refuses the name %j and makes nothing', async (name, code) => {
    const agents = async () => (await Array.fromAsync(daemon.client.agents())).length;
    const before = await agents();

    const refused = await json(daemonHome(), 'register', name);

    expect(refused).toMatchObject({ ok: false, error: { code, fix: expect.any(String) } });
    expect(await agents()).toBe(before);
  });

  test('--new-handle replaces a handle, and the old one is refused at once', async () => {
    const old = await daemon.client.register('renewed', { expires_ms: 60_000 });
    const ask = async (handle: string) => (await askStatus(daemon, handle)).status;
    const before = await ask(old.handle);

    const words = ['register', 'renewed', '--new-handle', '--expires', '1h'];
    const renewed = await json(daemonHome(), ...words);

    expect([before, await ask(old.handle), await ask(renewed.data.handle)]).toEqual([
      200, 401, 200,
    ]);
    const nobody = await aos(daemonHome(), 'register', 'nobody', '--new-handle');
    expect(nobody).toMatchObject({ code: 4, stdout: '' });
    const nameless = await json(daemonHome(), 'register', '', '--new-handle');
    expect(nameless).toMatchObject({ error: { code: 'agent.bad-name' } });
  });

  test('refuses a name that is taken, also in other letters', async () => {
    await daemon.client.register('taken');

    const again = await json(daemonHome(), 'register', 'Taken');

    expect(again.error.code).toBe('agent.exists');
  });
});

describe('aos audit', () => {
  test('tells what happened, filtered, and as JSON lines', async () => {
    await using folder = temporaryFolder();
    const home = await copyHome('of-three', folder.at('home'));

    const words = await aos(home, 'audit', '--subject', 'agent:jean');
    const lines = await aos(home, '--json', 'audit', '--limit', 'all');

    expect(words.stdout.trim().split('\n')).toHaveLength(1);
    expect(words.stdout).toContain('owner  agent.registered  agent:jean');
    const events = lines.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    expect(events[2]).toMatchObject({ kind: 'agent.registered', subject: 'agent:samantha' });
  });

  test.each([
    ['--limit', '0'],
    ['--limit', 'many'],
    ['--since', 'yesterday'],
    ['--kind', 'Agent Registered'],
    ['--kind', ''],
    ['--actor', ''],
    ['--subject', 'x'.repeat(101)],
    ['--head', 'x'],
  ])('refuses %s %s in words', async (option, value) => {
    await using folder = temporaryFolder();

    const run = await aos(folder.path, 'audit', option, value);

    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toMatch(/^error: .+\n {2}try: .+\n$/);
    expect(run.stderr).not.toMatch(/pattern|must NOT|\/docs/);
  });

  test.each([
    ['verify', '--follow'],
    ['verify', '--limit', '50'],
    ['head', '--kind', 'agent.*'],
  ])('%s refuses %s, which it would not heed', async (command, ...options) => {
    await using folder = temporaryFolder();

    const after = await aos(folder.path, 'audit', command, ...options);
    const before = await aos(folder.path, 'audit', ...options, command);
    const help = await aos(folder.path, 'audit', command, '--help');

    for (const run of [after, before]) {
      expect(run).toMatchObject({ code: 2, stdout: '' });
      expect(run.stderr).toContain(`"aos audit ${command}" has no option "${options[0]}"`);
    }
    expect(help.stdout).toContain('--json');
    expect(help.stdout).not.toContain(options[0]);
  });

  test.each(['', 'no JSON', 'null', '{}', '[]', '{"seq":1}', '{"ok":true,"data":null}'])(
    'verify --head with a file that holds %j does not advise to write over it',
    async (content) => {
      await using folder = temporaryFolder();
      writeFileSync(folder.at('head.json'), content);

      const run = await aos(daemonHome(), 'audit', 'verify', '--head', folder.at('head.json'));

      expect(run).toMatchObject({ code: 2, stdout: '' });
      expect(run.stderr).toContain('does not hold a head');
      expect(run.stderr).toContain('printed earlier');
      expect(run.stderr).not.toContain('>');
    },
  );

  test('says that a ledger is damaged which holds a number that cannot be read', async () => {
    await using folder = temporaryFolder();
    const home = await copyHome('of-one', folder.at('home'));
    {
      using ledger = new DatabaseSync(`${home}/ledger.db`);
      ledger.exec('update events set at = 9000000000000000000 where seq = 2');
    }

    const list = await aos(home, 'audit');
    const verify = await aos(home, 'audit', 'verify');

    expect(list).toMatchObject({ code: 7, stdout: '' });
    expect(list.stderr).toMatch(/^error: The ledger .+ is damaged\n {2}try: .+\n$/);
    expect(verify).toMatchObject({ code: 7, stdout: '' });
    expect(verify.stderr).toContain('broken at event 2');
  });

  test('a misspelt command below it is named', async () => {
    await using folder = temporaryFolder();

    const run = await aos(folder.path, 'audit', 'vrify');

    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toContain('Did you mean "verify"?');
  });

  test('--follow goes on with what happens, and wants a daemon', async () => {
    const without = await aos(shared.at('of-one'), 'audit', '--follow');

    const following = spawn(process.execPath, [launcher, '--home', daemonHome(), 'audit', '-f']);
    let heard = '';
    following.stdout.setEncoding('utf8').on('data', (text: string) => {
      heard += text;
    });
    const ended = once(following, 'close');
    await untilTrue(() => heard.includes('daemon.started'));
    await daemon.client.register('followed');
    await untilTrue(() => heard.includes('agent:followed'));
    following.kill('SIGINT');

    expect(await ended).toEqual([130, null]);
    expect(without).toMatchObject({ code: 7, stdout: '' });
  });

  const crimes: readonly (readonly [string, string, boolean])[] = [
    ['an edited row', `update events set kind = 'agent.left' where seq = 2`, false],
    ['edited data', `update events set data = '{"address":"0x0"}' where seq = 2`, false],
    ['data that was quietly removed', 'update events set data = null where seq = 2', false],
    ['a row cut out', 'delete from events where seq = 2', false],
    [
      'a deleted tail',
      'delete from events where seq > 2; delete from event_heads where seq > 2',
      true,
    ],
  ];

  describe('verify', () => {
    const kept = () => shared.at('head.json');

    beforeAll(async () => {
      writeFileSync(kept(), (await aos(shared.at('of-three'), 'audit', 'head')).stdout);
    });

    test('says that a head that was kept elsewhere fits', async () => {
      await using folder = temporaryFolder();
      const head = await program(daemonHome(), 'audit', 'head');
      writeFileSync(folder.at('head.json'), head.stdout);

      const words = ['audit', 'verify', '--head', folder.at('head.json')];
      const run = await program(daemonHome(), ...words);

      expect(run).toMatchObject({ code: 0 });
      expect(run.stdout).toContain('The head that was kept elsewhere fits.');
    });

    test.each(crimes)('finds %s', async (_what, sql, needsHead) => {
      await using folder = temporaryFolder();
      const home = await copyHome('of-three', folder.at('home'));
      {
        using ledger = new DatabaseSync(`${home}/ledger.db`);
        ledger.exec(sql);
      }

      const words = needsHead ? ['--head', kept()] : [];
      const after = await aos(home, 'audit', 'verify', ...words);

      expect(after).toMatchObject({ code: 7, stdout: '' });
      expect(after.stderr).toMatch(needsHead ? /broken at event 3/ : /broken at event 2/);
    });

    test('finds a chain that was hashed again as a whole, against a head kept elsewhere', async () => {
      await using folder = temporaryFolder();
      const home = await copyHome('of-three', folder.at('home'));
      const head = folder.at('head.json');
      writeFileSync(head, (await aos(home, '--json', 'audit', 'head')).stdout);
      await rehash(`${home}/ledger.db`);

      const alone = await aos(home, 'audit', 'verify');
      const against = await aos(home, 'audit', 'verify', '--head', head);

      expect(alone.code).toBe(0);
      expect(against).toMatchObject({ code: 7, stdout: '' });
      expect(against.stderr).toContain('rewritten');
    });
  });
});

/** What somebody can do who holds the file and not the key. */
async function rehash(path: string): Promise<void> {
  const { chainStart, nextHead } = await import('../../src/ledger/events.ts');
  using ledger = new DatabaseSync(path);
  ledger.exec(`update events set subject = 'agent:mallory' where seq = 2; delete from event_heads`);
  const rows = ledger
    .prepare('select seq, at, actor, kind, subject, data_digest from events order by seq')
    .all();
  const update = ledger.prepare('update events set prev_hash = ?, hash = ? where seq = ?');
  let head = chainStart;
  for (const row of rows) {
    const next = nextHead(head, {
      at: Number(row['at']),
      actor: String(row['actor']),
      kind: String(row['kind']),
      subject: String(row['subject']),
      dataDigest: row['data_digest'] === null ? null : String(row['data_digest']),
    });
    update.run(head.hash, next.hash, next.seq);
    head = next;
  }
}

describe('aos backup and restore', () => {
  const sealed = () => ['--passphrase-file', shared.at('passphrase')];

  beforeAll(() => {
    writeFileSync(shared.at('passphrase'), 'correct horse battery staple\n');
  });

  test('a backup of a running home comes back on another machine, keys and all', async () => {
    await using folder = temporaryFolder();
    const other = folder.at('other');
    const { handle } = await daemon.client.register('moving', { expires_ms: 600_000 });

    const backup = await program(daemonHome(), 'backup', folder.at('b'), ...sealed());
    const restore = await program(other, 'restore', folder.at('b'), ...sealed());
    await using again = await startDaemon(other);

    expect(backup).toMatchObject({ code: 0, stderr: '' });
    expect(restore).toMatchObject({ code: 0, stderr: '' });
    expect(await again.client.auditVerify()).toMatchObject({ kind: 'whole' });
    expect(await again.client.agent('moving')).toMatchObject({ name: 'moving' });
    const answer = await askStatus(again, handle);
    expect(await answer.json()).toMatchObject({ role: 'agent', name: 'moving' });
  });

  test('a restore under a running daemon is refused', async () => {
    await using folder = temporaryFolder();
    await aos(daemonHome(), 'backup', folder.at('b'));

    const run = await aos(daemonHome(), 'restore', folder.at('b'), '--replace');

    expect(run).toMatchObject({ code: 5, stdout: '' });
    expect(run.stderr).toContain('aos down');
  });

  test('a restore from a file that is not there is a missing file', async () => {
    await using folder = temporaryFolder();

    const run = await aos(folder.at('home'), 'restore', folder.at('no-such'));

    expect(run).toMatchObject({ code: 4, stdout: '' });
    expect(run.stderr).toContain(folder.at('no-such'));
  });

  test('a restore without the keys on another machine is refused, and goes on with them', async () => {
    await using folder = temporaryFolder();
    await aos(shared.at('of-one'), 'backup', folder.at('b'), ...sealed());

    const without = await aos(folder.at('other'), 'restore', folder.at('b'));
    const withKeys = await aos(folder.at('other'), 'restore', folder.at('b'), ...sealed());

    expect(without).toMatchObject({ code: 5, stdout: '' });
    expect(without.stderr).toContain('--passphrase-file');
    expect(withKeys).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(folder.at('other', 'agents', 'jean', 'outbox', '.pending'))).toBe(true);
  });

  test('a backup without a passphrase has no keys, and a restore names the agents that miss theirs', async () => {
    await using folder = temporaryFolder();
    const home = await copyHome('of-one', folder.at('home'));
    const backup = await aos(home, 'backup', folder.at('b'));
    rmSync(folder.at('home', 'keys', 'agent-jean.key'));

    const run = await aos(home, 'restore', folder.at('b'), '--replace');

    expect(backup.stdout).toContain('no keys');
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toMatch(/^No key .*: jean\.$/m);
  });

  test('a backup into the home is refused, and the home still opens', async () => {
    await using folder = temporaryFolder();
    const home = await copyHome('of-one', folder.at('home'));

    const run = await aos(home, 'backup', folder.at('home', 'b'));

    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(await aos(home, 'register', 'samantha')).toMatchObject({ code: 0 });
  });
});

test.each(['audit', 'audit verify', 'audit head', 'du', 'gc', 'backup x'])(
  'aos %s makes no home of a folder that is none',
  async (words) => {
    await using folder = temporaryFolder();

    const run = await aos(folder.at('mistyped'), ...words.split(' '));

    expect(run).toMatchObject({ code: 4, stdout: '' });
    expect(existsSync(folder.at('mistyped'))).toBe(false);
  },
);

test('aos du counts the home area by area', async () => {
  const { data } = JSON.parse((await program(shared.at('of-one'), '--json', 'du')).stdout);

  const sizes = new Map(
    data.items.map((item: { name: string; bytes: number }) => [item.name, item.bytes]),
  );
  expect(sizes.get('ledger')).toBeGreaterThan(4096);
  expect(sizes.get('agents/jean')).toBeGreaterThan(100);
  expect(data.total_bytes).toBeGreaterThan(Number(sizes.get('ledger')));
});

test('aos gc removes old litter, and with --dry-run only says so', async () => {
  const litter = shared.at('daemon', 'keys', '.owner.key.0123456789abcdef.pending');
  writeFileSync(litter, 'half a key', { mode: 0o600 });
  utimesSync(litter, 1, 1);

  const dry = await json(daemonHome(), 'gc', '--dry-run');
  const wet = JSON.parse((await program(daemonHome(), '--json', 'gc')).stdout);

  expect(dry.data.items).toMatchObject([{ path: litter, bytes: 10 }]);
  expect(wet.data).toMatchObject({ freed_bytes: 10, failed: [] });
  expect(existsSync(litter)).toBe(false);
});

test('aos doctor finds a damaged ledger', async () => {
  await using folder = temporaryFolder();
  const home = await copyHome('of-one', folder.at('home'));
  const sound = await aos(home, 'doctor', 'ledger');
  const bytes = readFileSync(`${home}/ledger.db`);
  bytes.fill(0xa5, 8192, 40_960);
  writeFileSync(`${home}/ledger.db`, bytes);

  const damaged = await aos(home, 'doctor', 'ledger');

  expect(sound).toMatchObject({ code: 0 });
  expect(sound.stdout).toContain('the ledger is sound');
  expect(damaged.code).toBe(7);
  expect(damaged.stdout).toMatch(/failed +ledger/);
});

// The last one: the others have run while the command waited.
test('a daemon that is frozen is called silent, not absent', async () => {
  const status = await frozen.status;

  frozen.daemon.signal('SIGCONT');
  expect(status).toMatchObject({ code: 8, stdout: '' });
  expect(status.stderr).toContain('--takeover');
});
