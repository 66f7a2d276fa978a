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
import { mkdirSync, mkdtempSync, readdirSync, rmSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach } from 'vitest';
import { leftovers, type Snapshot, snapshot } from './leftovers.ts';

const folder = mkdtempSync(join(tmpdir(), 'aos-test-'));
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
// importing node:process) open what the process keeps for good.
spawnSync('true');
watch(folder).close();
void process.stdin;

let before: Snapshot;
const atStart = snapshot(folder);

beforeEach(() => {
  before = snapshot(folder);
});

afterEach(async () => {
  await refuseLeftovers(before);
});

afterAll(async () => {
  try {
    await refuseLeftovers(atStart);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

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
