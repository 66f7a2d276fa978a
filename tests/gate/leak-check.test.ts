/**
 * The leak check, tried on tests that leak. Each planted file has a test that leaves
 * one thing behind and, after it, one that leaves nothing. They run all at once in
 * one vitest on a copy of the checkout, because each of them waits for seconds.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CheckoutCopy, readyCopy } from './checkout-copy.ts';
import { type Outcome, run } from './running-program.ts';

/** One test file, as vitest reports it. */
interface FileReport {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly assertionResults: readonly TestReport[];
}

interface TestReport {
  readonly title: string;
  readonly status: string;
  readonly failureMessages: readonly string[];
}

// What it cannot see elsewhere: without /proc there is no list of processes or descriptors.
const linuxLeaks = [
  {
    file: 'child',
    what: 'a child process',
    code: `const child = spawn('sleep', ['301'], { stdio: 'ignore' });
      appendFileSync(process.env.PIDS, child.pid + '\\n');`,
    named: /process \d+: sleep 301/,
  },
  {
    file: 'runaway',
    what: 'a process that left its group and its parent',
    // setsid(1) would not fork here, so the pid it is started with is the one it keeps.
    code: `spawnSync('sh', ['-c', 'setsid sleep 302 >/dev/null 2>&1 & echo $! >>"$PIDS"']);`,
    named: /process \d+: sleep 302/,
  },
  {
    file: 'descriptor',
    what: 'an open file',
    code: `openSync('package.json', 'r');`,
    named: /descriptor: .*\/package\.json/,
  },
];

const leaks = [
  ...(process.platform === 'linux' ? linuxLeaks : []),
  {
    file: 'server',
    what: 'a listening server',
    code: `await once(createServer().listen(0, '127.0.0.1'), 'listening');`,
    named: /handle: TCPServerWrap/,
  },
  {
    file: 'interval',
    what: 'a running interval',
    code: 'setInterval(() => {}, 1000);',
    named: /timer set at .*\/planted-interval\.test\.ts:\d+/,
  },
  {
    file: 'folder',
    what: 'a folder in the temporary folder',
    code: `mkdirSync(join(tmpdir(), 'left-folder'));`,
    named: /in the tmp folder: left-folder/,
  },
  {
    file: 'home',
    what: 'a file in the home folder',
    code: `writeFileSync(join(homedir(), 'left-file'), '');`,
    named: /in the home folder: left-file/,
  },
];

const tidyCode = `
  const folder = mkdtempSync(join(tmpdir(), 'tidy-'));
  const child = spawn('sleep', ['303'], { stdio: 'ignore' });
  const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  await once(connect(server.address()).resume(), 'close');
  await once(new Worker('', { eval: true }), 'exit');
  const watcher = watch(folder);
  const timer = setInterval(() => {}, 1000);
  await import('node:process');
  const file = openSync(join(folder, 'file'), 'w');

  closeSync(file);
  clearInterval(timer);
  watcher.close();
  server.close();
  child.kill();
  rmSync(folder, { recursive: true });`;

const imports = `
  import { spawn, spawnSync } from 'node:child_process';
  import { once } from 'node:events';
  import {
    appendFileSync, closeSync, mkdirSync, mkdtempSync, openSync, rmSync, watch, writeFileSync,
  } from 'node:fs';
  import { connect, createServer } from 'node:net';
  import { homedir, tmpdir } from 'node:os';
  import { join } from 'node:path';
  import { Worker } from 'node:worker_threads';
  import { beforeAll, test } from 'vitest';`;

let copy: CheckoutCopy;
let reports: readonly FileReport[];

beforeAll(async () => {
  copy = await readyCopy();
  for (const { file, code } of leaks) {
    plantTests(file, `test('leaks', async () => { ${code} });\n test('is innocent', () => {});`);
  }
  plantTests('tidy', `test('tidies up', async () => { ${tidyCode} });`);
  plantTests(
    'hook',
    `beforeAll(() => { mkdirSync(join(tmpdir(), 'left-folder')); });
     test('is innocent', () => {});`,
  );
  reports = await runPlanted();
});

afterAll(async () => {
  endLeakedProcesses();
  await copy[Symbol.asyncDispose]();
});

test.each(leaks)('a test that leaves $what behind fails by name', ({ file, named }) => {
  const { status, failureMessages } = testOf(file, 'leaks');

  expect(status).toBe('failed');
  expect(failureMessages.join('\n')).toContain('the test left something behind');
  expect(failureMessages.join('\n')).toMatch(named);
});

test.each(leaks)('the test after one that leaves $what behind is not blamed', ({ file }) => {
  expect(testOf(file, 'is innocent')).toMatchObject({ status: 'passed', failureMessages: [] });
});

test('a test that ends everything it began passes', () => {
  expect(testOf('tidy', 'tidies up')).toMatchObject({ status: 'passed', failureMessages: [] });
  expect(fileOf('tidy')).toMatchObject({ status: 'passed', message: '' });
});

test('what is left behind outside the tests fails the file', () => {
  expect(testOf('hook', 'is innocent').status).toBe('passed');
  expect(fileOf('hook').status).toBe('failed');
  expect(fileOf('hook').message).toContain('in the tmp folder: left-folder');
});

test('a worker that dies is told of, with what it was running', async () => {
  const code = `test('dies', () => { process.kill(process.pid, 'SIGSEGV'); for (;;); });`;
  plantTests('dying', code);

  const { outcome } = await runVitest('tests/planted-dying');

  expect(outcome.code).not.toBe(0);
  expect(outcome.stderr).toMatch(
    /^worker \d+ died while it ran tests\/planted-dying\.test\.ts > dies$/m,
  );
});

function plantTests(file: string, tests: string): void {
  writeFileSync(copy.at('tests', `planted-${file}.test.ts`), `${imports}\n${tests}\n`);
}

async function runPlanted(): Promise<readonly FileReport[]> {
  const { report, outcome } = await runVitest('tests/planted-');
  if (report === undefined) {
    throw new Error(`vitest wrote no report:\n${outcome.stdout}${outcome.stderr}`);
  }
  return JSON.parse(report).testResults;
}

async function runVitest(files: string): Promise<{ outcome: Outcome; report: string | undefined }> {
  const file = copy.at('report.json');
  const args = ['run', '--project=unit', '--maxWorkers=5', files];
  const outcome = await run(
    'node_modules/.bin/vitest',
    [...args, '--reporter=json', `--outputFile.json=${file}`],
    { cwd: copy.path, env: { ...copy.env, PIDS: copy.at('pids'), AOS_TEST_LEAK_MS: '300' } },
  );
  return { outcome, report: existsSync(file) ? readFileSync(file, 'utf8') : undefined };
}

function fileOf(file: string): FileReport {
  const found = reports.find(({ name }) => name.endsWith(`/planted-${file}.test.ts`));
  if (found === undefined) throw new Error(`vitest did not run planted-${file}.test.ts`);
  return found;
}

function testOf(file: string, title: string): TestReport {
  const found = fileOf(file).assertionResults.find((result) => result.title === title);
  if (found === undefined) throw new Error(`"${title}" did not run in planted-${file}.test.ts`);
  return found;
}

function endLeakedProcesses(): void {
  if (!existsSync(copy.at('pids'))) return;
  for (const pid of readFileSync(copy.at('pids'), 'utf8').trim().split('\n')) {
    process.kill(Number(pid), 'SIGKILL');
  }
}
