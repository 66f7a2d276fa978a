// One step of the setup: a child process whose output goes to a log, with a sign
// of life for whoever waits. Words go to stderr, so that stdout stays the
// property of what is run afterwards.

import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const logFile = join(root, '.setup', 'setup.log');

const signOfLifeMs = process.stderr.isTTY ? 200 : 10_000;

/** A failure that is told in words, without a stack. */
export class SetupError extends Error {}

/** @param {string} line */
export function say(line) {
  process.stderr.write(`setup: ${line}\n`);
}

/**
 * Runs a command and shows that it is moving.
 * @param {string} title what is being done, as "installing packages"
 * @param {string} command
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, cwd?: string }} [options]
 * @returns {Promise<{ ok: boolean, output: string }>}
 */
export async function step(title, command, args, options = {}) {
  const startedAt = Date.now();
  const seconds = () => Math.round((Date.now() - startedAt) / 1000);
  const stopSigns = showSigns(title, seconds);
  const { ok, output } = await run(command, args, options);
  stopSigns();
  say(ok ? `${title}: done in ${seconds()} s` : `${title}: failed after ${seconds()} s`);
  mkdirSync(dirname(logFile), { recursive: true });
  appendFileSync(logFile, `\n$ ${command} ${args.join(' ')}\n${output}`);
  return { ok, output };
}

/**
 * @param {string} title
 * @param {() => number} seconds
 * @returns {() => void}
 */
function showSigns(title, seconds) {
  if (!process.stderr.isTTY) {
    say(`${title} …`);
    const timer = setInterval(
      () => say(`${title}: still at it after ${seconds()} s`),
      signOfLifeMs,
    );
    return () => clearInterval(timer);
  }
  let frame = 0;
  const timer = setInterval(() => {
    process.stderr.write(`\r\x1b[Ksetup: ${title} ${'|/-\\'[frame++ % 4]} ${seconds()} s`);
  }, signOfLifeMs);
  return () => {
    clearInterval(timer);
    process.stderr.write('\r\x1b[K');
  };
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, cwd?: string }} options
 * @returns {Promise<{ ok: boolean, output: string }>}
 */
function run(command, args, options) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: options.cwd ?? root,
      env: options.env ?? process.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const keep = (/** @type {Buffer} */ chunk) => {
      output = (output + chunk.toString()).slice(-200_000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.on('error', (error) => resolve({ ok: false, output: `${output}${error.message}\n` }));
    child.on('close', (code) => resolve({ ok: code === 0, output }));
  });
}

/**
 * The last lines of a failed command, for a person to read.
 * @param {string} output
 */
export function lastLines(output) {
  return output.trim().split('\n').slice(-12).join('\n');
}
