import { describe, expect, test } from 'vitest';
import { commandHome } from '../../../tests/support/command-home.ts';
import { openOnce } from '../../../tests/support/open-once.ts';
import { bearer, send } from '../../../tests/support/temporary-gateway.ts';

const reading = 'file:/data/*:read';

/** For those that change nothing. */
const looked = openOnce(() => commandHome('jean'));

describe('aos cap grant', () => {
  test.each([[reading], ['capability://file/data/*?action=read']])(
    '%s is given, and told in the one spelling with its id',
    async (capability) => {
      await using home = await commandHome('jean');

      const run = await home.aos(['cap', 'grant', 'jean', capability]);

      expect(run).toMatchObject({ code: 0, stderr: '' });
      expect(run.stdout).toMatch(/^jean may now file:\/data\/\*:read \(grant [0-9a-f]{32}\)\.\n$/);
      const { items } = await home.client.grants({ agent: 'jean' });
      const given = items.filter(({ origin }) => origin !== 'default');
      expect(given).toMatchObject([{ capability: reading, asks: false }]);
    },
  );

  test('--ask lets a human approve every use', async () => {
    await using home = await commandHome('jean');

    const run = await home.aos(['cap', 'grant', 'jean', reading, '--ask']);

    expect(run.stdout).toContain('A human is asked before each use.');
  });

  test.each([
    [['jean', 'nonsense'], 2, 'is no capability'],
    [['jean', 'file:/data/../etc:read'], 2, 'file:/data/../etc:read'],
    [['nobody', reading], 4, 'There is no agent "nobody"'],
    [['jean'], 2, 'needs a value for "capability"'],
  ])('%j is refused in words', async (words, code, message) => {
    const home = looked();

    const run = await home.aos(['cap', 'grant', ...words]);

    expect(run).toMatchObject({ code, stdout: '' });
    expect(run.stderr).toContain(message);
  });
});

describe('aos cap delegate', () => {
  test('hands on a part of a grant, also of one that is named by its beginning', async () => {
    await using home = await commandHome('jean', 'sam');
    const above = await home.client.grant({ agent: 'jean', capability: reading });
    const words = ['cap', 'delegate', 'jean', 'sam', 'file:/data/a:read'];

    const runs = [
      await home.aos(words),
      await home.aos([...words, '--parent', above.id.slice(0, 20)]),
    ];

    for (const { stdout } of runs) {
      expect(stdout).toMatch(
        /^sam may now file:\/data\/a:read \(grant [0-9a-f]{32}\), from grant /,
      );
      expect(stdout).toContain(`from grant ${above.id} of jean.\n`);
    }
  });

  test('refuses what is wider', async () => {
    await using home = await commandHome('jean', 'sam');
    await home.client.grant({ agent: 'jean', capability: reading });

    const run = await home.aos(['cap', 'delegate', 'jean', 'sam', 'file:/data/**:read']);

    expect(run).toMatchObject({ code: 3, stdout: '' });
  });
});

describe('aos cap revoke', () => {
  test('takes the beginning of an id, and says how many ended with it', async () => {
    await using home = await commandHome('jean', 'sam');
    const { id } = await home.client.grant({ agent: 'jean', capability: reading });
    await home.client.delegate({ from: 'jean', to: 'sam', capability: 'file:/data/a:read' });

    const run = await home.aos(['cap', 'revoke', id.slice(0, 20)]);

    expect(run.stdout).toBe(
      `Grant ${id} is revoked, by which jean had file:/data/*:read. 1 more ended with that, delegated from there.\n`,
    );
    expect(await home.client.checkGrant(readingAs('sam'))).toMatchObject({ allowed: false });
  });

  test('takes every grant of an agent that says the same, in any spelling', async () => {
    await using home = await commandHome('jean');
    for (const capability of [reading, reading, 'file:/data/*:write']) {
      await home.client.grant({ agent: 'jean', capability });
    }

    const run = await home.aos(['cap', 'revoke', 'jean', 'capability://file/data/*?action=read']);

    expect(run.stdout).toBe('2 grants of jean for file:/data/*:read were revoked.\n');
    const { items } = await home.client.grants({ agent: 'jean' });
    expect(items.map(({ capability }) => capability)).not.toContain(reading);
    expect(items.map(({ capability }) => capability)).toContain('file:/data/*:write');
  });

  test('tells how many ended with them', async () => {
    await using home = await commandHome('jean', 'sam');
    await home.client.grant({ agent: 'jean', capability: reading });
    await home.client.delegate({ from: 'jean', to: 'sam', capability: 'file:/data/a:read' });

    const run = await home.aos(['cap', 'revoke', 'jean', reading]);

    expect(run.stdout).toBe(
      '1 grant of jean for file:/data/*:read was revoked. 1 more ended with that, delegated from there.\n',
    );
  });

  test('by what it says is for the owner alone', async () => {
    await using home = await commandHome('jean');
    await home.client.grant({ agent: 'jean', capability: reading });
    const { handle } = await home.client.register('sam');

    const answer = await send({
      ...{ at: home.agentSocket('sam'), path: '/api/v1/grants/revoke', method: 'POST' },
      ...{ headers: bearer(handle), body: JSON.stringify({ agent: 'jean', capability: reading }) },
    });

    expect(answer.status).toBe(403);
    expect(await home.client.checkGrant(readingAs('jean'))).toMatchObject({ allowed: true });
  });

  test('answers programs with the grants that it revoked', async () => {
    await using home = await commandHome('jean');
    const { id } = await home.client.grant({ agent: 'jean', capability: reading });

    const data = await home.data(['cap', 'revoke', 'jean', reading]);

    expect(data).toEqual({
      revoked: [expect.objectContaining({ id, revoked_at: expect.any(String) })],
      below: 0,
    });
  });

  test.each([
    [['jean', reading], 4, 'has no grant that says file:/data/*:read'],
    [['jean', 'nonsense'], 2, 'is no capability'],
    [['nobody', reading], 4, 'There is no agent "nobody"'],
    [['0'.repeat(32)], 4, 'There is no grant'],
    [['..'], 2, 'is no id of a grant'],
  ])('%j is refused in words', async (words, code, message) => {
    const home = looked();

    const run = await home.aos(['cap', 'revoke', ...words]);

    expect(run).toMatchObject({ code, stdout: '' });
    expect(run.stderr).toContain(message);
  });
});

