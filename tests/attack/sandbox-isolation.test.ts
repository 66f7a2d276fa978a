/** Agents in sandboxes that try to reach each other, and what the daemon keeps. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  oneSandboxDaemon,
  processesWith,
  type SandboxDaemon,
  underEachDaemon,
} from '../support/sandbox-daemon.ts';
import { until } from '../support/until.ts';

/** What a program of an agent would find of these words, by every way that leads to that path. */
function readBy(path: string): string {
  const ways = [
    path,
    ...['root', 'cwd'].map((link) => `/proc/*/${link}${path}`),
    ...['/oldroot', '/newroot', '/..', '../../../../../../..'].map((start) => start + path),
  ];
  const all = ways.join(' ');
  return `for f in ${all}; do cat $f $f/* 2>/dev/null; ls -A $f 2>/dev/null; done; true`;
}

underEachDaemon((mode) => {
  const daemon = oneSandboxDaemon(mode, {
    agents: ['jean', 'lee'],
    settings: { sandboxesReady: 2 },
  });
  const seenByJean = async (path: string) => (await daemon().sh('jean', readBy(path))).stdout;

  test('the workspace of another agent is not there', async () => {
    await daemon().sh('lee', 'echo secret-of-lee > note');
    const theirs = daemon().workspaceOf('lee');

    expect(existsSync(join(theirs, 'note'))).toBe(true);
    expect(await seenByJean(theirs)).toBe('');
    const next = await daemon().sh(
      'jean',
      'ls -A /workspace/../ /workspace/../../agents; ls ../lee',
    );
    expect(next.stdout).not.toContain('lee');
  });

  test.each(['outbox', 'inbox'])('the %s of another agent is not there', async (box) => {
    const theirs = join(daemon().home, 'agents', 'lee', box);
    const file = join(theirs, '.a-file');
    writeFileSync(file, 'TO: jean\n\nsecret-of-lee');

    expect(await seenByJean(theirs)).toBe('');
    expect(await seenByJean(file)).toBe('');
    const { exit_code } = await daemon().sh('jean', `echo x > ${theirs}/forged`);
    expect(exit_code).not.toBe(0);
    expect(existsSync(join(theirs, 'forged'))).toBe(false);
  });

  test('no socket is there: neither of the owner, nor of another agent, nor its own', async () => {
    const owners = daemon().daemon.socket;
    const agents = join(dirname(owners), 'agents');
    expect(existsSync(join(agents, 'lee.sock'))).toBe(true);

    expect(await seenByJean(dirname(owners))).toBe('');
    expect(await seenByJean(agents)).toBe('');
    const connect = `use Socket; socket(S, PF_UNIX, SOCK_STREAM, 0) or die "no socket: $!";
      connect(S, sockaddr_un($ARGV[0])) or die "no way: $!"; print "connected"`;
    for (const path of [owners, join(agents, 'lee.sock'), join(agents, 'jean.sock')]) {
      const answer = await daemon().execute('jean', {
        program: 'perl',
        args: ['-e', connect, path],
      });
      expect(answer).toMatchObject({ stdout: '', stderr: expect.stringMatching(/no socket/) });
    }
  });

  test('keys, the ledger, the configuration and the logs are not there', async () => {
    const { home } = daemon();
    writeFileSync(join(home, 'config.json'), '{}');
    const kept = ['keys', 'ledger.db', 'ledger.db-wal', 'config.json', 'logs', 'run', ''];

    for (const name of kept) {
      expect([name, existsSync(join(home, name))]).toEqual([name, true]);
      expect([name, await seenByJean(join(home, name))]).toEqual([name, '']);
    }
  });

  test('a search from the root finds nothing of the home', async () => {
    const look = `find / -xdev \\( -name ledger.db -o -name '*.sock' -o -name config.json -path '*home*' -o -name '${basename(daemon().folder.path)}' \\) -not -path '/usr/*' 2>/dev/null; true`;

    expect((await daemon().sh('jean', look)).stdout).toBe('');
  });

  describe('while another call runs', () => {
    test('its processes are not there, and neither are those of the daemon', async () => {
      await using held = await hold(daemon(), 'lee', '');

      const look = 'cat /proc/[0-9]*/cmdline | tr "\\0" " "; echo /proc/[0-9]*';
      const seen = await daemon().sh('jean', look);
      const killed = await daemon().sh('jean', `kill -9 ${held.pids.join(' ')}`);

      expect(seen.stdout).not.toContain(held.mark);
      expect(seen.stdout).not.toMatch(/aos\.cjs|bin\/node/);
      expect((seen.stdout ?? '').match(/\/proc\/\d+/g)?.length).toBeLessThan(10);
      expect(killed.exit_code).not.toBe(0);
      expect(processesWith(held.mark)).toEqual(held.pids);
    });

    test('nothing is shared in memory or in /tmp', async () => {
      const share = 'my $id = shmget(4711, 4096, 01666); shmwrite($id, "secret-of-lee", 0, 13);';
      await using _ = await hold(daemon(), 'lee', share, 'tee /tmp/x /dev/shm/x < /proc/version');

      const look = 'ls /tmp /dev/shm; cat /proc/sysvipc/shm | wc -l';
      const ask = `perl -e 'print shmget(4711, 4096, 0) // "none"'`;
      const seen = await daemon().sh('jean', `${ask}; ${look}`);

      expect(seen.stdout).toBe('none/dev/shm:\n\n/tmp:\n1\n');
    });

    test('a later one of the same agent does not reach it, nor what it has in /tmp', async () => {
      await using held = await hold(daemon(), 'jean', '', 'echo x > /tmp/left');

      const seen = await daemon().sh('jean', 'ls /tmp; cat /proc/[0-9]*/cmdline | tr "\\0" " "');
      const { stdout } = await daemon().sh(
        'jean',
        `for p in ${held.pids.join(' ')}; do ls -d /proc/$p; echo x > /proc/$p/mem; done; true`,
      );

      expect(seen.stdout).not.toContain('left');
      expect(seen.stdout).not.toContain(held.mark);
      expect(stdout).toBe('');
    });
  });

  // Under another user there is only that user.
  if (mode === 'root') {
    test('each agent has a uid of its own, which it keeps', async () => {
      const [jean, lee] = [await uidOf(daemon(), 'jean'), await uidOf(daemon(), 'lee')];
      const again = await uidOf(daemon(), 'jean');

      for (const uid of [jean, lee]) expect(uid).toBeGreaterThan(1_000_000_000);
      expect(lee).not.toBe(jean);
      expect(again).toBe(jean);
    });
  }
});

async function uidOf(daemon: SandboxDaemon, agent: string): Promise<number> {
  return Number((await daemon.sh(agent, 'id -u')).stdout);
}

interface Held extends AsyncDisposable {
  readonly mark: string;
  /** On the host. */
  readonly pids: readonly number[];
}

/** A program of that agent that runs until it is disposed of. */
async function hold(
  daemon: SandboxDaemon,
  agent: string,
  perl: string,
  before = 'true',
): Promise<Held> {
  const mark = `held-${agent}-${daemon.mode}-${process.pid}`;
  const stop = join(daemon.workspaceOf(agent), 'stop');
  const wait = `${perl} select(undef, undef, undef, 0.02) until -e q(stop); # ${mark}`;
  const running = daemon.sh(agent, `${before}; perl -e '${wait}'; true`);
  // The shell has the words too, a moment before.
  await until(() => expect(processesWith(mark).length).toBeGreaterThan(1));
  return {
    mark,
    pids: processesWith(mark),
    async [Symbol.asyncDispose]() {
      writeFileSync(stop, '');
      expect(await running).toMatchObject({ exit_code: 0 });
      rmSync(stop);
    },
  };
}
