/** Too much of everything: delegations, denied calls, and agents to be started. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import type { WireEvent } from '../../src/gateway/contract/contract.ts';
import { defaultLimits } from '../../src/gateway/server/deps.ts';
import { limitMs } from '../support/limits.ts';
import { lookIntoInbox, putIntoOutbox } from '../support/message-files.ts';
import { MortalHome } from '../support/mortal-home.ts';
import { isFull } from '../support/tier.ts';
import { endOf, sharedToolHome, type ToolHome, tally } from '../support/tool-home.ts';
import { until } from '../support/until.ts';

const agents = sharedToolHome();

/** All of them, so many at a time. */
async function inTurns<T>(
  count: number,
  atOnce: number,
  work: (place: number) => Promise<T>,
): Promise<readonly T[]> {
  const done: T[] = [];
  for (let start = 0; start < count; start += atOnce) {
    const turn = Array.from({ length: Math.min(atOnce, count - start) }, (_, at) =>
      work(start + at),
    );
    done.push(...(await Promise.all(turn)));
  }
  return done;
}

/** Answered at once, whatever others do. */
async function isWell({ client }: Pick<ToolHome, 'client'>): Promise<void> {
  const beganAt = performance.now();
  await client.status();
  expect(performance.now() - beganAt).toBeLessThan(limitMs(2000));
}

describe('an agent that delegates over and over', () => {
  test('meets the limit of requests, while others are served', async () => {
    const home = await agents('jean', 'sam', 'lee');
    await home.grant('jean', 'tool:*:call');
    const { client } = home.agent('jean');
    const to = home.agent('sam').name;
    const count = isFull ? 1200 : 700;
    const beganAt = performance.now();

    const [ends] = await Promise.all([
      inTurns(count, 700, (place) =>
        endOf(client.delegate({ to, capability: `tool:t${place}:call` })),
      ),
      inTurns(10, 1, () => home.agent('lee').client.callTool('tool.list', { args: {} })),
    ]);

    const seconds = (performance.now() - beganAt) / 1000;
    const {
      ok = 0,
      'gateway.too-many': slowed = 0,
      'capability.too-many': refused = 0,
    } = tally(ends);
    // What one agent may give to another has an end, too.
    expect(ok).toBeLessThanOrEqual(250);
    expect(ok + slowed + refused).toBe(count);
    // As many at once as there may be, and then so many a second.
    const { requestBurst, requestsPerSecond } = defaultLimits;
    expect(ok + refused).toBeLessThanOrEqual(requestBurst + requestsPerSecond * seconds);
    expect(slowed).toBeGreaterThan(0);
    await isWell(home);
  });

  test('meets an end of it at 10,000', async () => {
    await using home = await MortalHome.withAgents('jean', 'sam');
    await home.grant('jean', 'tool:*:call');
    const [parent] = (await home.client.grants({ agent: 'jean' })).items.slice(-1);
    await home.daemon.stop();
    insertDelegations(home.path, parent?.id ?? '', 9995);
    await home.start();
    const delegate = (place: number) =>
      endOf(home.as('jean').delegate({ to: 'sam', capability: `tool:t${place}:call` }));

    const ends = await inTurns(20, 20, delegate);

    expect(tally(ends)).toEqual({ ok: 5, 'capability.too-many': 15 });
    // Whoever got them can use them, and a look at them takes no longer than others.
    await isWell(home);
    const check = { action: 'call', resource: 'tool:old-9800' };
    expect(await home.as('sam').checkGrant(check)).toMatchObject({ allowed: true });
  });
});

/** As if jean had delegated so often before: to sam as much as one may give to another, less five. */
function insertDelegations(home: string, parent: string, count: number): void {
  using database = new DatabaseSync(join(home, 'ledger.db'));
  database.exec('begin');
  const insert = database.prepare(
    `insert into grants (id, principal, capability, parent, granted_by, origin, created_at)
     values (?, ?, ?, ?, 'agent:jean', 'delegation', 1)`,
  );
  for (let place = 0; place < count; place++) {
    const holder = place >= 9750 ? 'agent:sam' : `agent:old-${place % 20}`;
    insert.run(`0${String(place).padStart(31, '0')}`, holder, `tool:old-${place}:call`, parent);
  }
  database.exec('commit');
}

