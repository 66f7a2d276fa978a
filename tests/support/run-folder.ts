/**
 * One folder on the disk for everything temporary of a test run, and one in memory where there is
 * room, both removed at its end: also what a file leaves that was filtered out, failed while
 * loading, or was stopped.
 */
import { spawnSync } from 'node:child_process';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

/** vitest calls it before the first worker starts; what it returns, after the last has ended. */
export function setup(): () => void {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'aos-')));
  process.env['TMPDIR'] = folder;
  process.env['AOS_TEST_RUN_FOLDER'] = folder;
  const inMemory = memoryFolder();
  process.env['AOS_TEST_MEMORY_FOLDER'] = inMemory ?? '';
  return () => {
    tellOfDeadWorkers(folder);
    for (const path of [folder, inMemory ?? []].flat()) {
      rmSync(path, { recursive: true, force: true });
    }
  };
}

const memory = '/dev/shm';
// Of a file system in memory, as Linux numbers them.
const tmpfs = 0x01021994;
// A whole run takes a tenth of it.
const roomBytes = 2 * 2 ** 30;

/** Undefined where there is little memory, or where no program may be started from it. */
function memoryFolder(): string | undefined {
  let folder: string | undefined;
  try {
    const { type, bavail, bsize } = statfsSync(memory);
    if (type !== tmpfs || Math.min(bavail * bsize, freemem()) < roomBytes) return;
    folder = mkdtempSync(join(memory, 'aos-'));
    const program = join(folder, 'program');
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 });
    if (spawnSync(program).status === 0) return folder;
  } catch {
    // There is none, or it is not for us: then everything goes on the disk.
  }
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  return;
}

/** A worker takes its note away when a file is done; one that died in it could not. */
function tellOfDeadWorkers(folder: string): void {
  for (const name of readdirSync(folder).filter((entry) => entry.startsWith('running-'))) {
    const what = readFileSync(join(folder, name), 'utf8');
    process.stderr.write(`worker ${name.slice('running-'.length)} died while it ran ${what}\n`);
    process.exitCode = 1;
  }
}
