// Two setups of one checkout take turns: `npm start` in one terminal and
// `npm test` in another would otherwise empty node_modules under each other.

import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root, say } from './step.mjs';

const folder = join(root, '.setup');
const turnFile = join(folder, 'turn');

/**
 * Waits for this process's turn; the function it returns gives the turn back.
 * @returns {Promise<() => void>}
 */
export async function takeTurn() {
  mkdirSync(folder, { recursive: true });
  let told = false;
  while (!tryTake()) {
    if (!told) say('another setup is running in this checkout; waiting for it');
    told = true;
    await sleep(200);
  }
  return () => rmSync(turnFile, { force: true });
}

// The file appears whole, with its pid, or not at all: it is written under a name
// of its own and linked.
function tryTake() {
  const mine = `${turnFile}-${process.pid}`;
  writeFileSync(mine, String(process.pid));
  try {
    linkSync(mine, turnFile);
    return true;
  } catch {
    if (!isAlive(holder())) rmSync(turnFile, { force: true });
    return false;
  } finally {
    rmSync(mine, { force: true });
  }
}

function holder() {
  try {
    return Number(readFileSync(turnFile, 'utf8'));
  } catch {
    // Given back in this very moment; the next try will get it.
    return process.pid;
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process is alive too, only not ours to signal.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
