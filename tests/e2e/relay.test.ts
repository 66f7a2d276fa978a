/** Messages as their users send them: by command and by file. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aosHere } from '../support/aos-here.ts';
import { lookIntoInbox, outboxOf, putIntoOutbox, takeFromInbox } from '../support/message-files.ts';
import { type RelayHome, relayHome } from '../support/relay-home.ts';
import { launcher, type Run, stackLine } from '../support/run-aos.ts';
import { until } from '../support/until.ts';

// One for all: each test has agents of its own.
let relay: RelayHome;
/** The names of files that are no messages, by who sent them. */
let faulty: ReadonlyMap<string, string>;
/** A message that is not read in time. */
let expiring: string;

beforeAll(async () => {
  relay = await relayHome('late', 'hurried', ...Object.keys(faultyFiles));
  // What takes its time is begun here, and looked at after the others.
  faulty = new Map(
    Object.entries(faultyFiles).map(([sender, { text }]) => [
      sender,
      putIntoOutbox(relay.home, sender, text),
    ]),
  );
  const words = ['send', 'late', 'soon old', '--ttl', '1s', '--from', 'hurried'];
  expiring = await idOf(relay.data(...words));
});

afterAll(async () => {
  await relay?.[Symbol.asyncDispose]();
});

/** In this process. */
const aos = (...words: readonly string[]): Promise<Run> =>
  aosHere(['--home', relay.home, ...words]);

let named = 0;

/** New agents, e.g. `jean-3` for jean. */
async function register(...names: readonly string[]): Promise<string[]> {
  named += 1;
  const own = names.map((name) => `${name}-${named}`);
  for (const name of own) await relay.daemon.client.register(name);
  return own;
}

const idOf = async (sent: Promise<unknown>): Promise<string> => {
  const data = await sent;
  return typeof data === 'object' && data !== null && 'id' in data ? String(data.id) : '';
};

/** By who sends them. */
const faultyFiles: Record<string, { readonly text: string; readonly words: string }> = {
  headless: { text: 'hello\n\nhello\n', words: 'Line 1' },
  unblanked: { text: 'TO: late\n', words: 'blank line' },
  unkind: { text: 'TO: late\nKIND: letter\n\nhello\n', words: 'letter' },
  misspelt: { text: 'TO: late\nKIND: requst\n\nhi\n', words: 'Did you mean "request"? The' },
  unchecked: { text: `TO: late\nCHECKSUM: sha256:${'0'.repeat(64)}\n\nhi\n`, words: 'CHECKSUM' },
  lonely: { text: 'TO: nobody\n\nhello\n', words: 'There is no agent "nobody"' },
  pushy: {
    text: 'TO: __orchestrator__\nKIND: release\n\nNAME: late\n',
    words: 'lacks the capability agent:',
  },
};

