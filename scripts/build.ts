/**
 * Bundles the program, and lets Node compile it ahead: the command line as one file, what
 * runs inside a home (the daemon) as another, which most commands never load, a thread of
 * its own for the disk, and the library.
 */
import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');

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

// Bundled apart, and loaded when a command asks for them.
const insideApart: Plugin = {
  name: 'inside-apart',
  setup({ onResolve }) {
    onResolve({ filter: /\/(?:inside|operation-client)\.ts$/ }, ({ kind, path }) =>
      kind === 'dynamic-import'
        ? { path: `./${basename(path, '.ts')}.cjs`, external: true }
        : undefined,
    );
  },
};

const common = {
  absWorkingDir: root,
  bundle: true,
  write: false,
  platform: 'node',
  format: 'cjs',
  target: 'node24',
  minify: true,
  supported: { using: true },
  // The migrations and the thread lie beside the bundle as they lie beside their source.
  define: { 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' },
  // For `--debug`, which shows where in the sources something broke.
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'none',
  logLevel: 'warning',
} as const satisfies BuildOptions;

const bundles: readonly BuildOptions[] = [
  {
    ...common,
    entryPoints: ['src/cli/core/main.ts'],
    outfile: 'dist/cli.cjs',
    plugins: [commanderWithoutChildren, insideApart],
  },
  { ...common, entryPoints: ['src/app/inside.ts'], outfile: 'dist/inside.cjs' },
  {
    ...common,
    entryPoints: ['src/app/library/operation-client.ts'],
    outfile: 'dist/operation-client.cjs',
  },
  {
    ...common,
    entryPoints: ['src/engines/disk/bulk-disk-thread.ts'],
    outfile: 'dist/bulk-disk-thread.cjs',
  },
  {
    ...common,
    entryPoints: ['src/sandbox/watch/watch-thread.ts'],
    outfile: 'dist/watch-thread.cjs',
  },
  {
    ...common,
    entryPoints: ['src/engines/threads/stretches-thread.ts'],
    outfile: 'dist/stretches-thread.cjs',
  },
  {
    ...common,
    entryPoints: ['src/engines/files/files-thread.ts'],
    outfile: 'dist/files-thread.cjs',
  },
  {
    ...common,
    entryPoints: ['src/engines/files/search/search-thread.ts'],
    outfile: 'dist/search-thread.cjs',
  },
  {
    ...common,
    entryPoints: ['src/engines/memory/memory-thread.ts'],
    outfile: 'dist/memory-thread.cjs',
  },
  {
    ...common,
    entryPoints: ['src/engines/memory/use-lite-thread.ts'],
    outfile: 'dist/use-lite-thread.cjs',
    // Optional, and larger than all the rest: they stay where npm put them.
    external: ['@energetic-ai/*'],
  },
  // For programs: `import … from 'agent-os'`. Its types are made when it is packed.
  { ...common, entryPoints: ['src/app/index.ts'], outfile: 'dist/index.cjs' },
  // `import { AgentTransfer } from 'agent-os/transfer'`.
  {
    ...common,
    entryPoints: ['src/app/library/agent-transfer.ts'],
    outfile: 'dist/transfer.cjs',
    plugins: [insideApart],
  },
];

const outputs = await Promise.all(bundles.map((options) => build(options)))
  .then((results) => results.flatMap(({ outputFiles = [] }) => outputFiles))
  // esbuild has said why, in better words than a stack.
  .catch(() => process.exit(1));

// Written aside and renamed: a command started meanwhile sees the old program or the new one.
await mkdir(dist, { recursive: true });
for (const output of outputs) {
  const aside = `${output.path}.${process.pid}.pending`;
  await writeFile(aside, output.contents);
  await rename(aside, output.path);
}
await rm(join(dist, 'sql'), { recursive: true, force: true });
await cp(join(root, 'src', 'ledger', 'sqlite', 'sql'), join(dist, 'sql'), { recursive: true });

// Node keeps the functions that the first run compiled. A run that goes through most of
// the program makes every later command a tenth cheaper. It may find fault with the
// machine (7), not with itself.
await rm(join(dist, '.compiled'), { recursive: true, force: true });
const home = await mkdtemp(join(tmpdir(), 'aos-build-'));
try {
  for (const command of [['doctor'], ['register', 'jean']]) {
    const aos = join(root, 'bin', 'aos.cjs');
    const args = [aos, '--home', join(home, 'home'), ...command];
    const run = spawnSync(process.execPath, args, { encoding: 'utf8' });
    if (run.status === 0 || run.status === 7) continue;
    process.stderr.write(`The program that was built does not run:\n${run.stderr}`);
    process.exitCode = 1;
  }
} finally {
  await rm(home, { recursive: true, force: true });
}
