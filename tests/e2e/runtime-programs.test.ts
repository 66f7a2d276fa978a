/** Programs as agents, on the real daemon: how they start, are asked for, end, and come back. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type FoundMessage, lookIntoInbox, putIntoOutbox } from '../support/message-files.ts';
import { type RelayHome, relayHome } from '../support/relay-home.ts';
import { stackLine } from '../support/run-aos.ts';
import { processesWith, waitFor } from '../support/runtime-home.ts';
import { endOf } from '../support/tool-home.ts';

/** Of no other test, so that what is left of it can be found. */
const sleepingFor = `86401.${process.pid}`;

/** A daemon that is killed leaves its programs running; one that is stopped does not. */
async function programHome(...agents: readonly string[]): Promise<RelayHome> {
  const home = await relayHome(...agents);
  return {
    ...home,
    async [Symbol.asyncDispose]() {
      await home.daemon.stop();
      await home[Symbol.asyncDispose]();
    },
  };
}

const request = (kind: string, body: string): string =>
  `TO: __orchestrator__\nKIND: ${kind}\n\n${body}\n`;

/** What is in the inbox of jean that answers a request. */
async function answerTo(
  { home }: RelayHome,
  kind: string,
  body: string,
): Promise<FoundMessage & { readonly tookMs: number }> {
  const before = lookIntoInbox(home, 'jean').length;
  const startedAt = performance.now();
  putIntoOutbox(home, 'jean', request(kind, body));
  return waitFor(() => {
    const answer = lookIntoInbox(home, 'jean')[before];
    if (answer === undefined) throw new Error('nobody has answered yet');
    return { ...answer, tookMs: performance.now() - startedAt };
  });
}

const workspaceFile = ({ home }: RelayHome, name: string): string =>
  join(home, 'agents', 'worker', 'workspace', name);

const grant = ({ daemon }: RelayHome, capability: string) =>
  daemon.client.grant({ agent: 'jean', capability });

describe('aos kill', () => {
  test('leaves none of a hundred that a program started in sessions of their own', async () => {
    await using home = await programHome();
    const nest = `setsid sh -c "setsid sleep ${sleepingFor} & sleep ${sleepingFor}" &`;
    const cli = ['sh', '-c', `for i in $(seq 50); do ${nest} done; sleep ${sleepingFor}`];
    await home.daemon.client.spawn('forker', { cli });
    await waitFor(() => expect(processesWith(sleepingFor).length).toBeGreaterThan(100));

    const startedAt = performance.now();
    const killed = await home.aos('kill', 'forker');
    const tookMs = performance.now() - startedAt;

    expect(killed).toMatchObject({ code: 0, stderr: '' });
    expect(processesWith(sleepingFor)).toEqual([]);
    expect(tookMs).toBeLessThan(2000);
    expect(await home.daemon.client.agentDetails('forker')).toMatchObject({
      ...{ state: 'terminated', status: 'terminated', pid: null, lease: null },
    });
  });
});

