import { hash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type CommandHome, commandHome } from '../../../tests/support/command-home.ts';
import { openOnce } from '../../../tests/support/open-once.ts';
import { until } from '../../../tests/support/until.ts';
import { AosError } from '../../kernel/errors.ts';
import { endCall, insertCall } from '../../ledger/security/journal.ts';

/** A home with a file that jean may read, and how to read it. */
async function homeToRead(choices: { readonly ask?: boolean } = {}) {
  const home = await commandHome('jean');
  const path = home.home.at('note.txt');
  writeFileSync(path, 'hello \u202e\u001b[2J');
  await home.client.grant({ agent: 'jean', capability: `file:${path}:read`, ...choices });
  const call = ['tool', 'call', 'file.read', '--args', JSON.stringify({ path }), '--as', 'jean'];
  return Object.assign(home, { path, call });
}

/** For those that change nothing. */
const looked = openOnce(() => commandHome('jean'));

describe('aos tool ls', () => {
  test('lists the tools, and what one takes', async () => {
    const home = looked();

    const all = await home.aos(['tool', 'ls']);
    const one = await home.aos(['tool', 'ls', 'message.inbox']);

    expect(all.stdout).toMatch(/^file\.read +Read a file/m);
    expect(one.stdout).toMatch(/^message\.inbox: Read the messages/);
    expect(one.stdout).toContain('\n  limit  whole number from 1 to 100  20 if not said\n');
    expect(one.stdout).toMatch(/\n {2}take {3}true or false {10,}true if not said {2}Whether /);
  });

  test('suggests a tool for a name that none has', async () => {
    const home = looked();

    const run = await home.aos(['tool', 'ls', 'file.raed']);

    expect(run).toMatchObject({ code: 4, stdout: '' });
    expect(run.stderr).toContain('Did you mean "file.read"?');
  });
});

describe('aos tool call', () => {
  test('prints what the tool brings, and nothing of it can move the cursor', async () => {
    await using home = await homeToRead();

    const run = await home.aos(home.call);

    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).not.toMatch(/[\u001b\u202e]/);
    expect(JSON.parse(run.stdout)).toMatchObject({ content: 'hello \u202e\u001b[2J' });
  });

  test('takes its arguments from a file, from a pipe, or has none', async () => {
    await using home = await homeToRead();
    const args = JSON.stringify({ path: home.path });
    writeFileSync(home.home.at('args.json'), args);
    const read = ['tool', 'call', 'file.read'];

    const runs = [
      await home.aos([...read, '--args-file', home.home.at('args.json')], { agent: 'jean' }),
      await home.aos([...read, '--args', '-'], { agent: 'jean', piped: args }),
      await home.aos(['tool', 'call', 'tool.list']),
    ];

    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0]);
    const { items } = await home.client.calls({});
    expect(items).toMatchObject([{ agent: 'owner' }, { agent: 'jean' }, { agent: 'jean' }]);
  });

  test('under a key that was used before is the call of before', async () => {
    await using home = await homeToRead();

    const first = await home.data([...home.call, '--key', 'k', '--timeout', '5s']);
    const second = await home.data([...home.call, '--key', 'k']);

    expect(second).toEqual(first);
    expect((await home.client.calls({})).items).toHaveLength(1);
  });

  test.each([
    [['file.raed'], 4, 'Did you mean "file.read"?'],
    [['..'], 4, 'There is no tool ".."'],
    [['file.read', '--args', '{'], 2, 'are no JSON'],
    [['file.read', '--args', '{}', '--args-file', 'x'], 2, 'are given twice'],
    [['file.read', '--args-file', '/nope/none'], 4, '/nope/none'],
    [['file.read', '--args', '{"path":1}'], 2, '"path" of file.read'],
    [['tool.list', '--timeout', '2h'], 2, 'at most 1h'],
    [['tool.list', '--timeout', 'soon'], 2, '--timeout wants a time'],
    [['tool.list', '--key', 'a b'], 2, '--key wants'],
    [['tool.list', '--wait', '0'], 2, '--wait wants a time'],
    [['tool.list', '--as', 'nobody'], 4, 'nobody'],
  ])('%j is refused in words', async (words, code, message) => {
    const home = looked();

    const run = await home.aos(['tool', 'call', ...words]);

    expect(run).toMatchObject({ code, stdout: '' });
    expect(run.stderr).toContain(message);
    expect(run.stderr).not.toMatch(/^\s+at /m);
  });

  test('of more than a call may have is refused', async () => {
    const home = looked();

    const run = await home.aos(['tool', 'call', 'tool.list', '--args', '-'], {
      piped: ' '.repeat(4 * 1024 * 1024 + 1),
    });

    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toContain('is larger than 4.0 MiB');
  });

  test('that has to be approved ends with 5 and says how', async () => {
    await using home = await homeToRead({ ask: true });

    const run = await home.aos(home.call);
    const late = await home.aos([...home.call, '--wait', '50ms']);

    const [, approval] = (await home.client.approvals({})).items;
    expect(run).toMatchObject({ code: 5, stdout: '' });
    expect(run.stderr).toContain(`  try: aos approvals approve ${approval?.id}\n`);
    expect(run.stderr).toContain(`aos tool calls ${approval?.call_id}`);
    expect(late).toMatchObject({ code: 5, stdout: '' });
  });

  test('--wait gets the answer once somebody has approved it', async () => {
    await using home = await homeToRead({ ask: true });

    const waiting = home.aos([...home.call, '--wait', '20s', '--json']);
    const approval = await waitingApproval(home);
    await home.client.approve(approval.id, { hash: approval.hash, scope: 'once' });

    const { code, stdout } = await waiting;
    expect(code).toBe(0);
    expect(JSON.parse(stdout).data).toMatchObject({
      ...{ call_id: approval.call_id, state: 'answered', trust: 'data', approval: approval.id },
      output: { path: home.path },
    });
  });

  test('--wait tells the reason when somebody has denied it', async () => {
    await using home = await homeToRead({ ask: true });

    const waiting = home.aos([...home.call, '--wait', '20s']);
    const approval = await waitingApproval(home);
    await home.client.deny(approval.id, { hash: approval.hash, reason: 'not on a Friday' });

    const run = await waiting;
    expect(run).toMatchObject({ code: 3, stdout: '' });
    expect(run.stderr).toContain('not on a Friday');
  });
});