test('an agent finds no grant of another by the beginning of its id', async () => {
  await using home = await commandHome('jean');
  const { id } = await home.client.grant({ agent: 'jean', capability: reading });
  const { handle } = await home.client.register('sam');
  const revoke = (typed: string) => ({
    ...{ at: home.agentSocket('sam'), path: `/api/v1/grants/${typed}/revoke`, method: 'POST' },
    ...{ headers: bearer(handle), body: '{}' },
  });

  const answers = [await send(revoke(id.slice(0, 8))), await send(revoke(id.slice(0, 31)))];

  for (const { status, text } of answers) {
    expect(status).toBe(404);
    expect(text).not.toContain(id);
  }
});

describe('aos cap ls', () => {
  test('tells who holds what from whom, by ids that can be typed', async () => {
    await using home = await commandHome('jean', 'sam');
    const capability = 'file:/data/*:read{max:3}';
    const { id } = await home.client.grant({ agent: 'jean', capability, ask: true });
    await home.client.delegate({ from: 'jean', to: 'sam', capability: 'file:/data/a:read{max:2}' });

    const run = await home.aos(['cap', 'ls']);

    const lines = run.stdout.split('\n').map((line) => line.split(/ {2,}/));
    const told = lines.map((cells) => cells.slice(1));
    // What is given in one moment has no order.
    expect(told.slice(0, 4).sort()).toEqual([
      ['jean', 'message:*:send', 'from default'],
      ['jean', 'transfer:*:send', 'from default'],
      ['sam', 'message:*:send', 'from default'],
      ['sam', 'transfer:*:send', 'from default'],
    ]);
    expect(told.slice(4)).toEqual([
      ['jean', capability, 'from owner', 'asks before each use'],
      ['sam', 'file:/data/a:read{max:2}', 'from jean'],
      [],
    ]);
    expect(id.startsWith(lines[4]?.[0] ?? 'none')).toBe(true);
    const revoked = await home.aos(['cap', 'revoke', lines[4]?.[0] ?? '']);
    expect(revoked.code).toBe(0);
  });

  test('what was delegated ends there with what it was delegated from', async () => {
    await using home = await commandHome('jean', 'sam');
    const { id } = await home.client.grant({ agent: 'jean', capability: reading });
    await home.client.delegate({ from: 'jean', to: 'sam', capability: reading });
    await home.client.revoke(id);

    const left = await home.aos(['cap', 'ls', 'sam']);
    const all = await home.aos(['cap', 'ls', 'sam', '--all']);

    expect(left.stdout).not.toContain(reading);
    expect(all.stdout).toMatch(/file:\/data\/\*:read {2}from jean {2,}revoked \d{4}-/);
  });

  test('of nobody is refused, and of one who holds none says so', async () => {
    await using home = await commandHome('jean');
    const { items } = await home.client.grants({ agent: 'jean' });
    for (const { id } of items) await home.client.revoke(id);

    const nobody = await home.aos(['cap', 'ls', 'nobody']);
    const none = await home.aos(['cap', 'ls', 'jean']);

    expect(nobody).toMatchObject({ code: 4, stdout: '' });
    expect(none).toMatchObject({ code: 0, stdout: 'jean holds no grants.\n' });
  });
});

const readingAs = (agent: string) => ({ agent, action: 'read', resource: 'file:/data/a' });
const check = (...words: readonly string[]) => ['cap', 'check', 'jean', ...words];

