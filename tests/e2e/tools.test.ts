/** Capabilities, tools, approvals and secrets as their users use them: by command. */
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { delimiter, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { WireApproval } from '../../src/gateway/contract.ts';
import { type RelayHome, relayHome } from '../support/relay-home.ts';
import { programScript, type Run, runAos, runProgram, stackLine } from '../support/run-aos.ts';
import { startDaemon } from '../support/running-daemon.ts';

interface ToolHome extends RelayHome {
  /** A file that holds "hello". */
  readonly path: string;
  /** The words with which jean reads it. */
  readonly call: readonly string[];
}

async function toolHome(): Promise<ToolHome> {
  const relay = await relayHome('jean', 'sam');
  const path = relay.folder.at('note.txt');
  writeFileSync(path, 'hello');
  const call = ['tool', 'call', 'file.read', '--args', JSON.stringify({ path }), '--as', 'jean'];
  return Object.assign(relay, { path, call });
}

/** A line as it would be pasted into a shell. */
function inShell({ folder, home }: RelayHome, line: string): Promise<Run> {
  writeFileSync(folder.at('aos'), programScript(), { mode: 0o755 });
  const path = `${folder.path}${delimiter}${process.env['PATH']}`;
  return runProgram('bash', ['-c', line], { env: { PATH: path, AOS_HOME: home } });
}

const fixIn = ({ stderr }: Run): string => /^ {2}try: (.*)$/m.exec(stderr)?.[1] ?? '';

describe('a call without a grant', () => {
  test('ends with 3, and the command that it names lets it pass', async () => {
    await using home = await toolHome();

    const denied = await home.aos(...home.call);
    const pasted = await inShell(home, fixIn(denied));
    const allowed = await home.aos(...home.call);

    expect(denied).toMatchObject({ code: 3, stdout: '' });
    expect(denied.stderr).toContain(`lacks the capability file:${home.path}:read`);
    expect(denied.stderr).not.toMatch(stackLine);
    expect(pasted).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(allowed.stdout)).toMatchObject({ path: home.path, content: 'hello' });
  });

  test('of a name that means something to a shell passes with the pasted command too', async () => {
    await using home = await toolHome();
    const path = home.folder.at("a 'b' $(touch x).txt");
    writeFileSync(path, 'odd');
    const call = ['tool', 'call', 'file.read', '--args', JSON.stringify({ path }), '--as', 'jean'];

    const pasted = await inShell(home, fixIn(await home.aos(...call)));
    const allowed = await home.aos(...call);

    expect(pasted).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(allowed.stdout)).toMatchObject({ content: 'odd' });
  });

  test('stands in the audit with the canonical resource', async () => {
    await using home = await toolHome();
    await home.aos(...home.call);

    const audit = await home.aos('audit', '--kind', 'capability.denied', '--json');

    expect(JSON.parse(audit.stdout)).toMatchObject({
      ...{ actor: 'agent:jean', kind: 'capability.denied', subject: `file:${home.path}:read` },
    });
  });
});

describe('aos cap', () => {
  test('check --why explains both answers', async () => {
    await using home = await toolHome();
    const question = ['cap', 'check', 'jean', 'read', `file:${home.path}`, '--why'];

    const no = await home.aos(...question);
    await inShell(home, fixIn(no));
    const yes = await home.aos(...question);

    expect(no).toMatchObject({ code: 3, stdout: '' });
    expect(no.stderr).toContain('and holds nothing that comes near it');
    expect(yes).toMatchObject({ code: 0, stderr: '' });
    expect(yes.stdout).toMatch(
      /\n {2}allowed by {2}grant [0-9a-f]{32} .* owner gave it to jean\n$/,
    );
  });

  test('revoke takes back by name what was delegated on, and its use ends at once', async () => {
    await using home = await toolHome();
    const capability = `file:${home.path}:read`;
    await home.aos('cap', 'grant', 'sam', capability);
    await home.aos('cap', 'delegate', 'sam', 'jean', capability);
    const before = await home.aos(...home.call);

    const revoked = await home.aos('cap', 'revoke', 'sam', capability);
    const after = await home.aos(...home.call);

    expect(before.code).toBe(0);
    expect(revoked.stdout).toBe(
      `1 grant of sam for ${capability} was revoked. 1 more ended with that, delegated from there.\n`,
    );
    expect(after).toMatchObject({ code: 3, stdout: '' });
    expect(after.stderr).toContain('was revoked');
    expect((await home.aos('cap', 'ls', 'jean')).stdout).not.toContain('file:');
  });
});

