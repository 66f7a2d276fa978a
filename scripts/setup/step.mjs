// One step of the setup: a child process whose output goes to a log, with a sign
// of life for whoever waits. Words go to stderr, so that stdout stays the
// property of what is run afterwards.

import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const logFile = join(root, '.setup', 'setup.log');

const signOfLifeMs = process.stderr.isTTY ? 200 : 10_000;

/** For every call of npm: no scripts of packages, nothing but the work. */
export const quietFlags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

/** A failure that is told in words, without a stack. */
export class SetupError extends Error {}

/** @param {string} line */
export function say(line) {
  process.stderr.write(`setup: ${line}\n`);
}

/**
 * Does one piece of work and shows that it is moving.
 * @param {string} title what is being done, as "installing packages"
 * @param {() => Promise<CommandResult>} work
 * @returns {Promise<CommandResult>}
 */
export async function step(title, work) {
  const startedAt = Date.now();
  const seconds = () => Math.round((Date.now() - startedAt) / 1000);
  const stopSigns = showSigns(title, seconds);
  try {
    const result = await work();
    stopSigns();
    say(`${title}: ${result.ok ? 'done in' : 'failed after'} ${seconds()} s`);
    return result;
  } finally {
    stopSigns();
  }
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
 * @typedef {{ ok: boolean, output: string }} CommandResult
 */

/**
 * Runs a command to its end. What it says goes to the log and to the caller.
 * @param {string} command
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<CommandResult>}
 */
export async function run(command, args, env = process.env) {
  const result = await finish(command, args, env);
  mkdirSync(dirname(logFile), { recursive: true });
  appendFileSync(logFile, `\n$ ${command} ${args.join(' ')}\n${result.output}`);
  return result;
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<CommandResult>}
 */
function finish(command, args, env) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const keep = (/** @type {Buffer} */ chunk) => {
      output = (output + chunk.toString()).slice(-200_000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.on('error', (error) => {
      const missing = 'code' in error && error.code === 'ENOENT';
      const why = missing ? `there is no program "${command}" on the PATH` : error.message;
      resolve({ ok: false, output: `${output}${why}\n` });
    });
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
