/** Capabilities, tools, approvals and secrets as their users use them: by command. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { delimiter } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { WireApproval } from '../../src/gateway/contract/contract.ts';
import { aosHere } from '../support/aos-here.ts';
import { filesWith } from '../support/files-with.ts';
import { type RelayHome, relayHome } from '../support/relay-home.ts';
import { programScript, type Run, runAos, runProgram, stackLine } from '../support/run-aos.ts';
import { startDaemon } from '../support/running-daemon.ts';
import { until } from '../support/until.ts';

// One for all tests that leave its daemon running; each has two agents of its own.
let shared: RelayHome;

beforeAll(async () => {
  shared = await relayHome();
});

afterAll(async () => {
  await shared?.[Symbol.asyncDispose]();
});

type Place = Pick<RelayHome, 'folder' | 'home' | 'daemon'>;

interface ToolHome extends Place {
  readonly jean: string;
  readonly sam: string;
  /** A file that holds "hello". */
  readonly path: string;
  /** The words with which jean reads it. */
  readonly call: readonly string[];
  /** In this process. */
  aos(...words: readonly string[]): Promise<Run>;
  /** What the real program prints with --json as its data. */
  data(...words: readonly string[]): Promise<unknown>;
}

let homes = 0;

async function toolHome(place: Place = shared): Promise<ToolHome> {
  const { folder, home, daemon } = place;
  homes += 1;
  const [jean, sam] = [`jean-${homes}`, `sam-${homes}`];
  for (const name of [jean, sam]) await daemon.client.register(name);
  const path = folder.at(`note-${homes}.txt`);
  writeFileSync(path, 'hello');
  const args = JSON.stringify({ path });
  return {
    ...{ folder, home, daemon, jean, sam, path },
    call: ['tool', 'call', 'file.read', '--args', args, '--as', jean],
    aos: (...words) => aosHere(['--home', home, ...words]),
    data: async (...words) =>
      JSON.parse((await runAos(['--home', home, '--json', ...words])).stdout).data,
  };
}

/** A line as it would be pasted into a shell. */
function inShell({ folder, home }: Place, line: string): Promise<Run> {
  writeFileSync(folder.at('aos'), programScript(), { mode: 0o755 });
  const path = `${folder.path}${delimiter}${process.env['PATH']}`;
  return runProgram('bash', ['-c', line], { env: { PATH: path, AOS_HOME: home } });
}

const fixIn = ({ stderr }: Run): string => /^ {2}try: (.*)$/m.exec(stderr)?.[1] ?? '';

describe('a call without a grant', () => {
  test('ends with 3, and the command that it names lets it pass', async () => {
    const home = await toolHome();

    const denied = await runAos(['--home', home.home, ...home.call]);
    const pasted = await inShell(home, fixIn(denied));
    const allowed = await home.aos(...home.call);

    expect(denied).toMatchObject({ code: 3, stdout: '' });
    expect(denied.stderr).toContain(`lacks the capability file:${home.path}:read`);
    expect(denied.stderr).not.toMatch(stackLine);
    expect(pasted).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(allowed.stdout)).toMatchObject({ path: home.path, content: 'hello' });
  });

  test('of a name that means something to a shell passes with the pasted command too', async () => {
    const home = await toolHome();
    const path = home.folder.at("a 'b' $(touch x).txt");
    writeFileSync(path, 'odd');
    const call = [
      'tool',
      'call',
      'file.read',
      '--args',
      JSON.stringify({ path }),
      '--as',
      home.jean,
    ];

    const pasted = await inShell(home, fixIn(await home.aos(...call)));
    const allowed = await home.aos(...call);

    expect(pasted).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(allowed.stdout)).toMatchObject({ content: 'odd' });
  });

  test('stands in the audit with the canonical resource', async () => {
    const home = await toolHome();
    await home.aos(...home.call);

    const audit = await home.aos('audit', '--actor', `agent:${home.jean}`, '--json');

    expect(JSON.parse(audit.stdout)).toMatchObject({
      ...{ actor: `agent:${home.jean}`, kind: 'capability.denied' },
      subject: `file:${home.path}:read`,
    });
  });
});

