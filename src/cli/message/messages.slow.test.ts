import { writeFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { openOnce } from '../../../tests/support/open-once.ts';
import {
  type TemporaryGateway,
  temporaryGateway,
} from '../../../tests/support/temporary-gateway.ts';
import { until, untilTrue } from '../../../tests/support/until.ts';
import { version } from '../../app/version.ts';
import { AosError } from '../../kernel/errors.ts';
import { runProgram } from '../core/program.ts';

interface Choices {
  readonly piped?: string | Uint8Array;
  readonly agent?: string;
  readonly signal?: AbortSignal;
  readonly onOut?: (text: string) => void;
}

interface Home extends TemporaryGateway {
  aos(argv: readonly string[], choices?: Choices): Promise<Run>;
}

interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function homeWith(...agents: readonly string[]): Promise<Home> {
  const gateway = await temporaryGateway({ version });
  for (const name of agents) await gateway.client.register(name);
  const aos: Home['aos'] = async (argv, { piped, agent, signal, onOut } = {}) => {
    let stdout = '';
    let stderr = '';
    const terminal = {
      out: (text: string) => {
        stdout += text;
        onOut?.(text);
      },
      err: (text: string) => {
        stderr += text;
      },
      colorOut: false,
      colorErr: false,
      columns: 80,
      input: {
        isTerminal: piped === undefined,
        async *read() {
          yield Buffer.from(piped ?? '');
        },
      },
    };
    const environment = { AOS_HOME: gateway.home.path, AOS_AGENT: agent };
    const code = await runProgram({
      argv,
      environment,
      terminal,
      signal: signal ?? new AbortController().signal,
    });
    return { code, stdout, stderr };
  };
  return Object.assign(gateway, { aos });
}

const dataOf = ({ stdout }: Run) => JSON.parse(stdout).data;

/** For those that change nothing. */
const looked = openOnce(() => homeWith('jean'));

describe('aos send', () => {
  test('says the id of the message, which is in the inbox then', async () => {
    await using home = await homeWith('jean');

    const run = await home.aos(['send', 'jean', 'hello', '--priority', '2', '--ttl', '2h']);

    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toMatch(/^Message [0-9a-f]{32} is on its way to jean\.\n$/);
    const items = await home.client.inbox('jean', {});
    expect(items).toMatchObject([{ body: 'hello', from: 'owner', priority: 2 }]);
  });

  test.each([[['-']], [[]]])('%j reads what is piped in', async (words) => {
    await using home = await homeWith('jean');

    await home.aos(['send', 'jean', ...words], { piped: 'one\ntwo\n' });

    expect(await home.client.inbox('jean', {})).toMatchObject([{ body: 'one\ntwo\n' }]);
  });

  test.each([
    ['no text at a keyboard', ['jean'], undefined, 2, 'There is no text to send'],
    ['bytes that are no text', ['jean'], new Uint8Array([0xff]), 2, 'no text in UTF-8'],
    ['more than a message holds', ['jean'], 'x'.repeat(1_048_577), 6, 'larger than 1 MiB'],
    ['a recipient that is not there', ['nobody', 'a'], undefined, 4, 'nobody'],
    ['a kind that there is not', ['jean', 'a', '--kind', 'letter'], undefined, 2, 'letter'],
    ['a bad time', ['jean', 'a', '--ttl', 'soon'], undefined, 2, '--ttl wants a time'],
    ['a bad priority', ['jean', 'a', '--priority', '10'], undefined, 2, 'from 0 to 9'],
    ['a file that is not there', ['jean', 'a', '--attach', '/nope'], undefined, 4, '/nope'],
  ])('%s is refused in words', async (_what, words, piped, code, message) => {
    const home = looked();

    const run = await home.aos(['send', ...words], piped === undefined ? {} : { piped });

    expect(run).toMatchObject({ code, stdout: '' });
    expect(run.stderr).toContain(message);
    expect(run.stderr).not.toMatch(/^\s+at /m);
  });

  test.each([
    ['delivered', 'is delivered to jean.'],
    ['read', 'is read by jean.'],
    ['acked', 'is acknowledged by jean.'],
  ])('--wait %s says that it %s', async (state, words) => {
    await using home = await homeWith('jean');
    const sent = home.aos(['send', 'jean', 'a', '--kind', 'request', '--wait', state]);
    const id = await untilTrue(async () => (await home.client.inbox('jean', {}))[0]?.id);
    await home.client.ack(String(id), { as: 'jean' });

    expect((await sent).stdout).toBe(`Message ${id} ${words}\n`);
  });

  test('goes out in the name of AOS_AGENT, and of --from before that', async () => {
    await using home = await homeWith('jean', 'jared');

    await home.aos(['send', 'owner', 'a'], { agent: 'jean' });
    await home.aos(['send', 'owner', 'b', '--from', 'jared'], { agent: 'jean' });

    const items = await home.client.inbox('owner', {});
    expect(items.map(({ from }) => from)).toEqual(['jean', 'jared']);
  });

  test('sends a file along, however large', async () => {
    await using home = await homeWith('jean');
    writeFileSync(home.home.at('file'), Buffer.alloc(3_000_000, 'x'));

    const run = await home.aos(['send', 'jean', '--attach', home.home.at('file')]);

    expect(run.code).toBe(0);
    const [item] = await home.client.inbox('jean', {});
    expect(item?.attachments).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
  });

  test('is tried again when the disk was full for a moment', async () => {
    await using home = await homeWith('jean');
    const full = new AosError('ledger.full', { message: 'The disk is full' });
    vi.spyOn(home.relay, 'accept').mockRejectedValueOnce(full);

    const run = await home.aos(['send', 'jean', 'a']);

    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(await home.client.inbox('jean', {})).toHaveLength(1);
  });

  test('--wait ends when everybody has got that far, and says so when not in time', async () => {
    await using home = await homeWith('jean');

    const late = await home.aos(['send', 'jean', 'a', '--wait', 'read', '--timeout', '10ms']);
    const waiting = home.aos(['send', 'jean', 'b', '--wait', 'read', '--json']);
    await until(async () => expect(await home.client.inbox('jean', {})).toHaveLength(2));
    await home.client.takeInbox('jean', {});

    expect(late).toMatchObject({ code: 8, stdout: '' });
    expect(late.stderr).toContain(', not "read"');
    expect(dataOf(await waiting)).toMatchObject({ deliveries: [{ state: 'read' }] });
  });

  test('--wait fails when the message never gets there', async () => {
    await using home = await homeWith('jean');

    const waiting = home.aos(['send', 'jean', 'a', '--wait', 'read']);
    await until(async () => expect(await home.client.inbox('jean', {})).toHaveLength(1));
    const [item] = await home.client.inbox('jean', {});
    await home.client.nack(item?.id ?? '', { as: 'jean', reason: 'no' });

    expect(await waiting).toMatchObject({ code: 7 });
  });
});

describe('aos inbox', () => {
  test('shows what is unread, once, and nothing can move the cursor', async () => {
    await using home = await homeWith('jean');
    await home.client.send({ to: 'owner', from: 'jean', thread: 't', body: 'hi\n\u001b[2Jboo' });

    const first = await home.aos(['inbox']);
    const second = await home.aos(['inbox']);

    expect(first.stdout).toMatch(/^FROM jean {2}message {2}thread t {2}[0-9a-f]{32} {2}.* ago\n/);
    expect(first.stdout).toContain('\n  hi\n  \\u001b[2Jboo\n');
    expect(second.stdout).toBe('There are no new messages for owner.\n');
  });

  test('--peek reads nothing', async () => {
    await using home = await homeWith('jean');
    await home.client.send({ to: 'jean', body: 'hi' });

    const runs = [
      await home.aos(['inbox', 'jean', '--peek', '--json']),
      await home.aos(['inbox', '--peek', '--json'], { agent: 'jean' }),
    ];

    for (const run of runs) expect(dataOf(run).items).toMatchObject([{ body: 'hi' }]);
  });

  test('-f goes on until it is stopped', async () => {
    await using home = await homeWith('jean');
    await home.client.send({ to: 'owner', from: 'jean', body: 'first' });
    const stop = new AbortController();
    let seen = '';
    const onOut = (text: string): void => {
      seen += text;
    };

    const following = home.aos(['inbox', '-f', '--json'], { signal: stop.signal, onOut });
    await until(() => expect(seen).toContain('first'));
    await home.client.send({ to: 'owner', from: 'jean', body: 'second' });
    await until(() => expect(seen).toContain('second'));
    await until(async () => expect(await home.client.inbox('owner', {})).toEqual([]));
    stop.abort(new AosError('interrupted.signal', { message: 'Stopped' }));

    expect(await following).toMatchObject({ code: 130 });
    const lines = seen.split('\n').filter((line) => line.includes('"body"'));
    expect(lines.map((line) => JSON.parse(line).body)).toEqual(['first', 'second']);
  });

  test.each([[['-f', '--peek']], [['--limit', '0']], [['../x']]])(
    '%j is refused in words',
    async (words) => {
      const home = looked();

      expect(await home.aos(['inbox', ...words])).toMatchObject({ code: 2, stdout: '' });
    },
  );
});

describe('what becomes of a message', () => {
  test('aos ack and aos nack tell the sender', async () => {
    await using home = await homeWith('jean');
    const one = await home.client.send({ to: 'jean', body: 'a' });
    const two = await home.client.send({ to: 'jean', body: 'b' });

    const ack = await home.aos(['ack', one.id, 'done', '--as', 'jean']);
    const nack = await home.aos(['nack', two.id, 'no time'], { agent: 'jean' });

    expect([ack.code, nack.code]).toEqual([0, 0]);
    expect(await home.client.inbox('owner', {})).toMatchObject([
      { kind: 'ack', re: one.id, body: 'done' },
      { kind: 'nack', re: two.id, body: 'no time' },
    ]);
  });

  test('aos why tells every step', async () => {
    await using home = await homeWith('jean');
    const { id } = await home.client.send({ to: 'jean', body: 'a' });

    await until(() => expect(home.inboxes.texts('jean')).toHaveLength(1));
    const run = await home.aos(['why', id.slice(0, 20)]);

    expect(run.stdout).toMatch(/^\d{4}-.*Z {2}accepted from owner$/m);
    expect(run.stdout).toMatch(/^\d{4}-.*Z {2}delivered to jean as a file in its inbox$/m);
    expect(run.stdout).toContain('jean  delivered  1 attempt, by inbox\n');
  });

  test.each([['zz'], [''], ['../status'], ['abc']])('%j is no id', async (id) => {
    const home = looked();

    expect(await home.aos(['why', id])).toMatchObject({ code: 2, stdout: '' });
    expect(await home.aos(['ack', id])).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('aos request', () => {
  test('prints what the response says', async () => {
    await using home = await homeWith('jean');

    const asking = home.aos(['request', 'jean', 'how much?']);
    const [asked] = await home.client.takeInbox('jean', { wait_ms: 20_000 });
    await home.client.send({
      ...{ to: 'owner', from: 'jean', kind: 'response', body: '42\n' },
      re: asked?.id,
    });

    expect(await asking).toEqual({ code: 0, stdout: '42\n', stderr: '' });
  });

  test('ends with 8 when nobody answers', async () => {
    await using home = await homeWith('jean');

    const run = await home.aos(['request', 'jean', 'hello?', '--timeout', '20ms']);

    expect(run).toMatchObject({ code: 8, stdout: '' });
  });

  test('of more than ten minutes is refused', async () => {
    await using home = await homeWith('jean');

    const run = await home.aos(['request', 'jean', 'hello?', '--timeout', '11m']);

    expect(run).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('groups', () => {
  test('agents join and leave channels', async () => {
    await using home = await homeWith('jean');

    const runs = [
      await home.aos(['channel', 'ls']),
      await home.aos(['channel', 'join', 'news', 'jean']),
      await home.aos(['channel', 'join', '#news'], { agent: 'jean' }),
      await home.aos(['channel', 'ls']),
      await home.aos(['channel', 'leave', '#news', 'jean']),
    ];

    expect(runs.map(({ stdout }) => stdout)).toEqual([
      'Nobody has joined a channel.\n',
      'jean has joined #news.\n',
      'jean had joined #news before.\n',
      '#news  jean\n',
      'jean has left #news.\n',
    ]);
  });

  test.each([
    [['join', 'a b', 'jean'], 2],
    [['join', 'news'], 2],
    [['join', 'news', 'nobody'], 4],
  ])('aos channel %j is refused', async (words, code) => {
    const home = looked();

    expect(await home.aos(['channel', ...words])).toMatchObject({ code, stdout: '' });
  });

  test('aos lead says who is Lead, and sets it', async () => {
    await using home = await homeWith('jean');

    const nobody = await home.aos(['lead']);
    const set = await home.aos(['lead', 'set', 'jean']);
    const somebody = await home.aos(['lead']);

    expect(nobody).toMatchObject({ code: 4, stderr: expect.stringContaining('Nobody is Lead') });
    expect(set.stdout).toBe('jean is Lead from now on.\n');
    expect(somebody.stdout).toBe('jean\n');
  });
});

test.each([
  ['--thread: it is longer than 300', ['send', 'jean', 'a', '--thread', 'x'.repeat(301)]],
  ['--dedup: it is longer than 300', ['send', 'jean', 'a', '--dedup', 'x'.repeat(301)]],
  ['<to>: it is longer than 300', ['send', 'x'.repeat(301), 'a']],
  ['<goal>: it is empty', ['run', '']],
  ['query: it is empty', ['memory', 'search', '']],
  ['--of: it is empty', ['memory', 'list', '--of', '']],
  ['--tag: it is longer than 1000', ['memory', 'store', 'k', 'v', '--tag', 'x'.repeat(1001)]],
  ['a word that is so long', ['secret', 'rm', 'x'.repeat(1000)]],
])('a command tells in its own words what the daemon does not take: %s', async (says, argv) => {
  const home = looked();

  const run = await home.aos(argv);

  expect(run).toMatchObject({ code: 2, stdout: '' });
  expect(run.stderr).toContain(says);
  expect(run.stderr).toMatch(/^error: "aos .*" cannot take .*\n {2}try: aos .* --help\n$/);
});