async function waitingApproval(home: CommandHome) {
  return until(async () => {
    const [approval] = (await home.client.approvals({})).items;
    if (approval === undefined) throw new Error('nobody has asked yet');
    return approval;
  });
}

describe('aos tool calls', () => {
  test('lists the newest first, of an agent and in a state', async () => {
    await using home = await homeToRead();
    await home.aos(home.call);
    await home.aos(['tool', 'call', 'file.read', '--args', '{"path":"/x"}', '--as', 'jean']);
    await home.aos(['tool', 'call', 'tool.list']);

    const all = await home.aos(['tool', 'calls']);
    const failed = await home.aos(['tool', 'calls', '--agent', 'jean', '--state', 'failed']);
    const one = await home.aos(['tool', 'calls', '--as', 'jean', '--limit', '1']);
    const owned = await home.aos(['tool', 'calls', '--agent', 'owner']);

    expect(all.stdout).toMatch(/^\w+ {2}owner .*\n\w+ {2}jean .*\n\w+ {2}jean .*\n$/);
    expect(failed.stdout).toMatch(/^\w+ {2}jean {2}file\.read {2}failed {2}.* lacks .*\n$/);
    expect(one.stdout.split('\n')).toHaveLength(2);
    expect(owned.stdout).toMatch(/^\w+ {2}owner {2}tool\.list .*\n$/);
  });

  test('tells the whole of one by the beginning of its id', async () => {
    await using home = await homeToRead();
    await home.aos(home.call);
    const [call] = (await home.client.calls({})).items;

    const run = await home.aos(['tool', 'calls', call?.call_id.slice(0, 20) ?? '']);

    expect(run.stdout).toContain(`\ntool       file.read (read)\nstate      answered\n`);
    expect(run.stdout).toContain(`"content": "hello \\u202e\\u001b[2J"`);
  });

  test.each([
    [['0'.repeat(32)], 4],
    [['..'], 2],
    [['--state', 'lost'], 2],
    [['--limit', '0'], 2],
    [['--agent', 'nobody'], 4],
  ])('%j is refused', async (words, code) => {
    const home = looked();

    expect(await home.aos(['tool', 'calls', ...words])).toMatchObject({ code, stdout: '' });
  });
});

/** A home in which a call of jean waits. */
async function homeThatWaits() {
  const home = await homeToRead({ ask: true });
  await home.aos(home.call);
  const [found] = (await home.client.approvals({})).items;
  const approval = await home.client.approval(found?.id ?? '');
  return Object.assign(home, { approval });
}

