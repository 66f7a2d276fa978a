// Two setups of one checkout take turns: `npm start` in one terminal and
// `npm test` in another would otherwise empty node_modules under each other.

import {
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root, SetupError, say } from './step.mjs';

const folder = join(root, '.setup');
const turnFile = join(folder, 'turn');

/**
 * Waits for this process's turn; the function it returns gives the turn back.
 * @returns {Promise<() => void>}
 */
export async function takeTurn() {
  mkdirSync(folder, { recursive: true });
  let told = false;
  while (!(await tryTake())) {
    if (!told) {
      say(`waiting for another setup of this checkout (process ${holder()}, by .setup/turn)`);
    }
    told = true;
    await sleep(200);
  }
  return () => rmSync(turnFile, { force: true });
}

// The file appears whole, with its pid, or not at all: it is written under a name
// of its own and linked.
async function tryTake() {
  const mine = `${turnFile}-${process.pid}`;
  writeFileSync(mine, String(process.pid));
  try {
    linkSync(mine, turnFile);
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') {
      throw new SetupError(
        `the folder ${folder} cannot hold a lock (${codeOf(error)}): is it on an ordinary local disk?`,
      );
    }
    if (!isLeftBehind()) return false;
    // Several may find the same dead holder. Each puts its own name over it, and the
    // one whose name is still there when all have done so has the turn.
    renameSync(mine, turnFile);
    await sleep(100);
    return holder() === process.pid;
  } finally {
    rmSync(mine, { force: true });
  }
}

/** Whether the one that holds the turn died with it. */
function isLeftBehind() {
  const pid = holder();
  // An empty file (0) is what a crash of the machine leaves. Our own pid is that of an
  // earlier process: in a container the same command gets the same one each time.
  return pid !== undefined && (pid === 0 || pid === process.pid || !isAlive(pid) || isOld());
}

// No setup takes that long: the pid is another process's by now.
function isOld() {
  return Date.now() - (statSync(turnFile, { throwIfNoEntry: false })?.mtimeMs ?? 0) > 30 * 60_000;
}

function holder() {
  try {
    return Number(readFileSync(turnFile, 'utf8'));
  } catch {
    // Given back in this very moment; the next try will get it.
    return undefined;
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process is alive too, only not ours to signal.
    return codeOf(error) === 'EPERM';
  }
}

/** @param {unknown} error */
function codeOf(error) {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