const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`;
const steps = (...words: readonly string[]): RegExp =>
  new RegExp(`\n\n${words.map((what) => `${time}  ${what}\n`).join('')}\n`);

describe('aos why tells every step with its time of', () => {
  test('a message that was delivered and read', async () => {
    const [jean = '', sam = ''] = await register('jean', 'sam');
    putIntoOutbox(relay.home, sam, `TO: ${jean}\n\nhello\n`);
    const [found] = await until(() => {
      const taken = [...takeFromInbox(relay.home, jean)];
      expect(taken).toHaveLength(1);
      return taken;
    });

    const why = await until(async () => {
      const { stdout } = await aos('why', found?.headers['ID'] ?? '');
      expect(stdout).toContain(`read by ${jean}`);
      return stdout;
    });

    const [accepted, archived] = [
      String.raw`accepted from ${sam} as the file \S+\.msg`,
      'its file was moved to the archive',
    ];
    const delivered = `delivered to ${jean} as a file in its inbox`;
    // The file is put away while its message is delivered.
    const either = `(?:${archived}\n${time}  ${delivered}|${delivered}\n${time}  ${archived})`;
    expect(why).toMatch(steps(accepted, either, `read by ${jean}`));
    expect(why).toMatch(/\njean-\d+ {2}read {2}1 attempt, by inbox\n$/);
  });

  test('one that its recipient refused', async () => {
    const [jean = ''] = await register('jean');
    const id = await idOf(relay.data('send', jean, 'do it', '--kind', 'request'));
    await relay.aos('nack', id, 'there is no such branch', '--as', jean);

    const why = await relay.aos('why', id);

    expect(why.stdout).toMatch(
      /\n\S+Z {2}dead for jean-\d+: jean-\d+ refused it: there is no such branch\n\S+Z {2}jean-\d+ answered with nack /,
    );
    const inbox = await relay.aos('inbox');
    expect(inbox.stdout).toContain('there is no such branch');
  });
});

test('a symlink, a pipe and a socket in an outbox are refused, and nothing of them is read', async () => {
  const [jean = '', sam = ''] = await register('jean', 'sam');
  const inOutbox = (name: string): string => join(outboxOf(relay.home, sam), name);
  writeFileSync(relay.folder.at('secret'), `TO: ${jean}\n\na secret\n`);
  symlinkSync(relay.folder.at('secret'), inOutbox('1-aaaaaaaa.msg'));
  execFileSync('mkfifo', [inOutbox('2-aaaaaaaa.msg')]);
  await using server = createServer().listen(relay.folder.at('socket'));
  await once(server, 'listening');
  renameSync(relay.folder.at('socket'), inOutbox('3-aaaaaaaa.msg'));

  const nacks = await until(() => {
    const found = lookIntoInbox(relay.home, sam);
    expect([...found, ...lookIntoInbox(relay.home, jean)]).toHaveLength(3);
    return found;
  });

  expect(nacks.map(({ body }) => body).sort()).toEqual([
    expect.stringContaining('is a symlink, and only ordinary files are read'),
    ...Array.from({ length: 2 }, () =>
      expect.stringContaining('is a pipe, socket or device, and only ordinary files are read'),
    ),
  ]);
  expect(lookIntoInbox(relay.home, jean)).toEqual([]);
  expect(readFileSync(relay.folder.at('secret'), 'utf8')).toContain('a secret');
});

describe('two agents', () => {
  test('ask and answer each other, one by files and one by commands', async () => {
    const [jean = '', sam = ''] = await register('jean', 'sam');
    const { home } = relay;

    const asking = relay.aos('request', jean, 'how much?', '--from', sam);
    await answerByFile(home, jean, '42\n');
    const answered = await asking;
    putIntoOutbox(home, jean, `TO: ${sam}\nKIND: request\n\nsure?\n`);
    const asked = await until(async () => {
      const run = await aos('--json', 'inbox', sam);
      const [item] = JSON.parse(run.stdout).data.items;
      expect(item).toBeDefined();
      return item;
    });
    const words = ['send', jean, 'yes', '--kind', 'response', '--re', asked.id, '--from', sam];
    const sent = await aos(...words);

    expect(answered).toMatchObject({ code: 0, stdout: '42\n', stderr: '' });
    expect(sent).toMatchObject({ code: 0, stderr: '' });
    await until(() =>
      expect(lookIntoInbox(home, jean)).toMatchObject([
        { headers: { FROM: sam, KIND: 'response', RE: asked.id }, body: 'yes' },
      ]),
    );
    const why = await aos('why', asked.id);
    expect(why.stdout).toMatch(/\nsam-\d+ {2}acked {2}/);
  });

  async function answerByFile(home: string, agent: string, body: string): Promise<void> {
    const [asked] = await until(() => {
      const found = [...takeFromInbox(home, agent)];
      expect(found).toHaveLength(1);
      return found;
    });
    const { FROM, ID } = asked?.headers ?? {};
    putIntoOutbox(home, agent, `TO: ${FROM}\nKIND: response\nRE: ${ID}\n\n${body}`);
  }
});

describe('the commands', () => {
  test('answer with --json, each in one line', async () => {
    const [jean = ''] = await register('jean');
    const id = await idOf(relay.data('send', jean, 'hello', '--kind', 'request'));

    const answers = [
      await relay.data('inbox', jean, '--peek'),
      await relay.data('ack', id, 'done', '--as', jean),
      await relay.data('why', id),
      await relay.data('channel', 'join', 'news', jean),
      await relay.data('channel', 'ls'),
      await relay.data('lead', 'set', jean),
      await relay.data('lead'),
      await relay.data('inbox'),
    ];

    expect(answers).toMatchObject([
      { items: [{ id, from: 'owner', body: 'hello' }] },
      { id, state: 'acked' },
      { id, deliveries: [{ recipient: jean, state: 'acked' }] },
      { channel: '#news', agent: jean, joined: true },
      { items: [{ channel: '#news', agents: [jean] }] },
      { name: jean, released: 0 },
      { name: jean },
      { items: expect.any(Array) },
    ]);
    expect(answers.at(-1)).toMatchObject({
      items: expect.arrayContaining([
        expect.objectContaining({ kind: 'ack', from: jean, re: id, body: 'done' }),
      ]),
    });
  });

  test('refuse in words what they do not understand', async () => {
    for (const [words, code, wanted] of refusals) {
      const run = await aos(...words);

      expect(run, words.join(' ')).toMatchObject({ code, stdout: '' });
      expect(run.stderr).toContain(wanted);
      expect(run.stderr).toMatch(/^error: .+\n/);
      expect(run.stderr).not.toMatch(stackLine);
    }
  });

  const refusals = [
    [['sned', 'jean', 'hello'], 2, 'Did you mean "send"?'],
    [['send', 'jaen', 'hello'], 4, 'jaen'],
    [['send', 'late', 'hello', '--kind', 'requst'], 2, 'requst'],
    [['send'], 2, 'to'],
    [['inbox', 'nobody'], 4, 'nobody'],
    [['ack', '00000000000000000000000000000000'], 4, '0000'],
    [['nack', '00000000000000000000000000000000'], 2, 'reason'],
    [['why', '00000000000000000000000000000000'], 4, '0000'],
    [['why'], 2, 'id'],
    [['request', 'nobody', 'hello'], 4, 'nobody'],
    [['channel', 'jion', 'news', 'jean'], 2, 'Did you mean "join"?'],
    [['lead', 'set', 'nobody'], 4, 'nobody'],
    [['lead', 'ste', 'jean'], 2, 'set'],
  ] as const;

  test.each([
    [['request', 'JEAN', 'hello?']],
    [['inbox', '--follow']],
    [['send', 'JEAN', 'hello', '--kind', 'request', '--wait', 'acked']],
  ])('aos %j ends at Ctrl-C', async (typed) => {
    const [jean = ''] = await register('jean');
    const words = typed.map((word) => (word === 'JEAN' ? jean : word));
    const child = spawn(process.execPath, [launcher, '--home', relay.home, ...words], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const ended = once(child, 'close');
    if (words[0] === 'inbox') await aos('send', 'owner', 'look');
    await (words[0] === 'inbox'
      ? once(child.stdout, 'data')
      : until(() => expect(lookIntoInbox(relay.home, jean)).toHaveLength(1)));

    child.kill('SIGINT');

    const [code] = await ended;
    expect(code).toBe(130);
    expect(stderr).not.toMatch(stackLine);
  });
});

test('aos send JEAN - ends at Ctrl-C while it waits for more to be piped in', async () => {
  const [jean = ''] = await register('jean');
  const child = spawn(process.execPath, [launcher, '--home', relay.home, 'send', jean, '-']);
  const ended = once(child, 'close');
  // More than a pipe holds: it has begun to read.
  if (!child.stdin.write('x'.repeat(200_000))) await once(child.stdin, 'drain');

  child.stdin.on('error', () => {});
  child.kill('SIGINT');

  expect(await ended).toEqual([130, null]);
  expect(lookIntoInbox(relay.home, jean)).toEqual([]);
});

// The last ones: meanwhile what they look at has had its time.
describe('aos why tells of what took its time:', () => {
  test('a message that expired', async () => {
    const why = await until(async () => {
      const { stdout } = await aos('why', expiring);
      expect(stdout).toContain('was told');
      return stdout;
    });

    expect(why).toMatch(
      steps(
        'accepted from hurried',
        'delivered to late as a file in its inbox',
        'expired for late: it was not read in time',
        'hurried was told by nack [0-9a-f]{32}',
      ),
    );
    expect(lookIntoInbox(relay.home, 'late')).toEqual([]);
    await until(() =>
      expect(lookIntoInbox(relay.home, 'hurried').map(({ body }) => body)).toEqual([
        expect.stringContaining('Your message to late has expired: it was not read in time.'),
      ]),
    );
  });

  test('files that were no messages', async () => {
    for (const [sender, name] of faulty) {
      const [nack] = await until(() => {
        const found = lookIntoInbox(relay.home, sender);
        expect(found).toHaveLength(1);
        return found;
      });

      const why = await aos('why', nack?.headers['RE'] ?? '');
      expect(nack).toMatchObject({ headers: { KIND: 'nack', FROM: '__orchestrator__' } });
      expect(nack?.body).toContain(`The file was ${name}.`);
      expect(nack?.body).toContain(faultyFiles[sender]?.words);
      expect(nack?.body).not.toMatch(/[.?]\./);
      expect(why.stdout).toMatch(/\n\S+Z {2}came from \S+ as the file \S+\.msg and was refused: /);
      expect(why.stdout).toMatch(/\n\S+Z {2}\S+ was told by nack [0-9a-f]{32}\n/);
    }
    expect(lookIntoInbox(relay.home, 'late')).toEqual([]);
  });
});
