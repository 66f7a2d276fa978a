/**
 * One folder on the disk for everything temporary of a test run, and one in memory where there is
 * room, both removed at its end: also what a file leaves that was filtered out, failed while
 * loading, or was stopped.
 */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
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
  for (const place of [tmpdir(), memory]) if (existsSync(place)) sweep(place);
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'aos-')));
  process.env['TMPDIR'] = folder;
  process.env['AOS_TEST_RUN_FOLDER'] = folder;
  const inMemory = memoryFolder();
  process.env['AOS_TEST_MEMORY_FOLDER'] = inMemory ?? '';
  const folders = [folder, ...(inMemory === undefined ? [] : [inMemory])];
  for (const path of folders) writeFileSync(join(path, ownerFile), String(process.pid));
  const remove = (): void => {
    for (const path of folders) rmSync(path, { recursive: true, force: true });
  };
  // A run that is stopped gets no further than this.
  process.once('exit', remove);
  return () => {
    tellOfDeadWorkers(folder);
    remove();
  };
}

const ownerFile = 'run.pid';

/** Removes what a run left that was killed. */
function sweep(place: string): void {
  for (const name of readdirSync(place).filter((entry) => entry.startsWith('aos-'))) {
    try {
      const owner = Number(readFileSync(join(place, name, ownerFile), 'utf8'));
      if (!isAlive(owner)) rmSync(join(place, name), { recursive: true, force: true });
    } catch {
      // Not of a run, or of another user: neither is ours to remove.
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (failure) {
    // One of another user lives.
    return failure instanceof Error && 'code' in failure && failure.code === 'EPERM';
  }
}

const memory = '/dev/shm';
// Of a file system in memory, as Linux numbers them.
const tmpfs = 0x01021994;
// Several times what a whole run takes.
const roomBytes = 4 * 2 ** 30;

/** Undefined where there is little memory, or where no program may be started from it. */
function memoryFolder(): string | undefined {
  let folder: string | undefined;
  try {
    const { type, bavail, bsize } = statfsSync(memory);
    const free = Math.min(bavail * bsize, freemem(), process.availableMemory());
    if (type !== tmpfs || free < roomBytes) return;
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
