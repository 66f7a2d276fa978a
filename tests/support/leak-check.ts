/**
 * Loaded before every test file. A test must leave nothing behind: no process, no
 * open handle, no folder. Whatever was not there when it began and is still there
 * a moment after it ended fails it by name.
 *
 * The file gets a temporary folder and a home of its own, so that no test can
 * touch the user's.
 */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect } from 'vitest';
import { needDisk } from '../suites.ts';
import { leftovers, type Snapshot, snapshot } from './leftovers.ts';
import { countWaits, type Waits, type WholeFile, waitsSince, waitsSoFar } from './waits.ts';

const loadedAt = performance.now();

// One worker runs many files where nothing keeps them apart, so what an earlier one has set
// must not count here.
const runFolder = process.env['AOS_TEST_RUN_FOLDER'] ?? tmpdir();
const testFile = expect.getState().testPath ?? 'a file that vitest does not name';
const folder = mkdtempSync(join(memoryFolder() ?? runFolder, 'aos-test-'));
for (const [variable, name] of [
  ['TMPDIR', 'tmp'],
  ['HOME', 'home'],
] as const) {
  mkdirSync(join(folder, name));
  process.env[variable] = join(folder, name);
}
// Every child inherits this mark, so that even one that left our process tree is found.
process.env['AOS_TEST_MARK'] = randomUUID();

// The first child, the first watch and the first look at stdin (commander takes one, by
// importing node:process) open what the process keeps for good. Once for all of its files: a
// process that has grown takes long to make a child.
if (process.env['AOS_TEST_WARM'] !== String(process.pid)) {
  process.env['AOS_TEST_WARM'] = String(process.pid);
  spawnSync('true');
  watch(folder).close();
  void process.stdin;
}

const times = process.env['AOS_TEST_TIMES'] === '1';
if (times) countWaits();

let before: Snapshot;
let waitsBefore: Waits;
const atStart = snapshot(folder);
const waitsAtStart = waitsSoFar();

// What a worker that dies without a word was doing: run-folder.ts tells it.
const running = join(runFolder, `running-${process.pid}`);
writeFileSync(running, `${testFile} > before its first test`);

beforeEach(({ task }) => {
  writeFileSync(running, `${task.file.name} > ${task.name}`);
  before = snapshot(folder);
  if (times) waitsBefore = waitsSoFar();
});

afterEach(async ({ task }) => {
  await refuseLeftovers(before);
  if (times) task.meta.waits = waitsSince(waitsBefore);
});

afterAll(async () => {
  try {
    await refuseLeftovers(atStart);
  } finally {
    rmSync(running, { force: true });
    rmSync(folder, { recursive: true, force: true });
    noteWhole();
  }
});

/** With what was loaded and with its hooks, which no test stands for. */
function noteWhole(): void {
  const report = process.env['AOS_TEST_WHOLE_FILES'];
  if (report === undefined) return;
  const whole: WholeFile = {
    name: testFile,
    seconds: (performance.now() - loadedAt) / 1000,
    waits: waitsSince(waitsAtStart),
  };
  appendFileSync(report, `${JSON.stringify(whole)}\n`);
}

async function refuseLeftovers(earlier: Snapshot): Promise<void> {
  const found = await leftovers(folder, earlier);
  if (found.length === 0) return;
  // So that the next test is not blamed for the same thing.
  for (const name of ['tmp', 'home']) {
    for (const entry of readdirSync(join(folder, name))) {
      rmSync(join(folder, name, entry), { recursive: true, force: true });
    }
  }
  throw new Error(`the test left something behind:\n  ${found.join('\n  ')}`);
}

/** Where this suite and this file may use memory, and there is room. */
function memoryFolder(): string | undefined {
  const isAllowed = process.env['AOS_TEST_IN_MEMORY'] === '1';
  if (!isAllowed || needDisk.some((name) => testFile.endsWith(`/${name}`))) return undefined;
  return process.env['AOS_TEST_MEMORY_FOLDER'] || undefined;
}
