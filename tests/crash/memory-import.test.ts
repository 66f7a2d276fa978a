/** An import of memories that a process has taken whole, and died while it brought it in. */
import { expect, test } from 'vitest';
import { composeEngines } from '../../src/app/home/compose.ts';
import { openHome } from '../../src/app/home/open-home.ts';
import { MemoryImports } from '../../src/memory/import.ts';
import { dyingAt } from '../support/dying-ledger.ts';
import { runAos } from '../support/run-aos.ts';
import { startDaemon } from '../support/running-daemon.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const count = 450;
// Three slices are laid down, then it says so, then the first is brought in.
const firstIsIn = 5;

/** A home whose daemon has stopped a moment ago, so that its timers wait for their minute. */
async function cutOffImport(home: string): Promise<void> {
  await using daemon = await startDaemon(home);
  await daemon.stop();
  const engines = composeEngines();
  await using open = await openHome(engines, home, { holder: 'test', onLost: () => {} });
  const imports = new MemoryImports({ ...engines, ledger: dyingAt(firstIsIn)(open.ledger) });
  const at = '2020-01-01T00:00:00Z';
  const lines = Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      ...{ scope: 'working', key: `k/${index}`, version: 1, value: index },
      ...{ created_at: at, valid_from: at },
    }),
  );
  await imports.take('owner', lines).catch(() => {});
}

function linesIn(text: string): number {
  return text.split('\n').length - 1;
}

test('the next daemon has brought in all of an import before it answers anybody', async () => {
  await using home = temporaryFolder();
  await cutOffImport(home.path);

  await using daemon = await startDaemon(home.path);
  const parts = await Array.fromAsync(await daemon.client.exportMemory({}));

  expect(linesIn(Buffer.concat(parts).toString())).toBe(count);
});

test('a command without a daemon sees all of an import that was cut off', async () => {
  await using home = temporaryFolder();
  await cutOffImport(home.path);

  const { stdout, stderr } = await runAos(['--home', home.path, 'memory', 'export']);

  expect({ lines: linesIn(stdout), stderr }).toEqual({ lines: count, stderr: '' });
});