describe('aos cap check', () => {
  test('tells with --why which grant allows it, and who gave it to whom', async () => {
    await using home = await commandHome('jean', 'sam');
    const above = await home.client.grant({ agent: 'sam', capability: 'file:/data/**:read' });
    const own = await home.client.delegate({ from: 'sam', to: 'jean', capability: reading });

    const brief = await home.aos(check('read', 'file:/data/a'));
    const whole = await home.aos(check('read', 'file:/data/a', '--why'));

    expect(brief).toMatchObject({ code: 0, stdout: 'jean may file:/data/a:read.\n' });
    expect(whole.stdout).toBe(
      [
        'jean may file:/data/a:read.',
        `  allowed by     grant ${own.id}  file:/data/*:read   sam delegated it to jean`,
        `  which is from  grant ${above.id}  file:/data/**:read  owner gave it to sam`,
        '',
      ].join('\n'),
    );
  });

  test.each([
    ['message:sam', 'send', 'jean may message:sam:send.\n'],
    ['https://api.example.com/x', 'get', 'jean may http:api.example.com:443/x:get.\n'],
  ])('understands %s', async (resource, action, says) => {
    await using home = await commandHome('jean');
    await home.client.grant({ agent: 'jean', capability: 'http:api.example.com/*:get' });

    const run = await home.aos(check(action, resource));

    expect(run).toMatchObject({ code: 0, stdout: says });
  });

  test.each([
    [undefined, 'read', 'file:/data/a', 'and holds nothing that comes near it'],
    [reading, 'write', 'file:/data/a', 'which allows other actions'],
    ['file:/data/*:read{max:0}', 'read', 'file:/data/a', 'which is used up'],
    ['file:/data/**:read', 'read', 'file:/data/.env', 'which does not name it'],
    [
      'file:/data/*:read{expires:2020-01-01T00:00:00Z}',
      'read',
      'file:/data/a',
      'which has expired',
    ],
  ])('of one with %s tells why it may not %s', async (given, action, resource, why) => {
    await using home = await commandHome('jean');
    if (given !== undefined) await home.client.grant({ agent: 'jean', capability: given });

    const brief = await home.aos(check(action, resource));
    const whole = await home.aos(check(action, resource, '--why'));

    for (const run of [brief, whole]) {
      expect(run).toMatchObject({ code: 3, stdout: '' });
      expect(run.stderr).toContain(`Agent "jean" lacks the capability ${resource}:${action}`);
      expect(run.stderr).toContain(`  try: aos cap grant jean '${resource}:${action}'\n`);
    }
    expect(brief.stderr).not.toContain(why);
    expect(whole.stderr).toContain(why);
  });

  test('tells that what was revoked does not do any more', async () => {
    await using home = await commandHome('jean', 'sam');
    const { id } = await home.client.grant({ agent: 'sam', capability: reading });
    await home.client.delegate({ from: 'sam', to: 'jean', capability: reading });
    await home.client.revoke(id);

    const run = await home.aos(check('read', 'file:/data/a', '--why'));

    expect(run.code).toBe(3);
    expect(run.stderr).toContain('which was revoked, or what it was delegated from');
  });

  test('gives programs the whole answer, either way', async () => {
    await using home = await commandHome('jean');
    await home.client.grant({ agent: 'jean', capability: reading });

    const yes = await home.data(check('read', 'file:/data/a'));
    const no = await home.aos([...check('write', 'file:/data/a'), '--json']);

    expect(yes).toMatchObject({ allowed: true, chain: [{ capability: reading }] });
    expect(JSON.parse(no.stdout).error).toMatchObject({
      code: 'capability.denied',
      fix: "aos cap grant jean 'file:/data/a:write'",
      details: { allowed: false, nearest: { why: 'action' } },
    });
  });

  test.each([[['read', 'file:/data/*']], [['fly', 'file:/data/a']], [['fly', 'https://a.b/']]])(
    '%j is no question',
    async (words) => {
      const home = looked();

      expect(await home.aos(check(...words))).toMatchObject({ code: 2, stdout: '' });
    },
  );
});

test.each([
  ...['cap', 'cap grant', 'cap delegate', 'cap revoke', 'cap ls', 'cap check'],
  ...['tool', 'tool ls', 'tool call', 'tool calls', 'resolve', 'secret', 'secret set'],
  ...['secret ls', 'secret rm', 'approvals', 'approvals show', 'approvals approve'],
  'approvals deny',
])('aos %s --help tells what it does', async (words) => {
  const home = looked();

  const run = await home.aos([...words.split(' '), '--help']);

  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(run.stdout).toMatch(/^Usage: aos /);
  const isGroup = ['cap', 'tool', 'secret'].includes(words);
  if (!isGroup) expect(run.stdout.split('Example').at(-1)).toContain(`aos ${words}`);
});
