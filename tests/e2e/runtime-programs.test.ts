/** Programs as agents, on the real daemon: how they start, are asked for, end, and come back. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { limitMs } from '../support/limits.ts';
import { type FoundMessage, lookIntoInbox, putIntoOutbox } from '../support/message-files.ts';
import { type RelayHome, relayHome } from '../support/relay-home.ts';
import { type Run, stackLine } from '../support/run-aos.ts';
import { processesWith } from '../support/runtime-home.ts';
import { endOf } from '../support/tool-home.ts';
import { until } from '../support/until.ts';

// One for all: each test has agents of its own.
let shared: RelayHome;

beforeAll(async () => {
  shared = await relayHome('mother');
  // It is given up after a few seconds, and looked at after the others.
  await shared.daemon.client.spawn('failing', {
    cli: ['sh', '-c', 'echo x >> starts; echo the disk is on fire; exit 3'],
    ...{ restart: 'on-failure', parent: 'mother' },
  });
});

afterAll(async () => {
  // One that is killed leaves its programs running.
  await shared?.daemon.stop();
  await shared?.[Symbol.asyncDispose]();
});

interface ProgramTest extends AsyncDisposable {
  readonly home: string;
  readonly client: RelayHome['daemon']['client'];
  /** The names of its two agents; only jean is registered. */
  readonly jean: string;
  readonly worker: string;
  /** Of no other test, so that what is left of it can be found. */
  readonly sleepingFor: string;
  aos(...words: readonly string[]): Promise<Run>;
  grant(capability: string): Promise<unknown>;
  /** What is in the inbox of jean that answers a request. */
  answerTo(kind: string, body: string): Promise<FoundMessage & { readonly tookMs: number }>;
}

let tests = 0;

async function programTest(): Promise<ProgramTest> {
  const { home, daemon, aos } = shared;
  const { client } = daemon;
  tests += 1;
  const [jean, worker] = [`jean-${tests}`, `worker-${tests}`];
  await client.register(jean);
  return {
    ...{ home, client, jean, worker, aos },
    sleepingFor: `8640${tests}.${process.pid}`,
    grant: (capability) => client.grant({ agent: jean, capability }),
    async answerTo(kind, body) {
      const before = lookIntoInbox(home, jean).length;
      const startedAt = performance.now();
      putIntoOutbox(home, jean, `TO: __orchestrator__\nKIND: ${kind}\n\n${body}\n`);
      return until(() => {
        const answer = lookIntoInbox(home, jean)[before];
        if (answer === undefined) throw new Error('nobody has answered yet');
        return { ...answer, tookMs: performance.now() - startedAt };
      });
    },
    async [Symbol.asyncDispose]() {
      // The test may have ended it, or never begun it.
      await client.killAgent(worker).catch(() => {});
    },
  };
}

const workspaceFile = (agent: string, name: string): string =>
  join(shared.home, 'agents', agent, 'workspace', name);

describe('aos kill', () => {
  test('leaves none of a hundred that a program started in sessions of their own', async () => {
    await using here = await programTest();
    const { worker, sleepingFor } = here;
    const nest = `setsid sh -c "setsid sleep ${sleepingFor} & sleep ${sleepingFor}" &`;
    const cli = ['sh', '-c', `for i in $(seq 50); do ${nest} done; sleep ${sleepingFor}`];
    await here.client.spawn(worker, { cli });
    await until(() => expect(processesWith(sleepingFor).length).toBeGreaterThan(100));

    const startedAt = performance.now();
    const killed = await here.aos('kill', worker);
    const tookMs = performance.now() - startedAt;

    expect(killed).toMatchObject({ code: 0, stderr: '' });
    expect(processesWith(sleepingFor)).toEqual([]);
    expect(tookMs).toBeLessThan(limitMs(2000));
    expect(await here.client.agentDetails(worker)).toMatchObject({
      ...{ state: 'terminated', status: 'terminated', pid: null, lease: null },
    });
  });
});

