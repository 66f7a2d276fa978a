/** `aos demo` as somebody runs it who has just installed it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { limitMs } from '../support/limits.ts';
import { isInstalled, isRoot } from '../support/machine.ts';
import { launcher, type Run, type RunOptions, runAos, stackLine } from '../support/run-aos.ts';
import { processesWith } from '../support/runtime-home.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { cases, deep } from '../support/tier.ts';
import { until } from '../support/until.ts';

/** All of it: paths, homes and daemons of the demo are in or below this folder. */
function leftIn(folder: string): readonly string[] {
  return [...readdirSync(folder), ...processesWith(folder).map((pid) => `process ${pid}`)];
}

const scenes = [
  ...['folder', 'daemon', 'team', 'read', 'messages'],
  ...['child', 'kill', 'approval', 'report', 'end'],
];

/** One demo, with a folder for temporary files of its own. */
interface Demo extends AsyncDisposable {
  readonly folder: TemporaryFolder;
  readonly temporary: string;
  readonly run: Promise<Run>;
}

function startDemo(argv: readonly string[], options: RunOptions = {}, name = 'tmp'): Demo {
  const folder = temporaryFolder();
  const temporary = folder.at(name);
  mkdirSync(temporary);
  const env = { TMPDIR: temporary, NO_COLOR: '1', HOME: folder.at('no', 'such home') };
  const run = runAos(['--home', folder.at('home'), 'demo', ...argv], { ...options, env });
  return { folder, temporary, run, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

const canBeAlone = isRoot && isInstalled('unshare');
// Not even 127.0.0.1 is there, on which the daemon listens besides its socket.
const alone = canBeAlone ? { through: ['unshare', '--net'] } : {};

let staying: Demo;
let kept: Demo;
let failing: Demo;
const interrupted = new Map<string, Interrupted>();

// Each takes its time and little of the processor: all at once, before anything is looked at.
beforeAll(async () => {
  staying = startDemo([]);
  kept = startDemo(['--once', '--keep', '--json'], alone, "odd folder's");
  failing = startDemo(['--once']);
  const files = await until(() => {
    const [name = 'not there yet'] = readdirSync(failing.temporary);
    const path = join(failing.temporary, name, 'files');
    expect(readdirSync(path)).toHaveLength(6);
    return path;
  });
  // A report cannot be written where there is a folder.
  mkdirSync(join(files, 'report.md'));
  await Promise.all([
    ...[staying.run, kept.run, failing.run],
    ...interrupts.map(async (scene) => interrupted.set(scene, await interruptAfter(scene))),
  ]);
}, limitMs(120_000));

afterAll(async () => {
  for (const demo of [staying, kept, failing]) await demo?.[Symbol.asyncDispose]();
});

test('aos demo tells every scene within 80 columns, and its daemon stays up until it is taken away', async () => {
  const { folder, temporary } = staying;
  const home = folder.at('home');
  const run = await staying.run;
  const agents = await runAos(['--home', home, 'ps']);
  const down = await runAos(['--home', home, 'down']);

  expect(run).toMatchObject({ code: 0, stderr: '' });
  expectEveryScene(run, folder.path);
  expect(run.stdout).toContain(`export AOS_HOME=${home}\n`);
  const [name = ''] = readdirSync(temporary);
  const away = `aos down && rm -r ${join(temporary, name)} ${home}`;
  expect(run.stdout).toContain(`To take it all away: ${away}\n`);
  expect(agents.stdout).toMatch(/^lead .*completed.*\(a script\)/m);
  expect(down).toMatchObject({ code: 0, stdout: 'The daemon has stopped.\n' });
  expect(processesWith(folder.path)).toEqual([]);
});

/** Lines that name a place are as long as it is. */
function expectEveryScene({ stdout }: Run, place: string): void {
  const titles = [...stdout.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number));
  expect(titles).toEqual(scenes.map((_, index) => index + 1));
  expect(stdout).toContain('scripted model');
  expect(stdout).toContain('ARGUMENTS: {"path":');
  expect(stdout).toContain('every number is right');
  const lines = stdout.split('\n').filter((line) => !line.includes(place));
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
}

test('with --json each scene is a line, also where HOME and TMPDIR are odd', async () => {
  const run = await kept.run;

  expect(run).toMatchObject({ code: 0, stderr: '' });
  const lines = run.stdout.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).scene)).toEqual(scenes);
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ kills: 1, cost: 0, scripted: true });
  expect(readdirSync(kept.folder.path)).toEqual(['home', "odd folder's"]);
});

test('it needs no network', async ({ skip }) => {
  skip(!canBeAlone, 'only root can be without a network');

  expect(await kept.run).toMatchObject({ code: 0, stderr: '' });
});

test('--keep leaves the folder and no daemon; a home that is in use is refused', async () => {
  const { folder, temporary } = kept;

  const again = await runAos(['--home', folder.at('home'), 'demo', '--once'], {
    env: { TMPDIR: temporary },
  });

  expect(processesWith(folder.path)).toEqual([]);
  expect(existsSync(folder.at('home', 'ledger.db'))).toBe(true);
  expect(readdirSync(temporary)).toHaveLength(1);
  expect(again.code).toBe(2);
  expect(again.stderr).toContain('there is something at');
});

test('a report that cannot be written is an error with exit code 1, and nothing is left', async () => {
  const run = await failing.run;

  expect(run.code).toBe(1);
  expect(run.stderr).toMatch(/^error: There is no report: file\.[a-z-]+: .*report\.md/);
  expect(run.stderr).not.toMatch(stackLine);
  expect(leftIn(failing.temporary)).toEqual([]);
  expect(existsSync(failing.folder.at('home'))).toBe(false);
});

deep('aos demo --once in /tmp takes everything away, and its lines are short there', async () => {
  const run = await runAos(['demo', '--once'], { env: { TMPDIR: '/tmp', NO_COLOR: '1' } });
  const there = /^ {3}In (\S+)\/files,/m.exec(run.stdout)?.[1] ?? '';

  expect(run).toMatchObject({ code: 0, stderr: '' });
  expectEveryScene(run, 'in no place');
  expect(there).toMatch(/^\/tmp\/aos-demo-[0-9a-f]{6}$/);
  expect(existsSync(there)).toBe(false);
  expect(processesWith(there)).toEqual([]);
});

const interrupts = cases('demo interrupts', ['A daemon of its own', '5. ', '7. '], 1);

test.each(interrupts)('Ctrl-C after "%s" takes everything away', (scene) => {
  const { code, left } = interrupted.get(scene) ?? {};

  expect(code).toBe(130);
  expect(left).toEqual([]);
});

interface Interrupted {
  readonly code: unknown;
  /** What was there when the demo had ended. */
  readonly left: readonly string[];
}

async function interruptAfter(scene: string): Promise<Interrupted> {
  await using folder = temporaryFolder();
  const child = started(['demo', '--once'], folder.path);
  await heard(child, scene);
  child.kill('SIGINT');
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { code, left: leftIn(folder.path) };
}

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
