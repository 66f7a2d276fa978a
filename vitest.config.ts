import { configDefaults, defineConfig } from 'vitest/config';
import { closeInherited } from './src/app/engines/inherited.ts';
import { suites } from './tests/suites.ts';

// What a shell or an editor left open would reach every program that a test starts, and a
// sandbox refuses to be made of a process that passes on what it does not know.
closeInherited();

export default defineConfig({
  test: {
    // A process a file: a test that leaks a process or a handle can be named.
    pool: 'forks',
    globalSetup: ['tests/support/run-folder.ts'],
    projects: suites.map(({ name, include, exclude = [], fileParallelism }) => ({
      test: {
        name,
        include: [...include],
        exclude: [...configDefaults.exclude, ...exclude],
        pool: 'forks',
        fileParallelism,
        setupFiles: ['tests/support/leak-check.ts'],
        testTimeout: 60_000,
        hookTimeout: 60_000,
        env: { NO_COLOR: '1' },
      },
    })),
  },
});