/** Where jean may read the file once somebody has approved it. */
async function askingHome(): Promise<ToolHome> {
  const home = await toolHome();
  await home.aos('cap', 'grant', 'jean', `file:${home.path}:read`, '--ask');
  return home;
}

function waitingApproval(home: RelayHome): Promise<WireApproval> {
  return vi.waitFor(
    async () => {
      const [found] = (await home.daemon.client.approvals({})).items;
      if (found === undefined) throw new Error('nothing waits yet');
      return home.daemon.client.approval(found.id);
    },
    { timeout: 20_000, interval: 20 },
  );
}

describe('aos approvals', () => {
  test('lets a call go on for which another process waits', async () => {
    await using home = await askingHome();

    const first = await home.aos(...home.call);
    const listed = await home.aos('approvals');
    const refused = await home.aos(
      'approvals',
      'deny',
      listed.stdout.slice(0, 12),
      '--reason',
      'x',
    );
    const waiting = home.aos(...home.call, '--wait', '15s');
    const { id } = await waitingApproval(home);
    const approved = await home.aos('approvals', 'approve', id, '--yes');

    expect(first).toMatchObject({ code: 5, stdout: '' });
    expect(fixIn(first)).toMatch(/^aos approvals approve [0-9a-f]{32}$/);
    expect(listed.stdout).toContain('  jean  file.read  asked ');
    expect(refused.code).toBe(0);
    expect(approved).toMatchObject({ code: 0 });
    expect(approved.stderr).toContain(`WANTS: "file:${home.path}:read"`);
    expect(JSON.parse((await waiting).stdout)).toMatchObject({ content: 'hello' });
  });

  test('asks nobody where nobody sits, and needs --yes there', async () => {
    await using home = await askingHome();
    await home.aos(...home.call);
    const { id } = await waitingApproval(home);

    const run = await home.aos('approvals', 'approve', id);

    expect(run).toMatchObject({ code: 5, stdout: '' });
    expect(run.stderr).toContain(`aos approvals approve ${id} --yes`);
    expect(await home.daemon.client.approval(id)).toMatchObject({ state: 'waiting' });
  });

  test('approves after a restart what was asked before it', async () => {
    await using home = await askingHome();
    const waiting = home.aos(...home.call, '--wait', '18s');
    const { id } = await waitingApproval(home);
    await home.aos('down');
    await using _daemon = await startDaemon(home.home);

    const approved = await home.aos('approvals', 'approve', id, '--yes');

    expect(approved).toMatchObject({ code: 0 });
    expect(JSON.parse((await waiting).stdout)).toMatchObject({ content: 'hello' });
  });

  test('approves without a daemon, and the call has its time', async () => {
    await using home = await toolHome();
    await using silent = await silentServer();
    const place = `127.0.0.1:${silent.port}/`;
    const args = JSON.stringify({ url: `http://${place}`, timeout_ms: 1500 });
    await home.aos('cap', 'grant', 'jean', `http:${place}:get`, '--ask');
    await home.aos('tool', 'call', 'http.fetch', '--args', args, '--as', 'jean');
    const { id, call_id } = await waitingApproval(home);
    await home.aos('down');

    const approved = await home.aos('approvals', 'approve', id, '--yes');
    const call = await home.data('tool', 'calls', call_id);

    expect(approved.stdout).toContain(`The call ${call_id} of http.fetch has failed: `);
    expect(call).toMatchObject({ state: 'failed', error: { code: 'http.unreachable' } });
  });

  test('tells the caller the reason of a denial, and can be answered once', async () => {
    await using home = await askingHome();
    const waiting = home.aos(...home.call, '--wait', '15s');
    const { id } = await waitingApproval(home);

    await home.aos('approvals', 'deny', id, '--reason', 'not on a Friday');
    const late = await home.aos('approvals', 'approve', id, '--yes');

    const run = await waiting;
    expect(run).toMatchObject({ code: 3, stdout: '' });
    expect(run.stderr).toContain('not on a Friday');
    expect(late).toMatchObject({ code: 5, stdout: '' });
    expect(late.stderr).toContain(`Approval ${id} is denied already`);
  });
});

