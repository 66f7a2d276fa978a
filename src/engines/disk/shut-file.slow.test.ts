import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keepCompiled } from '../../../tests/support/keep-compiled.ts';
import { runAsOrdinary } from '../../../tests/support/ordinary.ts';
import { type TemporaryFolder, temporaryFolder } from '../../../tests/support/temporary-folder.ts';

keepCompiled();

const modes = [0o000, 0o200, 0o400];

/** A log of 500 bytes that its program has shut, by a user who may not do everything. */
function withShutLog(folder: TemporaryFolder, mode: number, script: string): unknown {
  const path = folder.at('a.log');
  writeFileSync(path, `${'x'.repeat(499)}\n`);
  chmodSync(path, mode);
  const engine = (name: string) => JSON.stringify(join(import.meta.dirname, name));
  return runAsOrdinary(`
    import { chmodSync } from 'node:fs';
    import { openProgramLogs } from ${engine('../process/program-logs.ts')};
    import { openPrograms } from ${engine('../process/programs.ts')};
    import { realClock } from ${engine('../clock.ts')};
    const path = ${JSON.stringify(path)};
    const folder = ${JSON.stringify(folder.path)};
    const logs = openProgramLogs({ limitBytes: 100, keep: 3 });
    ${script}`);
}

test.each(modes)('a log that its program has shut (%i) is measured and read', async (mode) => {
  await using folder = temporaryFolder();

  const script = `
    const size = logs.sizeOf(path);
    chmodSync(path, ${mode});
    console.log(JSON.stringify([size, logs.tail(path, { from: 0, mostBytes: 3 })]));`;

  expect(withShutLog(folder, mode, script)).toEqual([500, 'xx\n']);
});

test.each(modes)('a log that its program has shut (%i) moves on', async (mode) => {
  await using folder = temporaryFolder();

  const moved = withShutLog(folder, mode, 'console.log(JSON.stringify(await logs.rotate(path)));');

  expect(moved).toBe(true);
  expect(statSync(folder.at('a.log'))).toMatchObject({ size: 0 });
  expect(statSync(folder.at('a.log')).mode & 0o777).toBe(0o600);
  expect(readFileSync(folder.at('a.log.1'), 'utf8')).toBe(`${'x'.repeat(99)}\n`);
});

test.each(modes)('a program starts again with a log that it has shut (%i)', async (mode) => {
  await using folder = temporaryFolder();
  mkdirSync(folder.at('status'));

  const end = withShutLog(
    folder,
    mode,
    `
    const program = await openPrograms({ clock: realClock }).start({
      id: '1', argv: ['sh', '-c', 'echo again; chmod 000 /proc/self/fd/1; echo still'],
      cwd: folder, env: { PATH: '/usr/bin:/bin' }, logPath: path, statusFolder: folder + '/status',
    });
    const end = await program.ended;
    await program.kill();
    console.log(JSON.stringify([end, logs.tail(path, { from: 500, mostBytes: 100 })]));`,
  );

  expect(end).toEqual([{ kind: 'exited', code: 0 }, 'again\nstill\n']);
});

test('a log in a folder that is shut is refused as before', async () => {
  await using folder = temporaryFolder();
  mkdirSync(folder.at('shut'));
  writeFileSync(folder.at('shut', 'a.log'), 'words');
  chmodSync(folder.at('shut'), 0o000);

  const script = `
    let told;
    try { logs.sizeOf(folder + '/shut/a.log'); } catch ({ code }) { told = code; }
    console.log(JSON.stringify(told));`;

  expect(withShutLog(folder, 0o600, script)).toBe('disk.denied');
  chmodSync(folder.at('shut'), 0o700);
});
