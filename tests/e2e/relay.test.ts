/** Messages as their users send them: by command and by file. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { lookIntoInbox, outboxOf, putIntoOutbox, takeFromInbox } from '../support/message-files.ts';
import { relayHome } from '../support/relay-home.ts';
import { launcher, stackLine } from '../support/run-aos.ts';

const waitFor = <T>(look: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(look, { timeout: 20_000, interval: 20 });

const idOf = async (sent: Promise<unknown>): Promise<string> => {
  const data = await sent;
  return typeof data === 'object' && data !== null && 'id' in data ? String(data.id) : '';
};

describe('aos why tells every step with its time of', () => {
  const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`;
  const steps = (...words: readonly string[]): RegExp =>
    new RegExp(`\n\n${words.map((what) => `${time}  ${what}\n`).join('')}\n`);

  test('a message that was delivered and read', async () => {
    await using relay = await relayHome('jean', 'sam');
    putIntoOutbox(relay.home, 'sam', 'TO: jean\n\nhello\n');
    const [found] = await waitFor(() => {
      const taken = [...takeFromInbox(relay.home, 'jean')];
      expect(taken).toHaveLength(1);
      return taken;
    });

    const why = await waitFor(async () => {
      const { stdout } = await relay.aos('why', found?.headers['ID'] ?? '');
      expect(stdout).toContain('read by jean');
      return stdout;
    });

    const [accepted, archived] = [
      String.raw`accepted from sam as the file \S+\.msg`,
      'its file was moved to the archive',
    ];
    const delivered = 'delivered to jean as a file in its inbox';
    // The file is put away while its message is delivered.
    const either = `(?:${archived}\n${time}  ${delivered}|${delivered}\n${time}  ${archived})`;
    expect(why).toMatch(steps(accepted, either, 'read by jean'));
    expect(why).toMatch(/\njean {2}read {2}1 attempt, by inbox\n$/);
  });

  test('one that expired', async () => {
    await using relay = await relayHome('jean');
    const id = await idOf(relay.data('send', 'jean', 'soon old', '--ttl', '1s'));

    const why = await waitFor(async () => {
      const { stdout } = await relay.aos('why', id);
      expect(stdout).toContain('was told');
      return stdout;
    });

    expect(why).toMatch(
      steps(
        'accepted from owner',
        'delivered to jean as a file in its inbox',
        'expired for jean: it was not read in time',
        'owner was told by nack [0-9a-f]{32}',
      ),
    );
    expect(lookIntoInbox(relay.home, 'jean')).toEqual([]);
    const inbox = await relay.aos('inbox');
    expect(inbox.stdout).toContain('Your message to jean has expired: it was not read in time.');
  });

  test('one that its recipient refused', async () => {
    await using relay = await relayHome('jean');
    const id = await idOf(relay.data('send', 'jean', 'do it', '--kind', 'request'));
    await relay.aos('nack', id, 'there is no such branch', '--as', 'jean');

    const why = await relay.aos('why', id);

    expect(why.stdout).toMatch(
      /\n\S+Z {2}dead for jean: jean refused it: there is no such branch\n\S+Z {2}jean answered with nack /,
    );
    const inbox = await relay.aos('inbox');
    expect(inbox.stdout).toContain('there is no such branch');
  });

  test('files that are no messages', async () => {
    await using relay = await relayHome('jean', ...Object.keys(faultyFiles));
    const names = Object.entries(faultyFiles).map(([sender, { text }]) => [
      sender,
      putIntoOutbox(relay.home, sender, text),
    ]);

    for (const [sender = '', name] of names) {
      const [nack] = await waitFor(() => {
        const found = lookIntoInbox(relay.home, sender);
        expect(found).toHaveLength(1);
        return found;
      });

      const why = await relay.aos('why', nack?.headers['RE'] ?? '');
      expect(nack).toMatchObject({ headers: { KIND: 'nack', FROM: '__orchestrator__' } });
      expect(nack?.body).toContain(`The file was ${name}.`);
      expect(nack?.body).toContain(faultyFiles[sender]?.words);
      expect(nack?.body).not.toMatch(/[.?]\./);
      expect(why.stdout).toMatch(/\n\S+Z {2}came from \S+ as the file \S+\.msg and was refused: /);
      expect(why.stdout).toMatch(/\n\S+Z {2}\S+ was told by nack [0-9a-f]{32}\n/);
    }
    expect(lookIntoInbox(relay.home, 'jean')).toEqual([]);
  });

  const faultyFiles: Record<string, { readonly text: string; readonly words: string }> = {
    headless: { text: 'hello\n\nhello\n', words: 'Line 1' },
    unblanked: { text: 'TO: jean\n', words: 'blank line' },
    unkind: { text: 'TO: jean\nKIND: letter\n\nhello\n', words: 'letter' },
    misspelt: { text: 'TO: jean\nKIND: requst\n\nhi\n', words: 'Did you mean "request"? The' },
    unchecked: { text: `TO: jean\nCHECKSUM: sha256:${'0'.repeat(64)}\n\nhi\n`, words: 'CHECKSUM' },
    lonely: { text: 'TO: nobody\n\nhello\n', words: 'There is no agent "nobody"' },
    pushy: {
      text: 'TO: __orchestrator__\nKIND: release\n\nNAME: jean\n',
      words: 'lacks the capability agent:',
    },
  };

  test('a symlink in an outbox', async () => {
    await using relay = await relayHome('jean', 'sam');
    writeFileSync(relay.folder.at('secret'), 'TO: jean\n\na secret\n');
    symlinkSync(relay.folder.at('secret'), join(outboxOf(relay.home, 'sam'), '1-aaaaaaaa.msg'));

    const [nack] = await waitFor(() => {
      const found = lookIntoInbox(relay.home, 'sam');
      expect(found).toHaveLength(1);
      return found;
    });

    expect(nack?.body).toContain('is a symlink, and only ordinary files are read');
    expect(lookIntoInbox(relay.home, 'jean')).toEqual([]);
    expect(readFileSync(relay.folder.at('secret'), 'utf8')).toContain('a secret');
  });
});

describe('two agents', () => {
  test('ask and answer each other, one by files and one by commands', async () => {
    await using relay = await relayHome('jean', 'sam');
    const { home } = relay;

    const asking = relay.aos('request', 'jean', 'how much?', '--from', 'sam');
    await answerByFile(home, 'jean', '42\n');
    const answered = await asking;
    putIntoOutbox(home, 'jean', 'TO: sam\nKIND: request\n\nsure?\n');
    const asked = await waitFor(async () => {
      const run = await relay.aos('--json', 'inbox', 'sam');
      const [item] = JSON.parse(run.stdout).data.items;
      expect(item).toBeDefined();
      return item;
    });
    const words = ['send', 'jean', 'yes', '--kind', 'response', '--re', asked.id, '--from', 'sam'];
    const sent = await relay.aos(...words);

    expect(answered).toMatchObject({ code: 0, stdout: '42\n', stderr: '' });
    expect(sent).toMatchObject({ code: 0, stderr: '' });
    await waitFor(() =>
      expect(lookIntoInbox(home, 'jean')).toMatchObject([
        { headers: { FROM: 'sam', KIND: 'response', RE: asked.id }, body: 'yes' },
      ]),
    );
    const why = await relay.aos('why', asked.id);
    expect(why.stdout).toMatch(/\nsam {2}acked {2}/);
  });

  async function answerByFile(home: string, agent: string, body: string): Promise<void> {
    const [asked] = await waitFor(() => {
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
    await using relay = await relayHome('jean');
    const id = await idOf(relay.data('send', 'jean', 'hello', '--kind', 'request'));

    const answers = [
      await relay.data('inbox', 'jean', '--peek'),
      await relay.data('ack', id, 'done', '--as', 'jean'),
      await relay.data('why', id),
      await relay.data('channel', 'join', 'news', 'jean'),
      await relay.data('channel', 'ls'),
      await relay.data('lead', 'set', 'jean'),
      await relay.data('lead'),
      await relay.data('inbox'),
    ];

    expect(answers).toMatchObject([
      { items: [{ id, from: 'owner', body: 'hello' }] },
      { id, state: 'acked' },
      { id, deliveries: [{ recipient: 'jean', state: 'acked' }] },
      { channel: '#news', agent: 'jean', joined: true },
      { items: [{ channel: '#news', agents: ['jean'] }] },
      { name: 'jean', released: 0 },
      { name: 'jean' },
      { items: [{ kind: 'ack', from: 'jean', re: id, body: 'done' }] },
    ]);
  });

  test('refuse in words what they do not understand', async () => {
    await using relay = await relayHome('jean');

    for (const [words, code, wanted] of refusals) {
      const run = await relay.aos(...words);

      expect(run, words.join(' ')).toMatchObject({ code, stdout: '' });
      expect(run.stderr).toContain(wanted);
      expect(run.stderr).toMatch(/^error: .+\n/);
      expect(run.stderr).not.toMatch(stackLine);
    }
  });

  const refusals = [
    [['sned', 'jean', 'hello'], 2, 'Did you mean "send"?'],
    [['send', 'jaen', 'hello'], 4, 'jaen'],
    [['send', 'jean', 'hello', '--kind', 'requst'], 2, 'requst'],
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
    [['request', 'jean', 'hello?']],
    [['inbox', '--follow']],
    [['send', 'jean', 'hello', '--kind', 'request', '--wait', 'acked']],
  ])('aos %j ends at Ctrl-C', async (words) => {
    await using relay = await relayHome('jean');
    const child = spawn(process.execPath, [launcher, '--home', relay.home, ...words], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const ended = once(child, 'close');
    if (words[0] === 'inbox') await relay.aos('send', 'owner', 'look');
    await (words[0] === 'inbox'
      ? once(child.stdout, 'data')
      : waitFor(() => expect(lookIntoInbox(relay.home, 'jean')).toHaveLength(1)));

    child.kill('SIGINT');

    const [code] = await ended;
    expect(code).toBe(130);
    expect(stderr).not.toMatch(stackLine);
  });
});