/** Takes every connection, and says nothing. */
async function silentServer(): Promise<{ readonly port: number } & AsyncDisposable> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => sockets.add(socket.on('error', () => {})));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await once(server.close(), 'close');
    },
  };
}

const canary = 'c4nary-of-a-secret';

describe('aos secret', () => {
  test('comes by stdin and from a file, and stands in no file of the home', async () => {
    await using home = await relayHome();
    writeFileSync(home.folder.at('value'), `${canary}\n`);
    const words = ['--home', home.home, 'secret', 'set'];
    const pipe = ['bash', '-c', 'printf %s "$VALUE" | "$@"', 'bash'];

    const runs = [
      await runAos([...words, 'ONE'], { through: pipe, env: { VALUE: `${canary}-1` } }),
      await home.aos('secret', 'set', 'TWO', '--file', home.folder.at('value')),
      await home.aos('secret', 'ls'),
      await home.aos('secret', 'ls', '--json'),
    ];

    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(runs[2]?.stdout).toMatch(/^ONE {2}.*\nTWO {2}.*\n$/);
    for (const { stdout, stderr } of runs) expect(stdout + stderr).not.toContain(canary);
    expect(filesWith(home.home, canary)).toEqual([]);
  });

  test('is no word of the command', async () => {
    await using home = await relayHome();

    const run = await home.aos('secret', 'set', 'ONE', canary);

    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toMatch(/^error: .* with ps, .*\n {2}try: Pipe it in, or use --file/);
    expect(run.stderr).not.toContain(canary);
  });

  test('is not taken from an empty pipe', async () => {
    await using home = await relayHome();

    const run = await home.aos('secret', 'set', 'ONE');

    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(await home.data('secret', 'ls')).toEqual({ items: [] });
  });
});

function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(text));
}

test('every command answers with --json, in one line', async () => {
  await using home = await askingHome();
  writeFileSync(home.folder.at('value'), canary);
  const capability = 'memory:working/**:write';
  const stored = ['tool', 'call', 'memory.store', '--args', '{"key":"a","value":"b"}'];
  const needed = await home.aos(...home.call, '--json');
  const { call_id, approval } = JSON.parse(needed.stdout).error.details;

  const answers = [
    await home.data('cap', 'grant', 'jean', capability),
    await home.data('cap', 'delegate', 'jean', 'sam', capability),
    await home.data('cap', 'ls', 'sam'),
    await home.data('cap', 'check', 'sam', 'write', 'memory:working/a'),
    await home.data('tool', 'ls', 'memory.store'),
    await home.data(...stored, '--as', 'sam'),
    await home.data('tool', 'calls', '--agent', 'sam'),
    await home.data('cap', 'revoke', 'jean', capability),
    await home.data('approvals'),
    await home.data('approvals', 'show', approval),
    await home.data('approvals', 'approve', approval, '--yes'),
    await home.data('tool', 'calls', call_id),
    await home.data('secret', 'set', 'ONE', '--file', home.folder.at('value')),
    await home.data('secret', 'ls'),
    await home.data('secret', 'rm', 'ONE'),
  ];
  const resolved = await home.aos('resolve', call_id, 'done', '--json');

  expect(answers).toMatchObject([
    { agent: 'jean', capability, origin: 'owner' },
    { agent: 'sam', capability, origin: 'delegation' },
    { items: [{ origin: 'default' }, { origin: 'default' }, { capability }], next: null },
    { allowed: true, chain: [{ agent: 'sam' }, { agent: 'jean' }] },
    { name: 'memory.store', input_schema: { type: 'object' } },
    { state: 'answered', trust: 'data', output: { key: 'a', version: 1 } },
    { items: [{ agent: 'sam', tool: 'memory.store', state: 'answered' }] },
    { revoked: [{ agent: 'jean' }], below: 1 },
    { items: [{ id: approval, state: 'waiting' }] },
    { id: approval, call_id, shown: expect.any(String), hash: expect.any(String) },
    { id: approval, state: 'approved', scope: 'once' },
    { call_id, state: 'answered', output: { content: 'hello' } },
    { name: 'ONE', replaced: false },
    { items: [{ name: 'ONE', host: null }] },
    { name: 'ONE', removed: true },
  ]);
  expect(needed).toMatchObject({ code: 5, stderr: '' });
  expect(JSON.parse(resolved.stdout)).toMatchObject({
    ok: false,
    error: { code: 'tool.not-unsure' },
  });
});
