// Makes a fresh clone ready, then runs what it was asked to run:
//
//   node scripts/setup.mjs [--for-tests|--for-benches] [FILE [ARGUMENT…]]
//
// Node built-ins only, and it must run on Node 20: it is what brings the rest.
//
// S1. Nothing is half installed: the stamp is written last, and only a matching
//     stamp lets a run skip the work.
// S2. `npm ci` empties node_modules, so the private Node is parked outside while
//     packages are installed, and settles in node_modules afterwards.
// S3. Two setups of one checkout take turns.
// S4. What is run afterwards runs on the Node that was chosen, whatever PATH says.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';
import {
  neededBuild,
  parkPrivateNode,
  settledBinary,
  settlePrivateNode,
} from './setup/private-node.mjs';
import { lastLines, quietFlags, root, run, SetupError, say, step } from './setup/step.mjs';
import { ensurePrograms, missingPrograms } from './setup/system-packages.mjs';
import { takeTurn } from './setup/turn.mjs';

const modules = join(root, 'node_modules');
const binFolder = join(modules, '.bin');
const installStamp = join(modules, '.cache', 'setup-stamp');
const bundles = ['cli.cjs', 'inside.cjs'].map((name) => join(root, 'dist', name));
const buildStamp = join(root, 'dist', '.stamp');

/** @type {ReadonlyMap<string, 'tests' | 'benches'>} */
const purposes = new Map([
  ['--for-tests', 'tests'],
  ['--for-benches', 'benches'],
]);

/** @param {string[]} argv */
async function main(argv) {
  const purpose = purposes.get(argv[0] ?? '') ?? 'all';
  const [file, ...args] = purpose === 'all' ? argv : argv.slice(1);
  const build = neededBuild();
  const node = build === undefined ? process.execPath : settledBinary;
  const missing = missingPrograms(purpose);
  if (!isInstalled(build) || !isBuilt() || missing.length > 0) {
    const done = await takeTurn();
    try {
      // Somebody else may have done the work while this run waited for its turn.
      if (!isInstalled(build)) await installAll(build);
      await ensurePrograms(missing);
      if (!isBuilt()) await buildProgram(node);
    } finally {
      done();
    }
  }
  linkPrograms(build);
  return file === undefined ? 0 : handOver(node, [join(root, file), ...args]);
}

/** @param {ReturnType<typeof neededBuild>} build */
function isInstalled(build) {
  const nodeIsThere = build === undefined || existsSync(settledBinary);
  return nodeIsThere && readIfThere(installStamp) === wantedStamp(build);
}

/** @param {ReturnType<typeof neededBuild>} build */
function wantedStamp(build) {
  const node = build === undefined ? process.version : `${build.name}@${build.version}`;
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .update(`${node} ${process.platform} ${process.arch}`)
    .digest('hex');
}

/** @param {ReturnType<typeof neededBuild>} build */
async function installAll(build) {
  rmSync(installStamp, { force: true });
  const node = build === undefined ? process.execPath : await parkPrivateNode(build);
  await installPackages(node);
  if (build !== undefined) settlePrivateNode();
  mkdirSync(dirname(installStamp), { recursive: true });
  writeFileSync(installStamp, wantedStamp(build));
}

/** @param {string} node */
async function installPackages(node) {
  const env = { ...process.env, PATH: `${folderOfNode(node)}${delimiter}${process.env['PATH']}` };
  const result = await step('installing packages', async () => {
    const exact = await run('npm', ['ci', '--include=dev', ...quietFlags], env);
    // The lock file names no package of another platform that the registry it was
    // made with did not have, and `npm ci` wants those too. What it does name holds.
    if (exact.ok || !exact.output.includes('EUSAGE')) return exact;
    return run('npm', ['install', '--no-save', '--include=dev', ...quietFlags], env);
  });
  if (result.ok) return;
  throw new SetupError(
    `npm could not install the packages:\n${lastLines(result.output)}\n` +
      '  Check the network and run the same command again',
  );
}

