import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { DaemonHome } from '../../../tests/support/daemon-home.ts';
import { hasSandbox, isRoot } from '../../../tests/support/machine.ts';
import { inboxOf, putIntoOutbox } from '../../../tests/support/message-files.ts';
import { sharedDaemon } from '../../../tests/support/shared-daemon.ts';
import { bearer, send } from '../../../tests/support/temporary-gateway.ts';
import { untilTrue } from '../../../tests/support/until.ts';

const shared = sharedDaemon();

async function spawnedEvent({ daemon }: DaemonHome, name: string): Promise<unknown> {
  const events = await Array.fromAsync(daemon.client.events({ kind: 'agent.spawned' }));
  return events.find(({ subject }) => subject === `agent:${name}`)?.data;
}

describe.skipIf(!hasSandbox)('aos spawn of a program', () => {
  test('is in a sandbox, or by the owner’s choice in none: ps, inspect and the event tell', async () => {
    const home = shared();
    mkdirSync(home.folder.at('seen'));
    mkdirSync(home.folder.at('work'));
    // Under a daemon of root, the program is another user, and the folder has to let it in.
    chmodSync(home.folder.at('work'), 0o777);
    writeFileSync(home.folder.at('seen/file'), 'shown');
    const [seen, work] = [home.folder.at('seen'), home.folder.at('work')];

    await home.aos([
      ...['spawn', 'walled', '--see', seen, '--cwd', work, '--writable'],
      ...['--grant', 'http:127.0.0.1:9/*:request'],
      ...['--', 'sh', '-c', `cat ${seen}/file; echo made > ${work}/made; exec sleep 300`],
    ]);
    await home.aos(['spawn', 'open', '--unsandboxed', '--', 'sleep', '300']);
    const ps = await home.aos(['ps']);
    const walled = await home.aos(['inspect', 'walled']);
    const open = await home.aos(['inspect', 'open']);
    const list = await Array.fromAsync(home.daemon.client.agents());

    expect(ps.stdout).toMatch(/^walled +command +running/m);
    expect(ps.stdout).toMatch(/^open +command, unsandboxed +running/m);
    expect(walled.stdout).toMatch(/^sandbox +on \((?:control groups|rlimits)\)$/m);
    expect(walled.stdout).toMatch(/^network +by its http grants$/m);
    expect(walled.stdout).toContain('work, which it may write to');
    expect(open.stdout).toMatch(/^sandbox +off: the owner's choice$/m);
    const told = list.map(({ name, sandbox }) => [name, sandbox]);
    expect(told).toContainEqual(['open', 'off']);
    expect(told).toContainEqual(['walled', 'on']);
    expect(await home.daemon.client.agentDetails('open')).toMatchObject({
      ...{ sandbox: 'off', sandbox_rung: null, uid: null, network: false, sees: [] },
    });
    expect(await spawnedEvent(home, 'open')).toMatchObject({ sandbox: 'off' });
    expect(await spawnedEvent(home, 'walled')).toMatchObject({ sandbox: 'on', sees: [seen] });
    await untilTrue(() => existsSync(join(work, 'made')));
    expect((await home.daemon.client.agentDetails('walled')).log_tail).toContain('shown');
  });

  test.skipIf(!isRoot)(
    'is refused under root where a folder is closed to it, with no trace',
    async () => {
      const home = shared();
      for (const [name, mode] of [
        ['kept', 0o700],
        ['grouped', 0o750],
        ['read', 0o755],
      ] as const) {
        mkdirSync(home.folder.at(name));
        chmodSync(home.folder.at(name), mode);
      }
      const [kept, grouped] = [home.folder.at('kept'), home.folder.at('grouped')];
      const read = home.folder.at('read');
      const spawned = (...flags: readonly string[]) =>
        home.aos(['spawn', 'closed', ...flags, '--', 'sleep', '300']);

      const refused = [
        await spawned('--cwd', kept),
        await spawned('--see', kept),
        await spawned('--cwd', grouped),
        await spawned('--cwd', read, '--writable'),
      ];

      for (const { code, stderr } of refused) {
        expect([code, stderr]).toEqual([2, expect.stringMatching(/closed to others\n.*chmod o\+/)]);
        expect(stderr).not.toMatch(/\d{7}/);
      }
      expect((await home.aos(['ps', '--all'])).stdout).not.toContain('closed');
      await spawned('--cwd', read);
      await home.aos(['kill', 'closed']);
      await spawned('--cwd', read, '--unsandboxed');
      // It had a uid of its own behind the wall, and runs as the daemon now.
      const { uid, sandbox } = await home.daemon.client.agentDetails('closed');
      expect([uid, sandbox]).toEqual([null, 'off']);
    },
  );

  test('has its socket in a folder of its own, which goes with it', async () => {
    const home = shared();
    const bodies = join(home.home, 'run', 'bodies');

    await home.aos(['spawn', 'with-socket', '--', 'sleep', '300']);
    await home.aos(['spawn', 'without', '--unsandboxed', '--', 'sleep', '300']);

    expect(readdirSync(bodies)).toEqual(['with-socket']);
    expect(readdirSync(join(bodies, 'with-socket'))).toEqual(['aos.sock']);
    await home.aos(['kill', 'with-socket']);
    expect(readdirSync(bodies)).toEqual([]);
  });

  test.each([
    [['--unsandboxed', '--see', '/srv'], 'without a sandbox it sees everything'],
    [['--writable'], 'none is named'],
  ])('refuses %j', async (flags, says) => {
    const home = shared();

    const run = await home.aos(['spawn', 'refused', ...flags, '--', 'sleep', '300']);

    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toContain(says);
  });
});

describe.skipIf(!hasSandbox)('a program that ends at once', () => {
  test('is told of a script that lies where it does not see it', async () => {
    const home = shared();
    const script = home.folder.at('bot.sh');
    writeFileSync(script, 'echo hello\n', { mode: 0o644 });

    const said = await endedAtOnce(home, ['sh', script]);

    expect(said).toContain('ended at once');
    expect(said).toContain(`"${script}" is not seen inside: --see "${home.folder.path}"`);
  });

  test('for another reason is told that there may be such a one', async () => {
    const home = shared();

    const plain = await endedAtOnce(home, ['sh', '-c', 'exit 3']);
    const open = await endedAtOnce(home, ['sh', '-c', 'exit 3'], '--unsandboxed');

    expect(plain).toContain('then aos spawn it anew; a script that is an argument');
    expect(open).toMatch(/then aos spawn it anew$/m);
  });
});

let bots = 0;

/** What is said then. On a busy machine the end may come after the look, and is no early one. */
async function endedAtOnce(
  home: DaemonHome,
  argv: readonly string[],
  ...flags: readonly string[]
): Promise<string> {
  for (let attempt = 1; attempt < 10; attempt++) {
    const name = `bot-${++bots}`;
    const run = await home.aos(['spawn', name, ...flags, '--', ...argv]);
    if (run.code !== 0) return run.stderr;
  }
  throw new Error('none of them ended at once');
}

test('no agent can ask for it: not by its handle, not by a message, not by a tool', async () => {
  const home = shared();
  const { handle } = await home.daemon.client.register('mallory');
  await home.aos(['cap', 'grant', 'mallory', 'agent:*:spawn']);
  const socketPath = join(home.home, 'run', 'agents', 'mallory.sock');
  const mallory = (path: string, body: object) =>
    send({
      ...{ at: socketPath, method: 'POST', path: `/api/v1${path}`, headers: bearer(handle) },
      body: JSON.stringify(body),
    });

  const byHandle = await mallory('/agents/worker/spawn', { cli: ['true'], unsandboxed: true });
  const args = { name: 'worker', goal: 'work', unsandboxed: true };
  const byTool = await mallory('/tools/agent.spawn/call', { args });
  putIntoOutbox(
    home.home,
    'mallory',
    'TO: __orchestrator__\nKIND: spawn\n\nNAME: worker\nCLI: true\nUNSANDBOXED: true\n',
  );

  expect(byHandle).toMatchObject({ status: 403, json: { code: 'gateway.owner-only' } });
  expect(byTool.json).toMatchObject({ code: 'tool.bad-arguments' });
  await untilTrue(() => readdirSync(inboxOf(home.home, 'mallory')).length > 0);
  const agents = await Array.fromAsync(home.daemon.client.agents());
  expect(agents.map(({ name }) => name)).not.toContain('worker');
});
