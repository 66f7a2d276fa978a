/** Programs that misbehave, and many who steer the same agents. */
import { readFileSync, statSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { limitMs } from '../support/limits.ts';
import { liarsIn, processesWith, writeScript } from '../support/runtime-home.ts';
import { isFull } from '../support/tier.ts';
import { callerOn, endOf, sharedToolHome, type ToolHome } from '../support/tool-home.ts';
import { until } from '../support/until.ts';

const agents = sharedToolHome();

/** A program that waits, and that no other test run has. */
const waiting = (place: number): string => `sleep 60${place}.${process.pid}`;

const flood = isFull
  ? { bytes: 300_000_000, seenBytes: 100_000_000 }
  : { bytes: 60_000_000, seenBytes: 20_000_000 };

// The daemon looks at what programs have written every few seconds, while the other tests run.
beforeAll(async () => {
  const home = await agents();
  const line = `head -c ${flood.bytes} /dev/zero; ${waiting(1)}`;
  await home.client.spawn('flood', { cli: ['sh', '-c', line] });
  await until(() => expect(statSync(floodLog(home)).size).toBeGreaterThan(flood.seenBytes));
});

const floodLog = ({ home }: ToolHome): string => `${home}/logs/agents/flood.log`;

describe('many who steer the same agents at once', () => {
  test('leave them as somebody left them: no process, no lease, nothing that only seems to run', async () => {
    const home = await agents();
    const { client, folder } = home;
    const slow = { delay_ms: 20, call: [{ tool: 'tool.list', args: {} }] };
    const model = writeScript(folder, 'slow', { turns: [slow, slow, slow, { say: 'done' }] });
    const words = waiting(3);
    const lies: string[] = [];
    await client.spawn('model-1', { model });
    await client.spawn('model-2', { model });
    await client.spawn('program-1', { cli: words.split(' ') });
    await client.spawn('program-2', { cli: words.split(' '), restart: 'always' });

    const ends = await Promise.all(
      Array.from({ length: isFull ? 80 : 36 }, async (_, place) => {
        const name = ['model-1', 'program-1', 'model-2', 'program-2'][place % 4] ?? '';
        const steer = [
          () => client.pauseAgent(name),
          () => client.resumeAgent(name),
          () =>
            name.startsWith('model')
              ? client.submitGoal({ goal: 'x', agent: name })
              : client.agentDetails(name),
        ][Math.floor(place / 4) % 3];
        const end = await endOf(steer?.() ?? Promise.resolve());
        lies.push(...liarsIn(home.home));
        return end;
      }),
    );
    const killed = await Promise.all(
      ['model-1', 'model-2', 'program-1', 'program-2', 'program-1', 'model-1'].map((name) =>
        endOf(client.killAgent(name)),
      ),
    );

    const codes = ends.filter((end) => typeof end === 'string');
    expect(codes.filter((code) => code !== 'agent.wrong-state')).toEqual([]);
    expect(killed.slice(0, 4)).toEqual(killed.slice(0, 4).map(() => expect.anything()));
    expect(lies).toEqual([]);
    expect(processesWith(words)).toEqual([]);
    for (const name of ['model-1', 'model-2', 'program-1', 'program-2']) {
      expect(await client.agentDetails(name)).toMatchObject({ state: 'terminated', lease: null });
    }
    expect((await client.goals({ open: 'true' })).items).toEqual([]);
  });

  test('who spawn and kill one name in turn leave no process of it', async () => {
    const home = await agents();
    const { client } = home;
    const words = waiting(4);

    const ends = await Promise.all(
      Array.from({ length: 30 }, (_, place) =>
        endOf(
          place % 2 === 0
            ? client.spawn('phoenix', { cli: words.split(' ') })
            : client.killAgent('phoenix'),
        ),
      ),
    );
    await endOf(client.killAgent('phoenix'));

    const codes = new Set(ends.filter((end) => typeof end === 'string'));
    expect([...codes].filter((code) => !/^(agent|lease)\./.test(String(code)))).toEqual([]);
    await until(() => expect(processesWith(words)).toEqual([]));
    expect(await client.agentDetails('phoenix')).toMatchObject({
      state: 'terminated',
      lease: null,
    });
    expect(liarsIn(home.home)).toEqual([]);
  });
});

describe('a program', () => {
  test('finds nothing of the daemon’s own environment, and cannot be given what loads code', async () => {
    const home = await agents();
    const { client } = home;
    const variables = [
      'LD_PRELOAD',
      'PATH',
      'NODE_OPTIONS',
      'AOS_HANDLE',
      'BASH_ENV',
      'A=B',
      'a b',
      '',
    ];

    const ends: unknown[] = [];
    for (const [place, name] of variables.entries()) {
      ends.push(await endOf(client.spawn(`odd-${place}`, { cli: ['true'], env: { [name]: 'x' } })));
    }

    expect(ends).toEqual(variables.map(() => 'agent.bad-spec'));
    const odd = (await Array.fromAsync(client.agents())).filter(({ name }) => /^odd-/.test(name));
    expect(odd.filter(({ state }) => state === 'running')).toEqual([]);
  });

  test('whose handle was taken cannot act any more once it has ended', async () => {
    const home = await agents();
    const { client, daemon } = home;
    const { pid } = await client.spawn('thief', { cli: waiting(2).split(' ') });
    const environment = readFileSync(`/proc/${pid}/environ`, 'latin1');
    const handle = /AOS_HANDLE=([^\0]*)/.exec(environment)?.[1] ?? '';
    const thief = callerOn(daemon, 'thief', handle).client;
    const alive = await endOf(thief.callTool('tool.list', { args: {} }));
    await client.killAgent('thief');

    const dead = await endOf(thief.callTool('tool.list', { args: {} }));

    expect(alive).toMatchObject({ state: 'answered' });
    expect(dead).toMatch(/^(handle|agent|capability|daemon)\./);
  });

  test('that writes without end does not fill the disk with it, nor hold up the daemon', async () => {
    const home = await agents();
    const { client } = home;

    const startedAt = performance.now();
    await client.agentDetails('flood');
    const tookMs = performance.now() - startedAt;

    expect(tookMs).toBeLessThan(limitMs(1000));
    await until(() => expect(statSync(floodLog(home)).size).toBeLessThan(11 * 1024 * 1024));
    await client.killAgent('flood');
    expect(processesWith(waiting(1))).toEqual([]);
  });
});
