/** Bundles the command line to one file, and lets Node compile it ahead. */
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';

const root = join(import.meta.dirname, '..');

// commander loads node:child_process for programs of its own that we have none of;
// it is a fifth of what a short command costs.
const commanderWithoutChildren: Plugin = {
  name: 'commander-without-children',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
      importer.includes('/node_modules/commander/')
        ? { path: 'no-children', namespace: 'no-children' }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'no-children' }, () => ({ contents: 'export default {};' }));
  },
};

const result = await build({
  absWorkingDir: root,
  entryPoints: ['src/cli/main.ts'],
  outfile: 'dist/cli.cjs',
  bundle: true,
  write: false,
  platform: 'node',
  format: 'cjs',
  target: 'node24',
  minify: true,
  supported: { using: true },
  // For `--debug`, which shows where in the sources something broke.
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'none',
  logLevel: 'warning',
  plugins: [commanderWithoutChildren],
})
  // esbuild has said why, in better words than a stack.
  .catch(() => process.exit(1));

// Written aside and renamed: a command started meanwhile sees the old program or the new one.
await mkdir(join(root, 'dist'), { recursive: true });
for (const output of result.outputFiles) {
  const aside = `${output.path}.${process.pid}.pending`;
  await writeFile(aside, output.contents);
  await rename(aside, output.path);
}

// Node keeps the functions that the first run compiled. A run that goes through most of
// the program makes every later command a tenth cheaper. It may find fault with the
// machine (7), not with itself.
await rm(join(root, 'dist', '.compiled'), { recursive: true, force: true });
const home = await mkdtemp(join(tmpdir(), 'aos-build-'));
try {
  const aos = join(root, 'bin', 'aos.cjs');
  const run = spawnSync(process.execPath, [aos, '--home', home, 'doctor'], { encoding: 'utf8' });
  if (run.status !== 0 && run.status !== 7) {
    process.stderr.write(`The program that was built does not run:\n${run.stderr}`);
    process.exitCode = 1;
  }
} finally {
  await rm(home, { recursive: true, force: true });
}