test('many denied calls are all on record, and the daemon is well', async () => {
  const names = ['jean', 'sam', 'lee'];
  const home = await agents(...names);
  const perAgent = isFull ? 334 : 70;

  const ends = await Promise.all(
    names.map((name) =>
      inTurns(perAgent, 20, (place) =>
        endOf(
          home.agent(name).client.callTool('file.read', { args: { path: `/etc/secret-${place}` } }),
        ),
      ),
    ),
  );

  expect(tally(ends.flat())).toEqual({ 'capability.denied': names.length * perAgent });
  const denied = await home.events('capability.denied');
  expect(countBy(denied)).toEqual(
    Object.fromEntries(names.map((name) => [`agent:${home.agent(name).name}`, perAgent])),
  );
  expect(new Set(denied.map(({ subject }) => subject))).toHaveLength(perAgent);
  expect(denied.every(({ subject }) => subject.startsWith('file:/etc/secret-'))).toBe(true);
  await isWell(home);
  expect(await home.client.auditVerify()).toMatchObject({ kind: 'whole' });
});

function countBy(events: readonly WireEvent[]): Readonly<Record<string, number>> {
  return tally(events.map(({ actor }) => actor));
}

const spawn = (name: string, ...lines: readonly string[]) =>
  ({
    to: '__orchestrator__',
    kind: 'spawn',
    body: [`NAME: ${name}`, 'CLI: aos-test-none', ...lines, ''].join('\n'),
  }) as const;