describe('aos cap', () => {
  test('check --why explains both answers', async () => {
    const home = await toolHome();
    const question = ['cap', 'check', home.jean, 'read', `file:${home.path}`, '--why'];

    const no = await home.aos(...question);
    await inShell(home, fixIn(no));
    const yes = await home.aos(...question);

    expect(no).toMatchObject({ code: 3, stdout: '' });
    expect(no.stderr).toContain('and holds nothing that comes near it');
    expect(yes).toMatchObject({ code: 0, stderr: '' });
    expect(yes.stdout).toMatch(
      /\n {2}allowed by {2}grant [0-9a-f]{32} .* owner gave it to jean-\d+\n$/,
    );
  });

  test('revoke takes back by name what was delegated on, and its use ends at once', async () => {
    const home = await toolHome();
    const capability = `file:${home.path}:read`;
    await home.aos('cap', 'grant', home.sam, capability);
    await home.aos('cap', 'delegate', home.sam, home.jean, capability);
    const before = await home.aos(...home.call);

    const revoked = await home.aos('cap', 'revoke', home.sam, capability);
    const after = await home.aos(...home.call);

    expect(before.code).toBe(0);
    expect(revoked.stdout).toBe(
      `1 grant of ${home.sam} for ${capability} was revoked. 1 more ended with that, delegated from there.\n`,
    );
    expect(after).toMatchObject({ code: 3, stdout: '' });
    expect(after.stderr).toContain('was revoked');
    expect((await home.aos('cap', 'ls', home.jean)).stdout).not.toContain('file:');
  });
});

/** Where jean may read the file once somebody has approved it. */
async function askingHome(place?: Place): Promise<ToolHome> {
  const home = await toolHome(place);
  await home.aos('cap', 'grant', home.jean, `file:${home.path}:read`, '--ask');
  return home;
}

function waitingApproval({ daemon, jean }: ToolHome): Promise<WireApproval> {
  return until(async () => {
    const { items } = await daemon.client.approvals({});
    const found = items.find(({ agent }) => agent === jean);
    if (found === undefined) throw new Error('nothing waits yet');
    return daemon.client.approval(found.id);
  });
}

describe('aos approvals', () => {
  test('lets a call go on for which another process waits', async () => {
    const home = await askingHome();

    const first = await home.aos(...home.call);
    const listed = await home.aos('approvals');
    const { id: asked } = await waitingApproval(home);
    const refused = await home.aos('approvals', 'deny', asked.slice(0, 12), '--reason', 'x');
    const waiting = runAos(['--home', home.home, ...home.call, '--wait', '15s']);
    const { id } = await waitingApproval(home);
    const approved = await home.aos('approvals', 'approve', id, '--yes');

    expect(first).toMatchObject({ code: 5, stdout: '' });
    expect(fixIn(first)).toMatch(/^aos approvals approve [0-9a-f]{32}$/);
    expect(listed.stdout).toContain(`  ${home.jean}  file.read  asked `);
    expect(refused.code).toBe(0);
    expect(approved).toMatchObject({ code: 0 });
    expect(approved.stderr).toContain(`WANTS: "file:${home.path}:read"`);
    expect(JSON.parse((await waiting).stdout)).toMatchObject({ content: 'hello' });
  });

  test('asks nobody where nobody sits, and needs --yes there', async () => {
    const home = await askingHome();
    await home.aos(...home.call);
    const { id } = await waitingApproval(home);

    const run = await home.aos('approvals', 'approve', id);

    expect(run).toMatchObject({ code: 5, stdout: '' });
    expect(run.stderr).toContain(`aos approvals approve ${id} --yes`);
    expect(await home.daemon.client.approval(id)).toMatchObject({ state: 'waiting' });
  });

  test('approves after a restart, and without a daemon, what was asked before it', async () => {
    await using relay = await relayHome();
    const home = await askingHome(relay);
    await using silent = await silentServer();
    const place = `127.0.0.1:${silent.port}/`;
    const args = JSON.stringify({ url: `http://${place}`, timeout_ms: 300 });
    await home.aos('cap', 'grant', home.sam, `http:${place}:get`, '--ask');
    await home.aos('tool', 'call', 'http.fetch', '--args', args, '--as', home.sam);
    const unheard = await waitingApproval({ ...home, jean: home.sam });
    const waiting = runAos(['--home', home.home, ...home.call, '--wait', '18s']);
    const { id } = await waitingApproval(home);

    await relay.daemon.stop();
    await using again = await startDaemon(home.home);
    const approved = await home.aos('approvals', 'approve', id, '--yes');
    const answered = await waiting;
    await again.stop();
    const words = ['approvals', 'approve', unheard.id, '--yes'];
    const alone = await runAos(['--home', home.home, ...words]);
    const call = await home.data('tool', 'calls', unheard.call_id);

    expect(approved).toMatchObject({ code: 0 });
    expect(JSON.parse(answered.stdout)).toMatchObject({ content: 'hello' });
    // The command waited for the call, which had its time.
    expect(alone.stdout).toContain(`The call ${unheard.call_id} of http.fetch has failed: `);
    expect(call).toMatchObject({ state: 'failed', error: { code: 'http.unreachable' } });
  });

  test('tells the caller the reason of a denial, and can be answered once', async () => {
    const home = await askingHome();
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
    const home = await toolHome();
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
    expect(runs[2]?.stdout).toMatch(/^ONE {2}.*\nTWO {2}.*\n/);
    for (const { stdout, stderr } of runs) expect(stdout + stderr).not.toContain(canary);
    expect(filesWith(home.home, canary)).toEqual([]);
  });

  test('is no word of the command', async () => {
    const home = await toolHome();

    const run = await home.aos('secret', 'set', 'WORD', canary);

    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toMatch(/^error: .* with ps, .*\n {2}try: Pipe it in, or use --file/);
    expect(run.stderr).not.toContain(canary);
  });

  test('is not taken from an empty pipe', async () => {
    const home = await toolHome();

    const run = await home.aos('secret', 'set', 'EMPTY');

    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect((await home.aos('secret', 'ls')).stdout).not.toContain('EMPTY');
  });
});

