/** `aos demo` as somebody runs it who has just installed it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isInstalled, isRoot } from '../support/machine.ts';
import { launcher, runAos, stackLine } from '../support/run-aos.ts';
import { processesWith, waitFor } from '../support/runtime-home.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** All of it: paths, homes and daemons of the demo are in or below this folder. */
function leftIn(folder: string): readonly string[] {
  return [...readdirSync(folder), ...processesWith(folder).map((pid) => `process ${pid}`)];
}

const scenes = [
  ...['folder', 'daemon', 'team', 'read', 'messages'],
  ...['child', 'kill', 'approval', 'report', 'end'],
];

test('aos demo --once tells every scene within 80 columns, and leaves nothing', async () => {
  const run = await runAos(['demo', '--once'], { env: { TMPDIR: '/tmp', NO_COLOR: '1' } });
  const there = /^ {3}In (\S+)\/files,/m.exec(run.stdout)?.[1] ?? '';

  expect(run).toMatchObject({ code: 0, stderr: '' });
  const titles = [...run.stdout.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number));
  expect(titles).toEqual(scenes.map((_, place) => place + 1));
  expect(run.stdout).toContain('scripted model');
  expect(run.stdout).toContain('ARGUMENTS: {"path":');
  expect(run.stdout).toContain('every number is right');
  expect(run.stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  expect(there).toMatch(/^\/tmp\/aos-demo-[0-9a-f]{6}$/);
  expect(existsSync(there)).toBe(false);
  expect(processesWith(there)).toEqual([]);
});

test('with --json each scene is a line, also where HOME and TMPDIR are odd', async () => {
  await using folder = temporaryFolder();
  const temporary = folder.at("odd folder's");
  mkdirSync(temporary);
  const env = { TMPDIR: temporary, HOME: folder.at('no', 'such home'), AOS_HOME: folder.at('own') };

  const run = await runAos(['demo', '--once', '--json'], { env });

  expect(run).toMatchObject({ code: 0, stderr: '' });
  const lines = run.stdout.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).scene)).toEqual(scenes);
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ kills: 1, cost: 0, scripted: true });
  expect(leftIn(temporary)).toEqual([]);
  expect(readdirSync(folder.path)).toEqual(["odd folder's"]);
});

test('a report that cannot be written is an error with exit code 1, and nothing is left', async () => {
  await using folder = temporaryFolder();
  const running = runAos(['demo', '--once'], { env: { TMPDIR: folder.path } });
  const files = await waitFor(() => {
    const [name = 'not there yet'] = readdirSync(folder.path);
    expect(readdirSync(folder.at(name, 'files')).length).toBe(6);
    return folder.at(name, 'files');
  });
  mkdirSync(join(files, 'report.md'));

  const run = await running;

  expect(run.code).toBe(1);
  expect(run.stderr).toMatch(/^error: There is no report: file\.[a-z-]+: .*report\.md/);
  expect(run.stderr).not.toMatch(stackLine);
  expect(leftIn(folder.path)).toEqual([]);
});

test.each(['A daemon of its own', '5. ', '7. '])(
  'Ctrl-C after "%s" takes everything away',
  async (scene) => {
    await using folder = temporaryFolder();
    const child = started(['demo', '--once'], folder.path);
    await heard(child, scene);

    child.kill('SIGINT');
    const code = await new Promise((resolve) => child.once('close', resolve));

    expect(code).toBe(130);
    expect(leftIn(folder.path)).toEqual([]);
  },
);

function started(argv: readonly string[], temporary: string): ChildProcess {
  const env = { ...process.env, TMPDIR: temporary };
  return spawn(process.execPath, [launcher, ...argv], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

function heard({ stdout }: ChildProcess, words: string): Promise<void> {
  return new Promise((resolve) => {
    let said = '';
    stdout?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes(words)) resolve();
    });
  });
}

test('without --once the daemon stays up, until it is taken away as it says', async () => {
  await using folder = temporaryFolder();
  const env = { TMPDIR: folder.path };

  const run = await runAos(['demo'], { env });
  const [name = ''] = readdirSync(folder.path);
  const home = folder.at(name, 'home');
  const agents = await runAos(['--home', home, 'ps'], { env });
  const down = await runAos(['--home', home, 'down'], { env });

  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(run.stdout).toContain(`export AOS_HOME=${home}\n`);
  expect(run.stdout).toContain(`To take it all away: aos down && rm -r ${folder.at(name)}\n`);
  expect(agents.stdout).toMatch(/^lead .*completed.*\(a script\)/m);
  expect(down).toMatchObject({ code: 0, stdout: 'The daemon has stopped.\n' });
});

test('--keep leaves the folder and no daemon; a home that is in use is refused', async () => {
  await using folder = temporaryFolder();
  mkdirSync(folder.at('tmp'));
  const env = { TMPDIR: folder.at('tmp') };
  const argv = ['--home', folder.at('home'), 'demo', '--once', '--keep'];

  const first = await runAos(argv, { env });
  const second = await runAos(argv, { env });

  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(processesWith(folder.path)).toEqual([]);
  expect(existsSync(folder.at('home', 'ledger.db'))).toBe(true);
  expect(readdirSync(folder.at('tmp'))).toHaveLength(1);
  expect(second.code).toBe(2);
  expect(second.stderr).toContain('there is something at');
});

test('it needs no network', async ({ skip }) => {
  skip(!isRoot || !isInstalled('unshare'), 'only root can be without a network');
  await using folder = temporaryFolder();

  const run = await runAos(['demo', '--once'], {
    env: { TMPDIR: folder.path },
    through: ['unshare', '--net'],
  });

  // Not even 127.0.0.1 is there, on which the daemon listens besides its socket.
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(leftIn(folder.path)).toEqual([]);
});