const approve = ({ id }: { readonly id: string }, ...words: readonly string[]) => [
  ...['approvals', 'approve', id],
  ...words,
];

describe('aos approvals', () => {
  test('lists what waits, and with --all what was answered', async () => {
    await using home = await homeThatWaits();
    const { id } = home.approval;

    const waiting = await home.aos(['approvals']);
    await home.aos(['approvals', 'deny', id.slice(0, 20), '--reason', 'no']);
    const none = await home.aos(['approvals']);
    const all = await home.aos(['approvals', '--all']);

    expect(waiting.stdout).toMatch(
      /^\w{16} {2}jean {2}file\.read {2}asked \d s ago {2}expires in 23 h 59 min {2}grant \w+ asks before each use\n$/,
    );
    expect(none.stdout).toBe('Nothing waits for an approval.\n');
    expect(all.stdout).toContain('  denied by owner: no  ');
  });

  test('shows the whole, and its hash', async () => {
    await using home = await homeThatWaits();
    const { id, shown, hash: shownHash } = home.approval;

    const run = await home.aos(['approvals', 'show', id]);

    expect(run.stdout).toContain(`\n\n${shown}\nHASH: ${shownHash}\n`);
  });

  test.each([
    ['y\n', 'once', []],
    ['YES\n', 'always', ['--always']],
  ])('asks once at a terminal, and %j is yes to %s', async (typed, scope, words) => {
    await using home = await homeThatWaits();

    const run = await home.aos(approve(home.approval, ...words), { typed });

    expect(run.stdout).toBe(
      `Approved ${scope}. The call ${home.approval.call_id} of file.read is answered.\n`,
    );
    expect(run.stderr).toContain(home.approval.shown);
    expect(run.stderr).toMatch(new RegExp(`Approve ${scope}\\? .* \\[y/N\\] $`));
    expect((await home.aos(home.call)).code).toBe(scope === 'always' ? 0 : 5);
  });

  test.each([['n\n'], ['\n'], ['yes please\n'], ['']])('%j is no', async (typed) => {
    await using home = await homeThatWaits();

    const run = await home.aos(approve(home.approval), { typed });

    expect(run).toMatchObject({ code: 5, stdout: '' });
    expect(await home.client.approval(home.approval.id)).toMatchObject({ state: 'waiting' });
  });

  test('Ctrl-C at the question approves nothing', async () => {
    await using home = await homeThatWaits();
    const stop = new AbortController();

    const asked = Promise.withResolvers<void>();
    const onErr = (text: string): void => {
      if (text.includes('[y/N]')) asked.resolve();
    };

    const asking = home.aos(approve(home.approval), { signal: stop.signal, onErr });
    await asked.promise;
    stop.abort(new AosError('interrupted.signal', { message: 'Stopped' }));

    expect(await asking).toMatchObject({ code: 130, stdout: '' });
    expect(await home.client.approval(home.approval.id)).toMatchObject({ state: 'waiting' });
  });

  test('without a terminal takes --yes, and says so', async () => {
    await using home = await homeThatWaits();

    const without = await home.aos(approve(home.approval), { piped: 'y\n' });
    const between = await home.client.approval(home.approval.id);
    const run = await home.aos(approve(home.approval, '--yes'), { piped: '' });

    expect(without).toMatchObject({ code: 5, stdout: '' });
    expect(without.stderr).toContain(`aos approvals approve ${home.approval.id} --yes`);
    expect(between.state).toBe('waiting');
    expect(run.code).toBe(0);
  });

  test('--hash has to be that of what is shown', async () => {
    await using home = await homeThatWaits();

    const wrong = await home.aos(approve(home.approval, '--yes', '--hash', hash('sha256', 'x')));
    const right = await home.aos(approve(home.approval, '--yes', '--hash', home.approval.hash));

    expect(wrong).toMatchObject({ code: 5, stdout: '' });
    expect(wrong.stderr).toContain('is not what approval');
    expect(right.code).toBe(0);
  });

  test('what was answered is refused, without a question', async () => {
    await using home = await homeThatWaits();
    await home.aos(approve(home.approval, '--yes'));

    const runs = [
      await home.aos(approve(home.approval), { typed: 'y\n' }),
      await home.aos(['approvals', 'deny', home.approval.id, '--reason', 'late']),
    ];

    for (const run of runs) {
      expect(run).toMatchObject({ code: 5, stdout: '' });
      expect(run.stderr).toMatch(/^error: Approval \w+ is approved already\n/);
    }
  });

  test('what has expired is refused', async () => {
    await using home = await homeThatWaits();
    const { id } = home.approval;
    await home.ledger.transact((tx) =>
      tx.run('update approvals set expires_at = 1 where id = $1', [id]),
    );

    const listed = await home.aos(['approvals']);
    const run = await home.aos(approve(home.approval, '--yes'));

    expect(listed.stdout).toContain('  expired  ');
    expect(run).toMatchObject({ code: 5, stdout: '' });
    expect(run.stderr).toContain(`Approval ${id} is expired already`);
  });

  test('tells when the call could not go on', async () => {
    await using home = await homeThatWaits();
    const { items } = await home.client.grants({ agent: 'jean' });
    const held = items.find(({ capability }) => capability.startsWith('file:'));
    await home.client.revoke(held?.id ?? '');

    const run = await home.aos(approve(home.approval, '--yes'));

    expect(run.stdout).toMatch(/^Approved once\. The call \w+ of file\.read has failed: .* lacks /);
  });

  test.each([
    [['--all', 'show', '0123'], 2, 'has no option "--all"'],
    [['aprove', '0123'], 2, 'Did you mean "approve"?'],
    [['show', '0'.repeat(32)], 4, 'There is no approval'],
    [['approve', 'x', '--yes'], 2, 'is no id of an approval'],
    [['deny', '0123'], 2, '--reason'],
  ])('%j is refused in words', async (words, code, message) => {
    const home = looked();

    const run = await home.aos(['approvals', ...words]);

    expect(run).toMatchObject({ code, stdout: '' });
    expect(run.stderr).toContain(message);
  });
});

