/** Programs that want to outlive their call: whatever they do, nothing of them is left. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { limitMs } from '../support/limits.ts';
import {
  longTest,
  oneSandboxDaemon,
  outcomes,
  processesWith,
  startSandboxDaemon,
  underEachDaemon,
} from '../support/sandbox-daemon.ts';
import { endOf } from '../support/tool-home.ts';
import { until } from '../support/until.ts';

/** Words in the command line of a program that sleeps, so that it is found on the host. */
const sleeper = (mark: string) => `perl -e 'open(F, q(>), q(/tmp/up)); sleep 60; # ${mark}'`;
const stubborn = (mark: string) =>
  `perl -e '$SIG{$_} = "IGNORE" for qw(TERM HUP INT QUIT); sleep 1 while 1; # ${mark}'`;

/** Resolves when that many of them run. */
async function untilThere(mark: string, count: number): Promise<void> {
  await until(() => expect(processesWith(mark).length).toBeGreaterThanOrEqual(count));
}

underEachDaemon((mode) => {
  const long = longTest(mode);
  const daemon = oneSandboxDaemon(mode, {
    agents: ['jean', 'lee'],
    settings: { sandboxesReady: 2 },
  });
  const markOf = (what: string) => `${what}-${mode}-${process.pid}`;

  const leftBehind: readonly (readonly [how: string, line: (program: string) => string])[] = [
    ['in the background', (program) => `${program} &`],
    ['in a session of its own', (program) => `setsid ${program} &`],
    ['by nohup', (program) => `nohup ${program} >/dev/null 2>&1 &`],
    ['by two forks', (program) => `(setsid sh -c "${program.replaceAll('$', '\\$')} &" &)`],
    ['that closed its streams', (program) => `setsid ${program} <&- >&- 2>&- &`],
    [
      'that stopped itself',
      (program) => `${program.replace('sleep', () => 'kill q(STOP), $$; sleep')} &`,
    ],
  ];

  test('a program that was left behind is gone with its call, however it was started', async () => {
    const isUp = 'until test -e /tmp/up; do sleep 0.01; done; echo over';

    const ends = await outcomes(leftBehind, async ([how, line]) => {
      const mark = markOf(how.replaceAll(' ', '-'));
      const { stdout } = await daemon().sh('jean', `${line(sleeper(mark))}\n ${isUp}`);
      // When the call returns, not some time later.
      return [stdout, processesWith(mark)];
    });

    expect(ends).toEqual(Object.fromEntries(leftBehind.map(([how]) => [how, ['over\n', []]])));
  });

  long(
    'at its time all are gone, those in sessions of their own and those that ignore it',
    async () => {
      const mark = markOf('late');
      const family = `setsid ${stubborn(mark)} & setsid setsid ${sleeper(mark)} & ${stubborn(mark)}`;

      const running = daemon().sh('jean', `echo begun; ${family}`, { timeout_ms: 1000 });
      await untilThere(mark, 3);
      const answer = await running;

      expect(processesWith(mark)).toEqual([]);
      expect(answer).toMatchObject({ stopped_by: 'time', exit_code: null, stdout: 'begun\n' });
    },
  );

  long('a call whose own time is over leaves nothing', async () => {
    const mark = markOf('call-over');
    const args = { command: `setsid ${stubborn(mark)} & ${stubborn(mark)}` };

    const ending = endOf(daemon().execute('jean', args, { timeoutMs: 1000 }));
    await untilThere(mark, 2);

    expect(await ending).toBe('tool.timeout');
    expect(processesWith(mark)).toEqual([]);
  });

  test('a call whose grant is revoked ends within a second, and leaves nothing', async () => {
    const mark = markOf('revoked');
    const [grant = ''] = await daemon().grant('jean', 'shell:perl:execute');
    const [all] = (await daemon().client.grants({ agent: 'jean' })).items.filter(
      ({ capability }) => capability === 'shell:*:execute',
    );
    await daemon().client.revoke(all?.id ?? '');
    const args = ['-e', `fork; sleep 60; # ${mark}`];
    const ending = endOf(daemon().execute('jean', { program: 'perl', args }));
    await untilThere(mark, 2);

    const beganMs = performance.now();
    await daemon().client.revoke(grant);
    const end = await ending;

    expect(performance.now() - beganMs).toBeLessThan(limitMs(1000));
    expect(end).toBe('capability.revoked');
    expect(processesWith(mark)).toEqual([]);
    expect(await endOf(daemon().sh('jean', 'true'))).toBe('capability.denied');
    await daemon().grant('jean', 'shell:*:execute');
  });

  long('zombies, and one that stops itself, hold nobody up', async () => {
    const zombies = `perl -e 'for (1..20) { fork or exit } select(undef, undef, undef, 0.2); print "made"'`;
    const made = await daemon().sh('lee', zombies);
    const stopped = await daemon().sh('lee', 'kill -STOP $$', { timeout_ms: 500 });

    expect(made).toMatchObject({ exit_code: 0, stdout: 'made' });
    expect(stopped).toMatchObject({ stopped_by: 'time' });
  });

  test('a program that closes its output and goes on is waited for', async () => {
    const answer = await daemon().sh('lee', 'echo before; exec >&- 2>&-; sleep 0.3; touch went-on');
    const after = await daemon().sh('lee', 'ls went-on');

    expect(answer).toMatchObject({ exit_code: 0, stdout: 'before\n' });
    expect(after.stdout).toBe('went-on\n');
  });

  test('one that ends by a signal says so', async () => {
    expect(await daemon().sh('lee', 'kill -SEGV $$')).toMatchObject({ signal: 'SIGSEGV' });
    expect(await daemon().sh('lee', 'kill -9 $$')).toMatchObject({ signal: 'SIGKILL' });
    expect(await daemon().sh('lee', 'exit 137')).toMatchObject({ stopped_by: null });
  });

  test('when the daemon is killed, all are gone within a second, and what waited for a call', async () => {
    await using own = await startSandboxDaemon(mode, { agents: ['sam', 'tim'] });
    const mark = markOf('orphan');
    // Its end makes one ready for its next call, by a shell that starts them for the daemon.
    await own.sh('tim', 'true');
    const waiting = await until(() => {
      const found = processesWith('/usr/bin/bwrap').filter((pid) => isBelow(pid, own.daemon.pid));
      expect(found).not.toEqual([]);
      return found;
    });
    const family = `setsid ${stubborn(mark)} & setsid setsid ${stubborn(mark)} & ${stubborn(mark)}`;
    const ending = own.sh('sam', family).catch((failure: unknown) => failure);
    await untilThere(mark, 3);
    expect(waiting.filter(isThere)).toEqual(waiting);

    const killedMs = performance.now();
    await own.daemon.kill();
    // Also what waited for a call.
    await until(
      () => expect([...processesWith(mark), ...waiting.filter(isThere)]).toEqual([]),
      limitMs(3000),
    );

    expect(performance.now() - killedMs).toBeLessThan(limitMs(1000));
    expect(await ending).toBeInstanceOf(Error);
  });
});

function isBelow(pid: number, above: number): boolean {
  const parent = parentOf(pid);
  return parent === above || (parent !== undefined && parent > 1 && isBelow(parent, above));
}

function isThere(pid: number): boolean {
  return parentOf(pid) !== undefined;
}

function parentOf(pid: number): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    // One that has ended stays in the list where nobody asks how.
    if (/^State:\s+Z/m.test(status)) return undefined;
    return Number(/^PPid:\s+(\d+)$/m.exec(status)?.[1]);
  } catch {
    return undefined;
  }
}
