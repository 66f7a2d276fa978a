import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { type Outcome, run } from './running-program.ts';

const checkout = join(import.meta.dirname, '..', '..');

/** A checkout of one's own to break: the files as they are now, and the packages by symlink. */
export interface CheckoutCopy extends AsyncDisposable {
  readonly path: string;
  at(...names: string[]): string;
  /** Puts a program of that name in front of everything else on PATH. */
  fake(name: string, shellScript: string): void;
  /** Changes a file until the `using` block ends; a file that is not there begins empty. */
  plant(file: string, change: (text: string) => string): Disposable;
  /** Nothing of the test's own environment but what a program needs. */
  readonly env: NodeJS.ProcessEnv;
  /** Where its fake programs are, for a PATH that has nothing else. */
  readonly fakes: string;
}

/** What the setup itself is made of; enough where it does not come to build anything. */
export const setupFiles = /^(?:scripts\/|bin\/|package|\.npmrc)/;

/** A copy on which nothing was run yet: of all files, or of those whose names fit. */
export function freshCopy(wanted: RegExp = /^/): CheckoutCopy {
  const folder = temporaryFolder();
  const path = folder.at('checkout');
  mkdirSync(path);
  copyFiles(
    filesOfCheckout().filter((file) => wanted.test(file)),
    path,
  );
  return copyAt(path, folder);
}

function copyAt(path: string, folder: TemporaryFolder): CheckoutCopy {
  const fakes = folder.at('fakes');
  for (const name of ['fakes', 'home']) mkdirSync(folder.at(name));
  const copy: CheckoutCopy = {
    path,
    fakes,
    env: environment(folder, fakes),
    at: (...names) => join(path, ...names),
    fake: (name, shellScript) => writeProgram(join(fakes, name), shellScript),
    plant: (file, change) => plant(join(path, file), change),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
  // The setup would install what is missing, and only looks whether it is there.
  for (const name of ['bwrap', 'zsh', 'fish', 'strace', 'openssl']) copy.fake(name, 'exit 0');
  return copy;
}

/** A copy after its first setup, with an npm that finds everything installed already. */
export async function readyCopy(): Promise<CheckoutCopy> {
  const copy = freshCopy();
  linkPackages(copy.at('node_modules'));
  await makeReady(copy);
  return copy;
}

/** A ready copy for one test, with fakes of its own: a new one for each would take seconds. */
export async function lend(ready: CheckoutCopy): Promise<CheckoutCopy> {
  const copy = copyAt(ready.path, temporaryFolder());
  await makeReady(copy);
  return copy;
}

async function makeReady(copy: CheckoutCopy): Promise<void> {
  copy.fake('npm', 'exit 0');
  const { code, stderr } = await setUp(copy);
  rmSync(join(copy.fakes, 'npm'));
  if (code !== 0) throw new Error(`the copy could not be set up:\n${stderr}`);
}

/** `node scripts/setup.mjs …`, as package.json calls it. */
export function setUp(
  copy: CheckoutCopy,
  args: readonly string[] = [],
  { node = process.execPath, ...options }: SetupOptions = {},
): Promise<Outcome> {
  return run(node, ['scripts/setup.mjs', ...args], { cwd: copy.path, env: copy.env, ...options });
}

interface SetupOptions {
  readonly node?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string;
}

function copyFiles(files: readonly string[], to: string): void {
  if (process.platform === 'linux') {
    // Two thousand files: one process takes a tenth of the time of as many calls.
    execFileSync('cp', ['--parents', '-t', to, ...files], { cwd: checkout });
  } else {
    for (const file of files) cpSync(join(checkout, file), join(to, file));
  }
}

/** What git knows or would add: not what is built, installed or kept out by its owner. */
function filesOfCheckout(): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  return execFileSync('git', args, { cwd: checkout, encoding: 'utf8' })
    .split('\0')
    .filter((file) => file !== '' && existsSync(join(checkout, file)));
}

// The folder itself is real, because the setup writes into it; a package is a symlink,
// because the temporary folder may be on another disk, where no hard link reaches.
function linkPackages(modules: string): void {
  const original = join(checkout, 'node_modules');
  mkdirSync(modules);
  for (const name of readdirSync(original)) {
    if (!name.startsWith('.')) symlinkSync(join(original, name), join(modules, name));
  }
  cpSync(join(original, '.bin'), join(modules, '.bin'), {
    recursive: true,
    verbatimSymlinks: true,
  });
}

function environment(folder: TemporaryFolder, fakes: string): NodeJS.ProcessEnv {
  const path = [fakes, dirname(process.execPath), process.env['PATH'] ?? ''];
  return {
    PATH: path.join(delimiter),
    HOME: folder.at('home'),
    // Not one inside the copy: the path of a socket has room for about a hundred letters.
    TMPDIR: process.env['TMPDIR'],
    NO_COLOR: '1',
    npm_config_update_notifier: 'false',
    // npm keeps its compiled self in the temporary folder otherwise, for good.
    NODE_DISABLE_COMPILE_CACHE: '1',
    // So that the leak check of this run finds what a planted one leaves.
    AOS_TEST_MARK: process.env['AOS_TEST_MARK'],
  };
}

function writeProgram(path: string, shellScript: string): void {
  writeFileSync(path, `#!/bin/sh\n${shellScript}\n`);
  chmodSync(path, 0o755);
}

function plant(path: string, change: (text: string) => string): Disposable {
  const before = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  const after = change(before ?? '');
  if (after === before) throw new Error(`nothing was planted in ${path}`);
  writeFileSync(path, after);
  return {
    [Symbol.dispose]() {
      if (before === undefined) rmSync(path);
      else writeFileSync(path, before);
    },
  };
}