describe('an agent that asks for agents', () => {
  test('ten times at once under max:3 gets exactly three', async () => {
    const home = await agents('jean');
    await home.grant('jean', 'agent:*:spawn{max:3}');
    const { client } = home.agent('jean');

    const ends = await inTurns(10, 10, (place) => endOf(client.send(spawn(`worker-${place}`))));

    expect(tally(ends)).toEqual({ ok: 3, 'message.denied': 7 });
    await spawnsAre(home, 3);
    expect(await home.events('capability.denied')).toHaveLength(7);
  });

  test('ten times at once over a tree under max:3 gets exactly three', async () => {
    const home = await agents('lead', 'left', 'right');
    await home.grant('lead', 'agent:*:spawn{max:3}');
    const names = ['lead', 'left', 'right'];
    for (const { name: to } of [home.agent('left'), home.agent('right')]) {
      await home.agent('lead').client.delegate({ to, capability: 'agent:*:spawn' });
    }

    const ends = await inTurns(10, 10, (place) =>
      endOf(home.agent(names[place % 3] ?? '').client.send(spawn(`worker-${place}`))),
    );

    expect(tally(ends)).toEqual({ ok: 3, 'message.denied': 7 });
    await spawnsAre(home, 3, names);
  });

  test('by the tool for messages is held to the same', async () => {
    const home = await agents('jean');
    await home.grant('jean', 'agent:*:spawn{max:3}');
    const { client } = home.agent('jean');

    const ends = await inTurns(10, 10, (place) =>
      endOf(client.callTool('message.send', { args: spawn(`worker-${place}`) })),
    );

    expect(tally(ends)).toEqual({ ok: 3, 'message.denied': 7 });
    await spawnsAre(home, 3);
  });

  test('without the grant, or for another name, is told what is missing, on record', async () => {
    const home = await agents('jean');
    await home.grant('jean', 'agent:helper:spawn', 'tool:*:call', 'agent:*:release');

    const attempt = home.agent('jean').client.send(spawn('worker'));

    await expect(attempt).rejects.toMatchObject({
      code: 'message.denied',
      message: expect.stringContaining('agent:worker:spawn'),
      fix: `aos cap grant ${home.agent('jean').name} 'agent:worker:spawn'`,
    });
    expect(await home.events('capability.denied')).toMatchObject([
      { actor: `agent:${home.agent('jean').name}`, subject: 'agent:worker:spawn' },
    ]);
    await noSpawnIs(home, 'worker');
  });

  test.each([
    ['/etc', 'message.denied'],
    ['/data2', 'message.denied'],
    ['/', 'message.denied'],
    ['/data/../etc', 'message.malformed'],
    ['data', 'message.malformed'],
    ['/data/x', 'ok'],
  ])('in the folder %s, where it may use /data: %s', async (folder, end) => {
    const home = await agents('jean');
    await home.grant('jean', 'agent:*:spawn{max:1}', 'file:/data/**:read,write');
    const { client } = home.agent('jean');

    const ends = [await endOf(client.send(spawn('worker', `WORKING_DIR: ${folder}`)))];

    expect(tally(ends)).toEqual({ [end]: 1 });
    // A refusal has used nothing up.
    const spare = await endOf(client.send(spawn('other')));
    expect(tally([spare])).toEqual(end === 'ok' ? { 'message.denied': 1 } : { ok: 1 });
    await spawnsAre(home, 1);
    if (end === 'message.denied') {
      const denied = await home.events('capability.denied');
      const subject = `file:${folder === '/' ? '' : folder}/**:read`;
      const actor = `agent:${home.agent('jean').name}`;
      expect(denied).toMatchObject([{ actor, subject }]);
    }
  });

  const variables = [
    'LD_PRELOAD',
    'ld_preload',
    'LD_LIBRARY_PATH',
    'NODE_OPTIONS',
    'AOS_HOME',
    'PATH',
  ];

  test('with a variable that decides what is run is told so', async () => {
    const home = await agents('jean');
    await home.grant('jean', 'agent:*:spawn');

    for (const name of variables) {
      const attempt = home.agent('jean').client.send(spawn('worker', `ENV: A=1, ${name} = /x`));
      await expect(attempt).rejects.toMatchObject({
        code: 'message.malformed',
        message: `ENV sets "${name}", which no message may set`,
      });
    }

    await noSpawnIs(home, 'worker');
  });

  test('with such a variable by a file finds a nack, and the refusal is on record', async () => {
    const home = await agents('jean');
    await home.grant('jean', 'agent:*:spawn');

    const { body } = spawn('worker', 'ENV: LD_PRELOAD=/tmp/x.so');
    const { name: jean } = home.agent('jean');
    putIntoOutbox(home.home, jean, `TO: __orchestrator__\nKIND: spawn\n\n${body}`);

    const [nack] = await until(() => {
      const found = lookIntoInbox(home.home, jean);
      expect(found).toHaveLength(1);
      return found;
    });
    expect(nack?.headers['KIND']).toBe('nack');
    expect(nack?.body).toContain('LD_PRELOAD');
    expect(await home.events('message.refused')).toMatchObject([
      { actor: `agent:${jean}`, data: { code: 'message.malformed' } },
    ]);
    await noSpawnIs(home, 'worker');
  });
});

/**
 * Nothing that jean asked for under this name came to who starts agents. Who asks for one name is
 * answered in turn, so the answer to one more, which may be, comes after all others.
 */
async function noSpawnIs(home: ToolHome, name: string): Promise<void> {
  const { client, name: jean } = home.agent('jean');
  await home.grant('jean', `agent:${name}:spawn`);
  const { id } = await client.send(spawn(name));
  await until(() => {
    const answered = lookIntoInbox(home.home, jean).map(({ headers }) => headers['RE']);
    expect(answered).toContain(id);
  });
  await spawnsAre(home, 1);
}

/**
 * So many of what these agents asked for came to who starts agents, who answers each: there is no
 * such program, or no such folder. What it has not answered yet stands in the ledger.
 */
async function spawnsAre(home: ToolHome, count: number, names = ['jean']): Promise<void> {
  const full = names.map((called) => home.agent(called).name);
  await until(() => {
    const answers = full.flatMap((name) => lookIntoInbox(home.home, name));
    const taken = answers.filter(({ body }) =>
      /no program "aos-test-none"|working folder/.test(body),
    );
    expect(taken).toHaveLength(count);
  });
  using database = new DatabaseSync(join(home.home, 'ledger.db'), { readOnly: true });
  const open = database.prepare(
    `select * from pending_operations
     where operation_type = 'spawn' and json_extract(payload, '$.by') = ?`,
  );
  expect(full.flatMap((name) => open.all(name))).toEqual([]);
}
