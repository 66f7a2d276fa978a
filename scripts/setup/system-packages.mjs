// Programs that npm cannot bring. As root on a Debian-like system they are
// installed, saying so; elsewhere the exact command is printed and the run goes
// on, because only what needs them is missing then.

import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { lastLines, run, say, step } from './step.mjs';

/** What each program is for; `test` ones are only wanted by the test suites. */
const programs = [
  { command: 'bwrap', package: 'bubblewrap', why: 'the sandbox that agents run in', test: false },
  { command: 'zsh', package: 'zsh', why: 'the tests of shell completion', test: true },
  { command: 'fish', package: 'fish', why: 'the tests of shell completion', test: true },
];

const installers = [
  { command: 'apt-get', words: 'sudo apt-get install' },
  { command: 'dnf', words: 'sudo dnf install' },
  { command: 'pacman', words: 'sudo pacman -S' },
  { command: 'zypper', words: 'sudo zypper install' },
  { command: 'apk', words: 'sudo apk add' },
];

/** @param {{ forTests: boolean }} wanted */
export async function ensureSystemPackages(wanted) {
  // bubblewrap is Linux's; on macOS the sandbox is part of the system.
  if (process.platform !== 'linux') return;
  const missing = programs.filter(
    (program) => (wanted.forTests || !program.test) && !onPath(program.command),
  );
  if (missing.length === 0) return;
  const names = missing.map((program) => program.package);
  if (process.getuid?.() === 0 && onPath('apt-get') && existsSync('/etc/debian_version')) {
    await aptInstall(names);
  } else {
    tellCommand(missing);
  }
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
  if (!ok) say(`going on without ${names.join(', ')}:\n${lastLines(output)}`);
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
function onPath(command) {
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