const unsureId = '018d3e4b7a10'.padEnd(32, 'a');

/** A home in which a call of jean was cut off. */
async function homeThatIsUnsure(): Promise<CommandHome> {
  const home = await commandHome('jean');
  await home.client.grant({ agent: 'jean', capability: 'memory:working/**:write' });
  const args = JSON.stringify({ key: 'a', value: 'b' });
  await home.ledger.transact(async (tx) => {
    await insertCall(tx, {
      ...{ call_id: unsureId, principal: 'agent:jean', tool: 'memory.store', effect: 'write' },
      ...{ repeatable: 0, state: 'started', idempotency_key: unsureId, arguments: args },
      ...{ arguments_digest: hash('sha256', args), asked_at: 1, started_at: 1 },
    });
    const result = JSON.stringify({ code: 'tool.unsure', message: 'Nobody knows' });
    await endCall(tx, unsureId, { from: 'started', to: 'unsure', result, at: 2 });
  });
  return home;
}

describe('aos resolve', () => {
  test.each([
    ['done', 'counts as done: it had its effect, and is not made again.', 'answered'],
    ['fail', 'counts as failed: it had no effect, and is not made again.', 'failed'],
    ['redo', 'is made again. It is answered.', 'answered'],
  ])('%s says what that means', async (as, words, state) => {
    await using home = await homeThatIsUnsure();

    const run = await home.aos(['resolve', unsureId.slice(0, 12), as]);

    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toBe(`Call ${unsureId} of memory.store ${words}\n`);
    expect(await home.client.toolCall(unsureId)).toMatchObject({
      ...{ state, runs: as === 'redo' ? 2 : 1 },
    });
  });

  test('redo tells when it failed, which is no failure of the command', async () => {
    await using home = await homeThatIsUnsure();
    await home.aos(['cap', 'revoke', 'jean', 'memory:working/**:write']);

    const run = await home.aos(['resolve', unsureId, 'redo']);

    expect(run.code).toBe(0);
    expect(run.stdout).toMatch(/It has failed: .* lacks the capability memory:/);
  });

  test('what is not unsure is refused, and so is what means nothing', async () => {
    await using home = await homeThatIsUnsure();
    await home.aos(['resolve', unsureId, 'done']);

    const runs = [
      await home.aos(['resolve', unsureId, 'redo']),
      await home.aos(['resolve', '0'.repeat(32), 'done']),
      await home.aos(['resolve', unsureId, 'maybe']),
      await home.aos(['resolve', '..', 'done']),
    ];

    expect(runs.map(({ code }) => code)).toEqual([5, 4, 2, 2]);
  });
});
