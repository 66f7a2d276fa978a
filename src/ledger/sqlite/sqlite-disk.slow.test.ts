import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { hasSandbox } from '../../../tests/support/machine.ts';
import { runProgram } from '../../../tests/support/run-aos.ts';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { openTestLedger, temporaryLedger } from '../../../tests/support/temporary-ledger.ts';

test('a begin that is refused loses nothing of the chain, and the next write works', async () => {
  await using held = await temporaryLedger();
  const happened = (subject: string) =>
    held.ledger.transact((tx) => tx.record({ actor: 'owner', kind: 'test.happened', subject }));
  await happened('a');
  await happened('b');
  using other = new DatabaseSync(held.path);
  other.exec('begin immediate');

  const refused = happened('c');

  await expect(refused).rejects.toMatchObject({ code: 'ledger.busy' });
  other.exec('rollback');
  await happened('d');
  const events = await held.ledger.committed.all('select seq, subject from events order by seq');
  expect(events).toMatchObject([
    { seq: 1, subject: 'a' },
    { seq: 2, subject: 'b' },
    { seq: 3, subject: 'd' },
  ]);
});

// A file system of its own, which only a sandbox can give without changing the machine.
describe.runIf(hasSandbox)('on a disk that', () => {
  const program = new URL('../../../tests/support/fill-ledger.ts', import.meta.url).pathname;
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
