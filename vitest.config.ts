import { configDefaults, defineConfig } from 'vitest/config';
import { closeInherited } from './src/engines/process/inherited.ts';
import { deepTests, suites } from './tests/suites.ts';
import { measureSlowness } from './tests/support/machine.ts';

// What a shell or an editor left open would reach every program that a test starts, and a
// sandbox refuses to be made of a process that passes on what it does not know.
closeInherited();

// Before anything reads a limit.
process.env['AOS_TEST_SLOWNESS'] ??= (await measureSlowness()).toFixed(2);
const { testMs } = await import('./tests/support/limits.ts');

const isFull = process.env['AOS_TEST_FULL'] === '1';
// An --exclude of the command line counts for none of the projects.
const without = (process.env['AOS_TEST_WITHOUT'] ?? '').split(':').filter(Boolean);

export default defineConfig({
  test: {
    // Processes, not threads: a test that leaks a process or a handle can be named.
    pool: 'forks',
    // vitest's own choice leaves one core out, and with two that is half of the machine.
    maxWorkers: '100%',
    globalSetup: ['tests/support/run-folder.ts'],
    projects: suites.map(({ name, include, exclude = [], fileParallelism, isolate, inMemory }) => ({
      test: {
        name,
        include: [...include],
        exclude: [
          ...[...configDefaults.exclude, ...exclude, ...without],
          ...(isFull ? [] : [deepTests]),
        ],
        pool: 'forks',
        fileParallelism,
        isolate,
        setupFiles: [
          'tests/support/leak-check.ts',
          // Loading the library takes too long where every file has a process of its own.
          ...(isolate ? [] : ['tests/support/property-seed.ts']),
        ],
        testTimeout: testMs,
        hookTimeout: testMs,
        env: { NO_COLOR: '1', AOS_TEST_IN_MEMORY: inMemory && !isFull ? '1' : '' },
      },
    })),
  },
});