/**
 * A folder that holds the chosen Node and nothing else, to stand first on PATH. npm must
 * run on it: under an older one it would leave out optional packages whose `engines` ask
 * for more. Not the Node's own folder, in which there may be another npm than the user's.
 * @param {string} node
 */
function folderOfNode(node) {
  const folder = join(root, '.setup', 'bin');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  symlinkSync(node, join(folder, 'node'));
  return folder;
}

/**
 * `node` and `aos` in node_modules/.bin, which npm scripts and npx look in first.
 * @param {ReturnType<typeof neededBuild>} build
 */
function linkPrograms(build) {
  link('aos', join(root, 'bin', 'aos.cjs'));
  if (build === undefined) rmSync(join(binFolder, 'node'), { force: true });
  else link('node', settledBinary);
}

/**
 * @param {string} name
 * @param {string} target
 */
function link(name, target) {
  const path = join(binFolder, name);
  if (existsSync(path)) return;
  rmSync(path, { force: true });
  mkdirSync(binFolder, { recursive: true });
  symlinkSync(relative(binFolder, target), path);
}

function isBuilt() {
  return bundles.every(existsSync) && readIfThere(buildStamp) === wantedBuildStamp();
}

// The bundles' own hash too: a power cut can leave them empty.
function wantedBuildStamp() {
  const digest = createHash('sha256');
  for (const bundle of bundles) digest.update(readFileSync(bundle)).update('\0');
  return `${sourceDigest()} ${digest.digest('hex')}`;
}

/** @param {string} node */
async function buildProgram(node) {
  rmSync(buildStamp, { force: true });
  const script = join(root, 'scripts', 'build.ts');
  const { ok, output } = await step('building', () => run(node, [script]));
  if (!ok) throw new SetupError(`the build failed:\n${lastLines(output)}`);
  writeFileSync(buildStamp, wantedBuildStamp());
}

function sourceDigest() {
  const digest = createHash('sha256');
  // Names only, without types: those have their folder only from Node 20.12 on.
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|sql)$/.test(name) && !name.endsWith('.test.ts'))
    .map((name) => join('src', name));
  const others = ['package.json', 'package-lock.json', 'scripts/build.ts'];
  for (const name of [...sources, ...others].sort()) {
    digest
      .update(name)
      .update('\0')
      .update(readFileSync(join(root, name)))
      .update('\0');
  }
  return digest.digest('hex');
}

/** @param {string} path */
function readIfThere(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

/**
 * @param {string} node
 * @param {string[]} args
 * @returns {Promise<number>}
 */
function handOver(node, args) {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, PATH: `${binFolder}${delimiter}${process.env['PATH']}` };
    const child = spawn(node, args, { stdio: 'inherit', env });
    // Ctrl-C reaches the child by itself; this process waits for what it says.
    process.on('SIGINT', () => {});
    process.on('SIGTERM', () => child.kill('SIGTERM'));
    child.on('error', reject);
    child.on('close', (code, signal) =>
      resolve(code ?? 128 + constants.signals[signal ?? 'SIGTERM']),
    );
  });
}

/**
 * @param {unknown} error
 * @returns {error is NodeJS.ErrnoException}
 */
function isSystemError(error) {
  return error instanceof Error && 'syscall' in error;
}

/** @param {NodeJS.ErrnoException} error */
function systemWords({ code, path }) {
  const why =
    {
      ENOSPC: 'the disk is full',
      EROFS: 'the disk can only be read',
      EACCES: 'this user may not write there',
      EEXIST: 'something else stands in its place',
      ENOTDIR: 'something else stands in its place',
    }[code ?? ''] ?? `the system says ${code}`;
  return `the checkout cannot be set up at ${path ?? root}: ${why}`;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof SetupError) && !isSystemError(error)) throw error;
  say(error instanceof SetupError ? error.message : systemWords(error));
  process.exitCode = 1;
}
