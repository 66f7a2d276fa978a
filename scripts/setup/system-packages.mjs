// Programs that npm cannot bring. As root on a Debian-like system they are
// installed, saying so; elsewhere the exact command is printed and the run goes
// on, because only what needs them is missing then.

import { accessSync, constants, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { lastLines, root, run, say, step } from './step.mjs';

/** What each program is for; some are only wanted by the test suites, or by the benches. */
const programs = [
  { command: 'bwrap', package: 'bubblewrap', why: 'the sandbox that agents run in', by: 'all' },
  { command: 'zsh', package: 'zsh', why: 'the tests of shell completion', by: 'tests' },
  { command: 'fish', package: 'fish', why: 'the tests of shell completion', by: 'tests' },
  { command: 'strace', package: 'strace', why: 'the tests of what reaches the disk', by: 'tests' },
  { command: 'openssl', package: 'openssl', why: 'the tests of secure requests', by: 'tests' },
  { command: 'python3', package: 'python3', why: 'the tests of the Python client', by: 'tests' },
  { command: 'chromium', package: 'chromium', why: 'the tests of pages in a browser', by: 'tests' },
  { command: 'curl', package: 'curl', why: 'the tests of the gateway', by: 'tests' },
  // Other systems than Debian call it fd.
  { command: 'fdfind', package: 'fd-find', why: 'the benches of files', by: 'benches', or: 'fd' },
];

const failureFile = join(root, '.setup', 'not-installed');

const installers = [
  { command: 'apt-get', words: 'sudo apt-get install' },
  { command: 'dnf', words: 'sudo dnf install' },
  { command: 'pacman', words: 'sudo pacman -S' },
  { command: 'zypper', words: 'sudo zypper install' },
  { command: 'apk', words: 'sudo apk add' },
];

/**
 * What is missing on this machine. bubblewrap is Linux's; on macOS the sandbox is
 * part of the system.
 * @param {'all' | 'tests' | 'benches'} purpose
 */
export function missingPrograms(purpose) {
  if (process.platform !== 'linux') return [];
  return programs.filter(
    ({ command, or = command, by }) =>
      (by === 'all' || by === purpose) && !onPath(command) && !onPath(or),
  );
}

/**
 * Installs them where that is allowed, else tells how. Never stops the setup.
 * @param {ReturnType<typeof missingPrograms>} missing
 */
export async function ensurePrograms(missing) {
  if (missing.length === 0) return;
  const names = missing.map((program) => program.package);
  const mayInstall = process.getuid?.() === 0 && existsSync('/etc/debian_version');
  if (mayInstall && onPath('apt-get') && !failedBefore(names)) await aptInstall(names);
  else tellCommand(missing);
}

/**
 * A machine that could not install them an hour ago is not asked again at every run.
 * @param {string[]} names
 */
function failedBefore(names) {
  if (!existsSync(failureFile) || readFileSync(failureFile, 'utf8') !== names.join(' '))
    return false;
  return Date.now() - statSync(failureFile).mtimeMs < 60 * 60 * 1000;
}

/** @param {string[]} names */
async function aptInstall(names) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const args = ['install', '-y', '--no-install-recommends', ...names];
  const { ok, output } = await step(`installing ${names.join(', ')} with apt-get`, async () => {
    const first = await run('apt-get', args, env);
    if (first.ok) return first;
    // A new machine has no package lists, or old ones: fetch them and try once more.
    await run('apt-get', ['update'], env);
    return run('apt-get', args, env);
  });
  if (ok) return;
  writeFileSync(failureFile, names.join(' '));
  say(`going on without ${names.join(', ')}:\n${lastLines(output)}`);
}

/** @param {typeof programs} missing */
function tellCommand(missing) {
  const installer = installers.find(({ command }) => onPath(command));
  const names = missing.map((program) => program.package).join(' ');
  for (const program of missing) say(`${program.package} is missing: ${program.why}`);
  say(
    installer === undefined
      ? `install with your package manager: ${names}`
      : `install with: ${installer.words} ${names}`,
  );
}

/** @param {string} command */
export function onPath(command) {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK);
      return true;
    } catch {
      // Not in this folder, or not ours to run: the next one may have it.
      return false;
    }
  });
}
