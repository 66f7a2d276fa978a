/** `scripts/setup/turn.mjs`: only one process at a time works on a checkout. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { limitMs } from '../support/limits.ts';
import { type CheckoutCopy, freshCopy, setupFiles } from './checkout-copy.ts';
import { type RunningProgram, run, start } from './running-program.ts';

/** Takes a turn, keeps it until its stdin ends, and gives it back. */
const takeOneTurn = `
  const { takeTurn } = await import('./scripts/setup/turn.mjs');
  const done = await takeTurn();
  process.stdout.write('took its turn');
  for await (const _ of process.stdin);
  done();`;

test('a second setup says that it waits, and works when the first is done', async () => {
  await using copy = freshCopy(setupFiles);
  await using one = turnTaker(copy);
  await one.said('took its turn');
  await using other = turnTaker(copy);
  await other.said('waiting for another setup of this checkout');
  const overtook = other.hasSaid('took its turn');

  one.endInput();
  await other.said('took its turn');
  other.endInput();

  expect(overtook).toBe(false);
  expect([(await one.outcome).code, (await other.outcome).code]).toEqual([0, 0]);
  expect(readdirSync(copy.at('.setup'))).toEqual([]);
});

test('a setup that was killed gives its turn to the one that waits for it', async () => {
  await using copy = freshCopy(setupFiles);
  await using killed = turnTaker(copy);
  await killed.said('took its turn');
  await using other = turnTaker(copy);
  await other.said('waiting for another setup');

  killed.signal('SIGKILL');
  await other.said('took its turn');
  other.endInput();

  expect((await other.outcome).code).toBe(0);
});

test('a turn of a process that is long gone is taken over without a word', async () => {
  await using copy = freshCopy(setupFiles);
  const { stdout: gonePid } = await run('/bin/sh', ['-c', 'echo $$'], {
    cwd: copy.path,
    env: copy.env,
  });
  leaveTurn(copy, gonePid);

  await using program = turnTaker(copy);
  await program.said('took its turn');
  program.endInput();

  expect(await program.outcome).toEqual({ code: 0, stdout: 'took its turn', stderr: '' });
});

test('a turn file that a crash of the machine left empty is taken over', async () => {
  await using copy = freshCopy(setupFiles);
  leaveTurn(copy, '');

  await using program = turnTaker(copy);
  await program.said('took its turn');
  program.endInput();

  expect((await program.outcome).code).toBe(0);
});

// In a container the same command often gets the same pid each time.
test('a turn left by a process that had the same pid as this one is taken over', async () => {
  await using copy = freshCopy(setupFiles);
  const leaveOwn = `
    const { writeFileSync } = await import('node:fs');
    writeFileSync('.setup/turn', String(process.pid));`;
  mkdirSync(copy.at('.setup'));

  await using program = turnTaker(copy, leaveOwn);
  await program.said('took its turn');
  program.endInput();

  expect((await program.outcome).code).toBe(0);
});

function turnTaker(copy: CheckoutCopy, before = ''): RunningProgram {
  const program = `${before}\n${takeOneTurn}`;
  return start(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: copy.path,
    env: copy.env,
    patienceMs: limitMs(10_000),
  });
}

function leaveTurn(copy: CheckoutCopy, pid: string): void {
  mkdirSync(copy.at('.setup'));
  writeFileSync(copy.at('.setup', 'turn'), pid.trim());
}
