import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { waitMs } from '../../../tests/support/limits.ts';

const module = join(import.meta.dirname, 'signals.ts');

/** A process that gives nobody a turn from the first signal on. */
const program = `
  const { atFirst } = await import(${JSON.stringify(module)});
  atFirst('SIGINT', () => {
    setTimeout(() => {
      require('node:fs').writeSync(1, 'blocked');
      for (;;) {}
    });
  });
  setInterval(() => {}, 1000);
  require('node:fs').writeSync(1, 'ready');
`;

test('the second signal ends a process whose thread has no time for it', async () => {
  const args = ['--input-type=commonjs', '-e', `(async () => {${program}})()`];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  using _killed = { [Symbol.dispose]: () => child.kill('SIGKILL') };
  const ended = once(child, 'close', { signal: AbortSignal.timeout(waitMs) });
  const says = async () => String((await once(child.stdout, 'data'))[0]);

  expect(await says()).toBe('ready');
  child.kill('SIGINT');
  expect(await says()).toBe('blocked');
  child.kill('SIGINT');

  expect(await ended).toEqual([null, 'SIGINT']);
});