test('every command answers with --json, in one line', async () => {
  const home = await askingHome();
  const { jean, sam } = home;
  writeFileSync(home.folder.at('value'), canary);
  const capability = 'memory:working/**:write';
  const stored = ['tool', 'call', 'memory.store', '--args', '{"key":"a","value":"b"}'];
  const needed = await home.aos(...home.call, '--json');
  const { call_id, approval } = JSON.parse(needed.stdout).error.details;

  const answers = [
    await home.data('cap', 'grant', jean, capability),
    await home.data('cap', 'delegate', jean, sam, capability),
    await home.data('cap', 'ls', sam),
    await home.data('cap', 'check', sam, 'write', 'memory:working/a'),
    await home.data('tool', 'ls', 'memory.store'),
    await home.data(...stored, '--as', sam),
    await home.data('tool', 'calls', '--agent', sam),
    await home.data('cap', 'revoke', jean, capability),
    await home.data('approvals'),
    await home.data('approvals', 'show', approval),
    await home.data('approvals', 'approve', approval, '--yes'),
    await home.data('tool', 'calls', call_id),
    await home.data('secret', 'set', 'JSON', '--file', home.folder.at('value')),
    await home.data('secret', 'ls'),
    await home.data('secret', 'rm', 'JSON'),
  ];
  const resolved = await runAos(['--home', home.home, 'resolve', call_id, 'done', '--json']);

  expect(answers).toMatchObject([
    { agent: jean, capability, origin: 'owner' },
    { agent: sam, capability, origin: 'delegation' },
    { items: [{ origin: 'default' }, { origin: 'default' }, { capability }], next: null },
    { allowed: true, chain: [{ agent: sam }, { agent: jean }] },
    { name: 'memory.store', input_schema: { type: 'object' } },
    { state: 'answered', trust: 'data', output: { key: 'a', version: 1 } },
    { items: [{ agent: sam, tool: 'memory.store', state: 'answered' }] },
    { revoked: [{ agent: jean }], below: 1 },
    { items: expect.arrayContaining([expect.objectContaining({ id: approval })]) },
    { id: approval, call_id, shown: expect.any(String), hash: expect.any(String) },
    { id: approval, state: 'approved', scope: 'once' },
    { call_id, state: 'answered', output: { content: 'hello' } },
    { name: 'JSON', replaced: false },
    { items: expect.arrayContaining([expect.objectContaining({ name: 'JSON', host: null })]) },
    { name: 'JSON', removed: true },
  ]);
  expect(needed).toMatchObject({ code: 5, stderr: '' });
  expect(JSON.parse(resolved.stdout)).toMatchObject({
    ok: false,
    error: { code: 'tool.not-unsure' },
  });
});
