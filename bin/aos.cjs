#!/usr/bin/env node
// Checks the Node version before anything else is loaded: the program itself uses
// modules that an older Node does not have and would die of with a stack trace. So
// this file must run on old Nodes. It and the bundle are CommonJS because that
// starts faster than ES modules (docs/decisions.md).

const module_ = require('node:module');
const { join } = require('node:path');

const oldestMajor = 24;
const built = join(__dirname, '..', 'dist');

/** @param {{ code: string, message: string, fix: string }} error */
function refuse(error) {
  const end = process.argv.indexOf('--');
  if (process.argv.slice(0, end === -1 ? undefined : end).includes('--json')) {
    process.stdout.write(`${JSON.stringify({ ok: false, error })}\n`);
  } else {
    process.stderr.write(`error: ${error.message}\n  try: ${error.fix}\n`);
  }
  process.exitCode = 1;
}

function start() {
  if (process.argv.includes('--debug')) process.setSourceMapsEnabled(true);
  // Node keeps the compiled program there; where it may not write, it just compiles again.
  module_.enableCompileCache(join(built, '.compiled'));
  const program = join(built, 'cli.cjs');
  try {
    require(program);
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND';
    if (!missing) throw error;
    refuse({
      code: 'build.missing',
      message: 'Agent OS has not been built in this checkout yet',
      fix: 'npm start',
    });
  }
}

if (Number(process.versions.node.split('.')[0]) >= oldestMajor) {
  start();
} else {
  refuse({
    code: 'node.too-old',
    message: `Agent OS needs Node ${oldestMajor} or newer, and this is Node ${process.versions.node}`,
    fix: 'npx aos (in a checkout, after npm start: it brings a Node of its own), or install Node 24',
  });
}
