/**
 * `scripts/setup.mjs` on a checkout without packages. npm is the other side here, so it
 * is a script that answers as npm does and keeps a list of what it was asked.
 */
import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { limitMs } from '../support/limits.ts';
import { deep } from '../support/tier.ts';
import { type CheckoutCopy, freshCopy, setUp, setupFiles } from './checkout-copy.ts';
import { run } from './running-program.ts';

const lost = 'echo "npm error network planted: the line is dead" >&2; exit 1';

// Like npm, it says nothing when told so, and an option counts more than a variable.
const refuseToInstallExactly = `
  level=$npm_config_loglevel
  for option in "$@"; do
    case $option in --loglevel=*) level=\${option#*=} ;; esac
  done
  test "$1" = ci && test "$level" != silent && echo "npm error code EUSAGE" >&2
  exit 1`;

test('setup tells in words when npm fails, and does not take the checkout for ready', async () => {
  await using copy = freshCopy(setupFiles);
  fakeNpm(copy, lost);

  const { code, stdout, stderr } = await setUp(copy, ['bin/aos.cjs']);

  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toBe(
    'setup: installing packages …\n' +
      'setup: installing packages: failed after 0 s\n' +
      'setup: npm could not install the packages:\n' +
      'npm error network planted: the line is dead\n' +
      '  Check the network and run the same command again\n',
  );
  expect(existsSync(copy.at('node_modules', '.cache', 'setup-stamp'))).toBe(false);
  expect(npmCalls(copy)).toEqual([expect.stringMatching(/^ci .*--ignore-scripts/)]);
});

test('setup shows only the last lines of a long failure, and keeps all of it in the log', async () => {
  await using copy = freshCopy(setupFiles);
  fakeNpm(copy, 'seq 1001 1099; exit 1');

  const { stderr } = await setUp(copy);

  expect(stderr).toContain('setup: npm could not install the packages:\n1088\n1089\n');
  expect(stderr).toContain('\n1099\n');
  expect(readFileSync(copy.at('.setup', 'setup.log'), 'utf8')).toContain('\n1001\n');
});

test('setup lets npm look for packages itself when the lock file lacks some for this machine', async () => {
  await using copy = freshCopy(setupFiles);
  fakeNpm(copy, refuseToInstallExactly);

  await setUp(copy);

  expect(npmCalls(copy)).toEqual([
    expect.stringMatching(/^ci .*--ignore-scripts/),
    expect.stringMatching(/^install --no-save .*--ignore-scripts/),
  ]);
});

test('setup hears why npm refuses even when it was started by a silent npm', async () => {
  await using copy = freshCopy(setupFiles);
  fakeNpm(copy, refuseToInstallExactly);

  await setUp(copy, [], { env: { ...copy.env, npm_config_loglevel: 'silent' } });

  expect(npmCalls(copy)).toHaveLength(2);
});

// A machine whose own Node is new enough never brings another one.
const oldNode = findOldNode();
if (oldNode !== undefined) {
  describe('on a Node that is too old, setup', () => {
    test('tells in words when npm cannot bring a newer one', async () => {
      await using copy = freshCopy(setupFiles);
      fakeNpm(copy, lost);

      const { code, stderr } = await setUp(copy, ['bin/aos.cjs'], { node: oldNode });

      expect(code).toBe(1);
      expect(stderr).toMatch(/^setup: npm could not bring Node 24[\d.]+:$/m);
      expect(stderr).toContain('\nnpm error network planted: the line is dead\n');
      expect(stderr).toMatch(/or install Node 24 yourself\n$/);
      expect(npmCalls(copy)).toHaveLength(1);
    });

    test('refuses a Node that is not the one the project was made with, and throws it away', async () => {
      await using copy = freshCopy(setupFiles);
      fakeNpm(copy, bringNode({ integrity: 'sha512-planted' }));

      const { code, stderr } = await setUp(copy, ['bin/aos.cjs'], { node: oldNode });

      expect(code).toBe(1);
      expect(stderr).toMatch(
        /^setup: the registry's \S+ is not the one .* \(sha512-planted instead of sha512-/m,
      );
      expect(stderr).toMatch(/Install Node 24 from \S+ and run the same command again\n$/);
      expect(readdirSync(copy.at('.setup')).sort()).toEqual(['setup.log']);
      expect(npmCalls(copy)).toHaveLength(1);
    });
  });
}

// CI is such an install itself, on a machine that has nothing.
deep('npm start makes a fresh clone ready, and the second time only starts', async () => {
  await using copy = freshCopy();
  const options = { cwd: copy.path, env: machineEnvironment(copy), patienceMs: limitMs(500_000) };

  const outcomes = [];
  for (let round = 0; round < 2; round++) {
    outcomes.push(await run('npm', ['start', '--', '--detach', '--port', '0'], options));
    const down = await run('npx', ['aos', 'down'], options);
    expect(down).toMatchObject({ code: 0, stderr: '' });
  }

  const [first, second] = outcomes;
  expect(first, first?.stderr).toMatchObject({ code: 0 });
  expect(first?.stderr).toContain('setup: installing packages: done');
  expect(first?.stderr).toContain('setup: building: done');
  expect(second).toMatchObject({ code: 0, stderr: '' });
});

function fakeNpm(copy: CheckoutCopy, answer: string): void {
  copy.fake('npm', `echo "$*" >>"${callsFile(copy)}"\n${answer}`);
}

function npmCalls(copy: CheckoutCopy): string[] {
  return readFileSync(callsFile(copy), 'utf8').trim().split('\n');
}

function callsFile(copy: CheckoutCopy): string {
  return join(copy.fakes, 'npm-calls');
}

/** `npm install NAME@VERSION --prefix=FOLDER …`, as far as it leaves files. */
function bringNode({ integrity }: { integrity: string }): string {
  return `
    name=\${2%@*}
    modules=\${3#--prefix=}/node_modules
    mkdir -p "$modules/$name/bin"
    echo '#!/bin/sh' >"$modules/$name/bin/node"
    chmod +x "$modules/$name/bin/node"
    echo "{\\"packages\\":{\\"node_modules/$name\\":{\\"integrity\\":\\"${integrity}\\"}}}" \\
      >"$modules/.package-lock.json"`;
}

function findOldNode(): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'node'))
    .filter(isProgram)
    .find((node) => {
      const version = execFileSync(node, ['--version'], { encoding: 'utf8' });
      return Number(/^v(\d+)/.exec(version)?.[1]) < 24;
    });
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // Not there, or not ours to run.
    return false;
  }
}

/** What a user has: the machine's own Node and registry, and nothing cached. */
function machineEnvironment(copy: CheckoutCopy): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(npm_|VITEST|NODE_)/.test(name));
  const path = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'));
  return {
    ...Object.fromEntries(own),
    HOME: copy.env['HOME'],
    TMPDIR: copy.env['TMPDIR'],
    NODE_DISABLE_COMPILE_CACHE: '1',
    PATH: [copy.fakes, ...path].join(delimiter),
    npm_config_registry: process.env['npm_config_registry'],
    npm_config_userconfig:
      process.env['npm_config_userconfig'] ?? join(userInfo().homedir, '.npmrc'),
  };
}
