/** The daemon's commands as their users run them. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test, vi } from 'vitest';
import { realProcesses } from '../../src/app/engines/processes.ts';
import { launcher, type Run, runAos, stackLine } from '../support/run-aos.ts';
import { startDaemon } from '../support/running-daemon.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const aos = (home: string, ...words: string[]): Promise<Run> => runAos(['--home', home, ...words]);

async function json(home: string, ...words: string[]) {
  const run = await aos(home, '--json', ...words);
  return JSON.parse(run.stdout);
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

    const up = await aos(home, 'up', '--detach', '--port', '0');
    const status = await json(home, 'status');
    const down = await aos(home, 'down');

    expect(up).toMatchObject({ code: 0, stderr: '' });
    expect(up.stdout).toMatch(/^Agent OS .* is up\.\n {2}home +.*\n {2}socket +.*\n {2}http +/);
    expect(status.data).toMatchObject({ role: 'owner', ready: true, home, agents: { total: 0 } });
    expect(down).toMatchObject({ code: 0, stdout: 'The daemon has stopped.\n' });
    expect(realProcesses.startTimeOf(status.data.pid)).toBeUndefined();
  });

  test('--detach says what kept the daemon from starting', async () => {
    await using folder = temporaryFolder();
    writeFileSync(folder.at('home'), 'a file');

    const up = await aos(folder.at('home'), 'up', '--detach', '--port', '0');

    expect(up.code).not.toBe(0);
    expect(up.stdout).toBe('');
    expect(up.stderr).toMatch(/^error: .+\n {2}try: .+\n$/);
    expect(up.stderr).not.toMatch(stackLine);
  });

  test('a port that is taken is named, and the home is free again', async () => {
    await using folder = temporaryFolder();
    await using first = await startDaemon(folder.at('first'));
    const port = new URL(first.url).port;

    const second = await aos(folder.at('second'), 'up', '--port', port);

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

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    '%s stops it gracefully: a signed head, and nothing left in run/',
    async (signal) => {
      await using folder = temporaryFolder();
      const home = folder.at('home');
      await using daemon = await startDaemon(home);
      await daemon.client.register('jean');

      daemon.signal(signal);
      const end = await daemon.ended;

      expect(end).toEqual({ code: 0, signal: null });
      const audit = await aos(home, 'audit', '--kind', 'daemon.stopped');
      expect(audit.stdout).toContain('daemon.stopped');
      expect(existsSync(`${home}/run/aos.sock`)).toBe(false);
      using ledger = new DatabaseSync(`${home}/ledger.db`, { readOnly: true });
      const head = ledger.prepare('select max(seq) as seq from event_heads').get();
      const events = ledger.prepare('select max(seq) as seq from events').get();
      expect(head).toEqual(events);
    },
  );

  test.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('the second %s does not wait for what is under way', async (signal, code) => {
    await using folder = temporaryFolder();
    await using daemon = await startDaemon(folder.at('home'));
    // A request whose body never ends keeps a graceful stop waiting.
    const hanging = connect({ path: daemon.socket }).on('error', () => {});
    hanging.write(
      'POST /api/v1/agents HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{',
    );
    await once(hanging, 'connect');
    await daemon.client.status();

    daemon.signal(signal);
    await vi.waitUntil(() => !existsSync(daemon.socket), { timeout: 5000 });
    daemon.signal(signal);
    const end = await daemon.ended;

    hanging.destroy();
    expect(end).toEqual({ code, signal: null });
    expect(await aos(folder.at('home'), 'audit', 'verify')).toMatchObject({ code: 0 });
  });

  test('a daemon that is frozen is called silent, not absent', async () => {
    await using folder = temporaryFolder();
    await using daemon = await startDaemon(folder.at('home'));
    daemon.signal('SIGSTOP');

    const status = await aos(folder.at('home'), 'status');

    daemon.signal('SIGCONT');
    expect(status).toMatchObject({ code: 8, stdout: '' });
    expect(status.stderr).toContain('--takeover');
  });

  test('the log is JSON lines for its owner alone, and has no secret in it', async () => {
    await using folder = temporaryFolder();
    const home = folder.at('home');
    await using daemon = await startDaemon(home);
    const { handle } = await daemon.client.register('jean');
    await daemon.stop();

    const log = readFileSync(`${home}/logs/daemon.log`, 'utf8');

    const words = log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).msg);
    expect(words).toEqual(expect.arrayContaining(['the daemon starts', 'the daemon has stopped']));
    expect(log).not.toContain(handle);
    expect(log).not.toContain(readFileSync(`${home}/keys/owner.handle`, 'utf8').trim());
    expect(statSync(`${home}/logs/daemon.log`).mode & 0o777).toBe(0o600);
  });
});

describe('aos register', () => {
  test('does the same with a daemon and without one', async () => {
    await using folder = temporaryFolder();
    const home = folder.at('home');

    const without = await json(home, 'register', 'jean');
    await using daemon = await startDaemon(home);
    const withOne = await json(home, 'register', 'samantha');

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
    const names = (await Array.fromAsync(daemon.client.agents())).map(({ name }) => name);
    expect(names).toEqual(['jean', 'samantha']);
  });

  test('six at once without a daemon take turns, and all of them succeed', async () => {
    await using folder = temporaryFolder();
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];

    const runs = await Promise.all(names.map((name) => aos(folder.path, 'register', name)));

    expect(runs.map(({ code }) => code)).toEqual(names.map(() => 0));
    const audit = await aos(folder.path, 'audit', '--kind', 'agent.registered');
    expect(audit.stdout.trim().split('\n')).toHaveLength(names.length);
  });

  test('waits for a daemon that is just starting', async () => {
    await using folder = temporaryFolder();

    const [daemon, run] = await Promise.all([
      startDaemon(folder.path),
      aos(folder.path, 'register', 'jean'),
    ]);

    await using _daemon = daemon;
    expect(run).toMatchObject({ code: 0, stderr: '' });
  });

  test('gives each agent a socket that takes its own handle and no other', async () => {
    await using folder = temporaryFolder();
    const home = folder.at('home');
    const { data: early } = await json(home, 'register', 'jean');
    await using daemon = await startDaemon(home);
    const late = await daemon.client.register('samantha');
    const ask = (name: string, handle?: string) =>
      exchange(
        `${home}/run/agents/${name}.sock`,
        `GET /api/v1/status HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${handle === undefined ? '' : `Authorization: Bearer ${handle}\r\n`}\r\n`,
      );

    expect(await ask('jean', early.handle)).toMatch(/^HTTP\/1.1 200 [\s\S]*"name":"jean"/);
    expect(await ask('samantha', late.handle)).toMatch(/^HTTP\/1.1 200 /);
    expect(await ask('jean', late.handle)).toMatch(/^HTTP\/1.1 403 /);
    expect(await ask('jean')).toMatch(/^HTTP\/1.1 401 /);
    const owner = readFileSync(`${home}/keys/owner.handle`, 'utf8').trim();
    expect(await ask('jean', owner)).toMatch(/^HTTP\/1.1 403 /);
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
    await using folder = temporaryFolder();
    const home = folder.at('home');

    const refused = await json(home, 'register', name);

    expect(refused).toMatchObject({ ok: false, error: { code, fix: expect.any(String) } });
    expect(await json(home, 'audit', '--kind', 'agent.*', '--limit', '1').catch(() => '')).toBe('');
  });

  test('--new-handle replaces a handle, and the old one is refused at once', async () => {
    await using folder = temporaryFolder();
    await using daemon = await startDaemon(folder.path);
    const old = await daemon.client.register('jean', { expires_ms: 60_000 });
    const ask = async (handle: string) => {
      const headers = { authorization: `Bearer ${handle}` };
      return (await fetch(`${daemon.url}/api/v1/status`, { headers })).status;
    };
    const before = await ask(old.handle);

    const renewed = await json(folder.path, 'register', 'jean', '--new-handle', '--expires', '1h');

    expect([before, await ask(old.handle), await ask(renewed.data.handle)]).toEqual([
      200, 401, 200,
    ]);
    const nobody = await aos(folder.path, 'register', 'nobody', '--new-handle');
    expect(nobody).toMatchObject({ code: 4, stdout: '' });
    const nameless = await json(folder.path, 'register', '', '--new-handle');
    expect(nameless).toMatchObject({ error: { code: 'agent.bad-name' } });
  });

  test('refuses a name that is taken, also in other letters', async () => {
    await using folder = temporaryFolder();
    await aos(folder.path, 'register', 'jean');

    const again = await json(folder.path, 'register', 'Jean');

    expect(again.error.code).toBe('agent.exists');
  });
});

describe('aos audit', () => {
  test('tells what happened, filtered, and as JSON lines', async () => {
    await using folder = temporaryFolder();
    await aos(folder.path, 'register', 'jean');
    await aos(folder.path, 'register', 'samantha');

    const words = await aos(folder.path, 'audit', '--subject', 'agent:jean');
    const lines = await aos(folder.path, '--json', 'audit', '--limit', 'all');

    expect(words.stdout.trim().split('\n')).toHaveLength(1);
    expect(words.stdout).toContain('owner  agent.registered  agent:jean');
    const events = lines.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3]);
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
      await aos(folder.at('home'), 'register', 'jean');
      writeFileSync(folder.at('head.json'), content);

      const run = await aos(folder.at('home'), 'audit', 'verify', '--head', folder.at('head.json'));

      expect(run).toMatchObject({ code: 2, stdout: '' });
      expect(run.stderr).toContain('does not hold a head');
      expect(run.stderr).toContain('printed earlier');
      expect(run.stderr).not.toContain('>');
    },
  );

  test('says that a ledger is damaged which holds a number that cannot be read', async () => {
    await using folder = temporaryFolder();
    await aos(folder.path, 'register', 'jean');
    {
      using ledger = new DatabaseSync(folder.at('ledger.db'));
      ledger.exec('update events set at = 9000000000000000000 where seq = 2');
    }

    const list = await aos(folder.path, 'audit');
    const verify = await aos(folder.path, 'audit', 'verify');

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
    await using folder = temporaryFolder();
    const without = await aos(folder.path, 'audit', '--follow');
    await using daemon = await startDaemon(folder.path);

    const following = spawn(process.execPath, [launcher, '--home', folder.path, 'audit', '-f']);
    let heard = '';
    following.stdout.setEncoding('utf8').on('data', (text: string) => {
      heard += text;
    });
    const ended = once(following, 'close');
    await vi.waitUntil(() => heard.includes('daemon.started'), { timeout: 10_000 });
    await daemon.client.register('jean');
    await vi.waitUntil(() => heard.includes('agent:jean'), { timeout: 10_000 });
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

  test.each(crimes)('verify finds %s', async (_what, sql, needsHead) => {
    await using folder = temporaryFolder();
    for (const name of ['jean', 'samantha', 'jared']) await aos(folder.path, 'register', name);
    await using elsewhere = temporaryFolder();
    const head = elsewhere.at('head.json');
    writeFileSync(head, (await aos(folder.path, 'audit', 'head')).stdout);
    const before = await aos(folder.path, 'audit', 'verify', '--head', head);
    {
      using ledger = new DatabaseSync(folder.at('ledger.db'));
      ledger.exec(sql);
    }

    const words = needsHead ? ['--head', head] : [];
    const after = await aos(folder.path, 'audit', 'verify', ...words);

    expect(before).toMatchObject({ code: 0 });
    expect(before.stdout).toContain('The head that was kept elsewhere fits.');
    expect(after).toMatchObject({ code: 7, stdout: '' });
    expect(after.stderr).toMatch(needsHead ? /broken at event 3/ : /broken at event 2/);
  });

  test('verify finds a chain that was hashed again as a whole, against a head kept elsewhere', async () => {
    await using folder = temporaryFolder();
    await using elsewhere = temporaryFolder();
    for (const name of ['jean', 'samantha']) await aos(folder.path, 'register', name);
    const head = elsewhere.at('head.json');
    writeFileSync(head, (await aos(folder.path, '--json', 'audit', 'head')).stdout);
    await rehash(folder.at('ledger.db'));

    const alone = await aos(folder.path, 'audit', 'verify');
    const against = await aos(folder.path, 'audit', 'verify', '--head', head);

    expect(alone.code).toBe(0);
    expect(against).toMatchObject({ code: 7, stdout: '' });
    expect(against.stderr).toContain('rewritten');
  });
});

/** What somebody can do who holds the file and not the key. */
async function rehash(path: string): Promise<void> {
  const { chainStart, nextHead } = await import('../../src/ledger/chain.ts');
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
  test('a backup of a running home comes back on another machine, keys and all', async () => {
    await using folder = temporaryFolder();
    const [home, other] = [folder.at('home'), folder.at('other')];
    writeFileSync(folder.at('passphrase'), 'correct horse battery staple\n');
    const sealed = ['--passphrase-file', folder.at('passphrase')];
    await using daemon = await startDaemon(home);
    const { handle } = await daemon.client.register('jean', { expires_ms: 600_000 });

    const backup = await aos(home, 'backup', folder.at('b'), ...sealed);
    const restore = await aos(other, 'restore', folder.at('b'), ...sealed);
    await using again = await startDaemon(other);

    expect(backup).toMatchObject({ code: 0, stderr: '' });
    expect(restore).toMatchObject({ code: 0, stderr: '' });
    expect(await again.client.auditVerify()).toMatchObject({ kind: 'whole' });
    expect(await again.client.agent('jean')).toMatchObject({ name: 'jean' });
    const answer = await fetch(`${again.url}/api/v1/status`, {
      headers: { authorization: `Bearer ${handle}` },
    });
    expect(await answer.json()).toMatchObject({ role: 'agent', name: 'jean' });
  });

  test('a backup without a passphrase says that the keys are not in it', async () => {
    await using folder = temporaryFolder();
    await aos(folder.at('home'), 'register', 'jean');

    const run = await aos(folder.at('home'), 'backup', folder.at('b'));

    expect(run.stdout).toContain('no keys');
  });

  test('a restore under a running daemon is refused', async () => {
    await using folder = temporaryFolder();
    await using _daemon = await startDaemon(folder.at('home'));
    await aos(folder.at('home'), 'backup', folder.at('b'));

    const run = await aos(folder.at('home'), 'restore', folder.at('b'), '--replace');

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
    writeFileSync(folder.at('passphrase'), 'correct horse battery staple\n');
    const sealed = ['--passphrase-file', folder.at('passphrase')];
    await aos(folder.at('home'), 'register', 'jean');
    await aos(folder.at('home'), 'backup', folder.at('b'), ...sealed);

    const without = await aos(folder.at('other'), 'restore', folder.at('b'));
    const withKeys = await aos(folder.at('other'), 'restore', folder.at('b'), ...sealed);

    expect(without).toMatchObject({ code: 5, stdout: '' });
    expect(without.stderr).toContain('--passphrase-file');
    expect(withKeys).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(folder.at('other', 'agents', 'jean', 'outbox', '.pending'))).toBe(true);
  });

  test('a restore names the agents whose keys are missing', async () => {
    await using folder = temporaryFolder();
    await aos(folder.at('home'), 'register', 'jean');
    await aos(folder.at('home'), 'backup', folder.at('b'));
    rmSync(folder.at('home', 'keys', 'agent-jean.key'));

    const run = await aos(folder.at('home'), 'restore', folder.at('b'), '--replace');

    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toMatch(/^No key .*: jean\.$/m);
  });

  test('a backup into the home is refused, and the home still opens', async () => {
    await using folder = temporaryFolder();
    const home = folder.at('home');
    await aos(home, 'register', 'jean');

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
  await using folder = temporaryFolder();
  await aos(folder.path, 'register', 'jean');

  const { data } = await json(folder.path, 'du');

  const sizes = new Map(
    data.items.map((item: { name: string; bytes: number }) => [item.name, item.bytes]),
  );
  expect(sizes.get('ledger')).toBeGreaterThan(4096);
  expect(sizes.get('agents/jean')).toBeGreaterThan(100);
  expect(data.total_bytes).toBeGreaterThan(Number(sizes.get('ledger')));
});