describe('a program that is not there', () => {
  test('is told to whoever asked by a message, within a second', async () => {
    await using here = await programTest();
    await here.grant('agent:*:spawn');

    const body = `NAME: ${here.worker}\nCLI: no-such-program --now`;
    const answer = await here.answerTo('spawn', body);

    expect(answer.headers).toMatchObject({ KIND: 'nack', FROM: '__orchestrator__' });
    expect(answer.body).toMatch(/no-such-program/);
    expect(answer.body).toContain('CODE: program.missing');
    expect(answer.tookMs).toBeLessThan(limitMs(1000));
    // Nothing is left of it that would have to be ended first.
    expect(await endOf(here.client.agentDetails(here.worker))).toBe('agent.unknown');
  });

  test('is told by aos spawn, and the name is free for another try', async () => {
    await using here = await programTest();

    const missing = await here.aos('spawn', here.worker, '--', 'no-such-program');
    const again = await here.aos('spawn', here.worker, '--', 'sleep', here.sleepingFor);

    expect(missing.code).not.toBe(0);
    expect(missing.stderr).toContain('no-such-program');
    expect(missing.stderr).not.toMatch(stackLine);
    expect(again).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('a spawn by message', () => {
  test('is answered with what runs, which finds its prompt, its folder and its variables', async () => {
    await using here = await programTest();
    const { home, jean, worker } = here;
    const folder = shared.folder.at('project');
    mkdirSync(folder);
    await here.grant('agent:*:spawn');
    await here.grant(`file:${folder}/**:read,write`);
    const look = `{ pwd; echo "$COLOR $AOS_GOAL"; } > ~/seen\nexec sleep ${here.sleepingFor}\n`;
    writeFileSync(`${folder}/look.sh`, look);
    const asked = `NAME: ${worker}\nCLI: sh look.sh\nWORKING_DIR: ${folder}\nENV: COLOR=blue\nPROMPT: Paint it.`;

    const answer = await here.answerTo('spawn', asked);

    expect(answer.headers).toMatchObject({ KIND: 'ack' });
    expect(answer.body).toMatch(/^STARTED: worker-\d+\nPID: \d+\n/);
    await until(() =>
      expect(readFileSync(workspaceFile(worker, 'seen'), 'utf8')).toBe(
        `${folder}\nblue Paint it.\n`,
      ),
    );
    await until(() =>
      expect(lookIntoInbox(home, worker)).toMatchObject([
        { headers: { FROM: jean }, body: expect.stringContaining('Paint it.') },
      ]),
    );
    expect(await here.client.agentDetails(worker)).toMatchObject({
      ...{ state: 'running', parent: jean, spawned_by: `agent:${jean}` },
    });
  });

  test('is refused for a name that is taken, and undone by a release; of nobody it is refused', async () => {
    await using here = await programTest();
    const { worker, sleepingFor } = here;
    const spawn = `NAME: ${worker}\nCLI: sleep ${sleepingFor}`;
    await here.grant('agent:*:spawn,release');
    await here.answerTo('spawn', spawn);

    const second = await here.answerTo('spawn', spawn);
    const details = await here.client.agentDetails(worker);
    const released = await here.answerTo('release', `NAME: ${worker}\nREASON: done`);
    const unknown = await here.answerTo('release', 'NAME: nobody');

    expect(second.headers).toMatchObject({ KIND: 'nack' });
    expect(second.body).toContain('CODE: agent.exists');
    // The first one ran on.
    expect(details).toMatchObject({ state: 'running' });
    expect(released.headers).toMatchObject({ KIND: 'ack' });
    expect(released.body).toContain(`RELEASED: ${worker}`);
    expect(processesWith(sleepingFor)).toEqual([]);
    expect(unknown.headers).toMatchObject({ KIND: 'nack' });
    expect(unknown.body).toContain('nobody');
  });
});

describe('a program that fails', () => {
  test('is not started again where nobody asked for it, and one that ends well is completed', async () => {
    const { client } = shared.daemon;

    const atOnce = await endOf(client.spawn('never', { cli: ['sh', '-c', 'exit 3'] }));
    await client.spawn('well', { cli: ['true'], restart: 'on-failure' });

    expect(atOnce).toMatch(/^program\./);
    await until(async () => {
      expect(await client.agentDetails('never')).toMatchObject({ state: 'failed', restarts: [] });
      expect(await client.agentDetails('well')).toMatchObject({ state: 'completed', restarts: [] });
    });
  });

  // The last one: it has had its time meanwhile.
  test('is started again a few times, then parent and owner hear that it is given up', async () => {
    const { client } = shared.daemon;
    await until(async () =>
      expect(await client.agentDetails('failing')).toMatchObject({ state: 'failed' }),
    );

    expect(readFileSync(workspaceFile('failing', 'starts'), 'utf8')).toBe('x\nx\nx\nx\n');
    const { reason } = await client.agentDetails('failing');
    expect(reason).toMatch(/3.*disk is on fire.*too often/s);
    for (const name of ['mother', 'owner']) {
      await until(async () => {
        const told = await client.inbox(name, {});
        const bodies = told.map(({ body }) => body).filter((body) => body.includes('failing'));
        expect(bodies).toEqual([expect.stringContaining('disk is on fire')]);
      });
    }
  });
});
