import { describe, expect, test } from 'vitest';
import { hasSandbox } from '../../tests/support/machine.ts';
import { runProgram } from '../../tests/support/run-aos.ts';
import { temporaryFolder } from '../../tests/support/temporary-folder.ts';
import { openTestLedger } from '../../tests/support/temporary-ledger.ts';

// A file system of its own, which only a sandbox can give without changing the machine.
describe.runIf(hasSandbox)('on a disk that', () => {
  const program = new URL('../../tests/support/fill-ledger.ts', import.meta.url).pathname;
  const world = ['--dev-bind', '/', '/', '--proc', '/proc'];
  const start = [process.execPath, program];

  test('fills up: the sentence, nothing lost, and on with it once there is room', async () => {
    await using folder = temporaryFolder();
    const small = [...world, '--size', '1500000', '--tmpfs', folder.path];

    const run = await runProgram('bwrap', [...small, ...start, folder.at('ledger.db')]);

    expect(run.stderr).toBe('');
    expect(JSON.parse(run.stdout)).toEqual({
      refused: 'ledger.full',
      lost: 0,
      surplus: 0,
      after: 'works',
      integrity: 'ok',
    });
  });

  test('can only be read: the sentence', async () => {
    await using folder = temporaryFolder();
    await (await openTestLedger(folder.at('ledger.db')))[Symbol.asyncDispose]();
    const readOnly = [...world, '--ro-bind', folder.path, folder.path];

    const run = await runProgram('bwrap', [...readOnly, ...start, folder.at('ledger.db')]);

    expect(JSON.parse(run.stdout)).toMatchObject({ refused: 'ledger.read-only' });
  });
});