test('aos gc removes old litter, and with --dry-run only says so', async () => {
  await using folder = temporaryFolder();
  await aos(folder.path, 'register', 'jean');
  const litter = folder.at('keys', '.owner.key.0123456789abcdef.pending');
  writeFileSync(litter, 'half a key', { mode: 0o600 });
  utimesSync(litter, 1, 1);

  const dry = await json(folder.path, 'gc', '--dry-run');
  const wet = await json(folder.path, 'gc');

  expect(dry.data.items).toMatchObject([{ path: litter, bytes: 10 }]);
  expect(wet.data).toMatchObject({ freed_bytes: 10, failed: [] });
  expect(existsSync(litter)).toBe(false);
});

test('aos doctor finds a damaged ledger', async () => {
  await using folder = temporaryFolder();
  await aos(folder.path, 'register', 'jean');
  const sound = await aos(folder.path, 'doctor', 'ledger');
  const bytes = readFileSync(folder.at('ledger.db'));
  bytes.fill(0xa5, 8192, 40_960);
  writeFileSync(folder.at('ledger.db'), bytes);

  const damaged = await aos(folder.path, 'doctor', 'ledger');

  expect(sound).toMatchObject({ code: 0 });
  expect(sound.stdout).toContain('the ledger is sound');
  expect(damaged.code).toBe(7);
  expect(damaged.stdout).toMatch(/failed +ledger/);
});
