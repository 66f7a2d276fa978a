import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Acknowledged, registerUntilDown } from '../support/acknowledged-log.ts';
import { runAos } from '../support/run-aos.ts';
import { startDaemon } from '../support/running-daemon.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

test.each([
  ['frozen', 'SIGSTOP'],
  ['healthy', undefined],
] as const)(
  'a %s daemon is replaced, and nothing that it answered is lost',
  async (_how, signal) => {
    await using home = temporaryFolder();
    await using old = await startDaemon(home.path);
    const acknowledged: Acknowledged[] = [];
    const writing = registerUntilDown(old, 'agent', (agent) => acknowledged.push(agent));
    await until(() => expect(acknowledged.length).toBeGreaterThan(5));
    if (signal !== undefined) old.signal(signal);

    await using taken = await startDaemon(home.path, { args: ['--takeover'] });

    await writing;
    expect(await old.ended).toEqual({ code: null, signal: 'SIGKILL' });
    expect(existsSync(`/proc/${old.pid}`)).toBe(false);
    expect(await taken.client.status()).toMatchObject({ pid: taken.pid, ready: true, epoch: 2 });
    const agents = await Array.fromAsync(taken.client.agents());
    const there = agents.map(({ name, address }) => ({ name, address }));
    expect(there).toEqual(
      expect.arrayContaining(acknowledged.map(({ name, address }) => ({ name, address }))),
    );
    expect(await taken.client.auditVerify()).toMatchObject({ kind: 'whole' });
    await taken.client.register('samantha');
  },
);

test('without --takeover a second daemon is refused in words, and the first one serves on', async () => {
  await using home = temporaryFolder();
  await using first = await startDaemon(home.path);

  const second = await runAos(['--home', home.path, 'up', '--port', '0']);

  expect(second).toMatchObject({ code: 5, stdout: '' });
  expect(second.stderr).toMatch(/^error: .*\n {2}try: .*aos/);
  expect(second.stderr).toContain(String(first.pid));
  expect(await first.client.status()).toMatchObject({ pid: first.pid, epoch: 1 });
});

test('a frozen daemon is not replaced by a plain "aos up"', async () => {
  await using home = temporaryFolder();
  await using frozen = await startDaemon(home.path);
  frozen.signal('SIGSTOP');

  const second = await runAos(['--home', home.path, 'up', '--port', '0']);

  frozen.signal('SIGCONT');
  expect(second).toMatchObject({ code: 5, stdout: '' });
  expect(await frozen.client.status()).toMatchObject({ pid: frozen.pid });
});