describe('a program that is not there', () => {
  test('is told to whoever asked by a message, within a second', async () => {
    await using home = await programHome('jean');
    await grant(home, 'agent:*:spawn');

    const answer = await answerTo(home, 'spawn', 'NAME: worker\nCLI: no-such-program --now');

    expect(answer.headers).toMatchObject({ KIND: 'nack', FROM: '__orchestrator__' });
    expect(answer.body).toMatch(/no-such-program/);
    expect(answer.body).toContain('CODE: program.missing');
    expect(answer.tookMs).toBeLessThan(1000);
    // Nothing is left of it that would have to be ended first.
    expect(await endOf(home.daemon.client.agentDetails('worker'))).toBe('agent.unknown');
  });

  test('is told by aos spawn, and the name is free for another try', async () => {
    await using home = await programHome();

    const missing = await home.aos('spawn', 'worker', '--', 'no-such-program');
    const again = await home.aos('spawn', 'worker', '--', 'sleep', sleepingFor);

    expect(missing.code).not.toBe(0);
    expect(missing.stderr).toContain('no-such-program');
    expect(missing.stderr).not.toMatch(stackLine);
    expect(again).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('a spawn by message', () => {
  test('is answered with what runs, which finds its prompt, its folder and its variables', async () => {
    await using home = await programHome('jean');
    const folder = home.folder.at('project');
    mkdirSync(folder);
    await grant(home, 'agent:*:spawn');
    await grant(home, `file:${folder}/**:read,write`);
    const look = `{ pwd; echo "$COLOR $AOS_GOAL"; } > ~/seen\nexec sleep ${sleepingFor}\n`;
    writeFileSync(`${folder}/look.sh`, look);
    const asked = `NAME: worker\nCLI: sh look.sh\nWORKING_DIR: ${folder}\nENV: COLOR=blue\nPROMPT: Paint it.`;

    const answer = await answerTo(home, 'spawn', asked);

    expect(answer.headers).toMatchObject({ KIND: 'ack' });
    expect(answer.body).toMatch(/^STARTED: worker\nPID: \d+\n/);
    await waitFor(() =>
      expect(readFileSync(workspaceFile(home, 'seen'), 'utf8')).toBe(`${folder}\nblue Paint it.\n`),
    );
    await waitFor(() =>
      expect(lookIntoInbox(home.home, 'worker')).toMatchObject([
        { headers: { FROM: 'jean' }, body: expect.stringContaining('Paint it.') },
      ]),
    );
    expect(await home.daemon.client.agentDetails('worker')).toMatchObject({
      ...{ state: 'running', parent: 'jean', spawned_by: 'agent:jean' },
    });
  });

  test('is undone by a release, which is answered too; of nobody it is refused', async () => {
    await using home = await programHome('jean');
    await grant(home, 'agent:*:spawn,release');
    await answerTo(home, 'spawn', `NAME: worker\nCLI: sleep ${sleepingFor}`);

    const released = await answerTo(home, 'release', 'NAME: worker\nREASON: done');
    const unknown = await answerTo(home, 'release', 'NAME: nobody');

    expect(released.headers).toMatchObject({ KIND: 'ack' });
    expect(released.body).toContain('RELEASED: worker');
    expect(processesWith(sleepingFor)).toEqual([]);
    expect(unknown.headers).toMatchObject({ KIND: 'nack' });
    expect(unknown.body).toContain('nobody');
  });

  test('of a name that somebody has is refused, and that one runs on', async () => {
    await using home = await programHome('jean');
    await grant(home, 'agent:*:spawn');
    await answerTo(home, 'spawn', `NAME: worker\nCLI: sleep ${sleepingFor}`);

    const second = await answerTo(home, 'spawn', `NAME: worker\nCLI: sleep ${sleepingFor}`);

    expect(second.headers).toMatchObject({ KIND: 'nack' });
    expect(second.body).toContain('CODE: agent.exists');
    expect(await home.daemon.client.agentDetails('worker')).toMatchObject({ state: 'running' });
  });
});

describe('a program that fails', () => {
  test('is started again a few times, then parent and owner hear that it is given up', async () => {
    await using home = await programHome('jean');
    const { client } = home.daemon;
    const cli = ['sh', '-c', 'echo x >> starts; echo the disk is on fire; exit 3'];

    await client.spawn('worker', { cli, restart: 'on-failure', parent: 'jean' });
    await waitFor(async () =>
      expect(await client.agentDetails('worker')).toMatchObject({ state: 'failed' }),
    );

    expect(readFileSync(workspaceFile(home, 'starts'), 'utf8')).toBe('x\nx\nx\nx\n');
    const { reason } = await client.agentDetails('worker');
    expect(reason).toMatch(/3.*disk is on fire.*too often/s);
    for (const name of ['jean', 'owner']) {
      await waitFor(async () => {
        const told = await client.inbox(name, {});
        expect(told.map(({ body }) => body)).toEqual([expect.stringContaining('disk is on fire')]);
      });
    }
  });

  test('is not started again where nobody asked for it, and one that ends well is completed', async () => {
    await using home = await programHome();
    const { client } = home.daemon;

    const atOnce = await endOf(client.spawn('never', { cli: ['sh', '-c', 'exit 3'] }));
    await client.spawn('well', { cli: ['true'], restart: 'on-failure' });

    expect(atOnce).toMatch(/^program\./);
    await waitFor(async () => {
      expect(await client.agentDetails('never')).toMatchObject({ state: 'failed', restarts: [] });
      expect(await client.agentDetails('well')).toMatchObject({ state: 'completed', restarts: [] });
    });
  });
});
