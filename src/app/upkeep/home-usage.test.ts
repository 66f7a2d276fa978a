import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SimulatedDisk } from '../../../tests/sim/disk.ts';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { realEventLoop } from '../../engines/clock.ts';
import { realDisk } from '../../engines/disk/disk.ts';
import { realVolume } from '../../engines/disk/volume.ts';
import { AosError } from '../../kernel/errors.ts';
import { prepareHome } from '../home/home-folder.ts';
import { measureHome } from './home-usage.ts';

const deps = { disk: realDisk, eventLoop: realEventLoop };

async function temporaryHome() {
  const folder = temporaryFolder();
  await prepareHome({ disk: realDisk, volume: realVolume }, folder.path);
  return folder;
}

test('measureHome() adds up bytes and files area by area, and agents by name', async () => {
  await using home = await temporaryHome();
  writeFileSync(home.at('ledger.db'), 'x'.repeat(100));
  writeFileSync(home.at('ledger.db-wal'), 'x'.repeat(10));
  writeFileSync(home.at('search.db'), 'x'.repeat(7));
  writeFileSync(home.at('config.json'), '{}');
  writeFileSync(home.at('.reserve'), '12345678');
  mkdirSync(home.at('agents', 'jean', 'workspace'), { recursive: true });
  mkdirSync(home.at('agents', 'jared'));
  writeFileSync(home.at('agents', 'jean', 'meta.json'), '123');
  writeFileSync(home.at('agents', 'jean', 'workspace', 'a'), '4567');
  writeFileSync(home.at('logs', 'daemon.log'), 'line\n');

  const usage = await measureHome(deps, home.path);

  const byName = Object.fromEntries(usage.items.map(({ name, ...rest }) => [name, rest]));
  expect(byName).toMatchObject({
    ledger: { bytes: 110, files: 2 },
    'agents/jared': { bytes: 0, files: 0 },
    'agents/jean': { bytes: 7, files: 2 },
    index: { bytes: 7, files: 1 },
    logs: { bytes: 5, files: 1 },
    reserve: { bytes: 8, files: 1 },
    other: { bytes: 2, files: 1 },
    blobs: { bytes: 0, files: 0 },
  });
  expect(usage.total_bytes).toBe(139);
});

test('measureHome() counts a symlink as itself and never what it leads to', async () => {
  await using home = await temporaryHome();
  mkdirSync(home.at('agents', 'jean'));
  symlinkSync('/usr', home.at('agents', 'jean', 'everything'));
  symlinkSync(home.path, home.at('tmp', 'circle'));

  const usage = await measureHome(deps, home.path);

  expect(usage.items.reduce((sum, { files }) => sum + files, 0)).toBe(2);
  expect(usage.total_bytes).toBeLessThan(1000);
});

test('measureHome() passes over what vanishes while it looks', async () => {
  const disk = new SimulatedDisk({ seed: 1 });
  await disk.makeFolder('/home');
  await disk.makeFolder('/home/blobs');
  for (const name of ['a', 'b'])
    await (await disk.create(`/home/blobs/${name}`)).append(Buffer.from('x'));
  // The list of the home, the stat and the list of blobs; then blobs/a.
  disk.failCall(disk.calls + 4, 'ENOENT');

  const usage = await measureHome({ disk, eventLoop: realEventLoop }, '/home');

  expect(usage.items).toContainEqual({ name: 'blobs', bytes: 1, files: 1 });
});

test('measureHome() does not take a failing disk for an empty one', async () => {
  const disk = new SimulatedDisk({ seed: 1 });
  await disk.makeFolder('/home');
  await disk.makeFolder('/home/blobs');
  disk.failCall(disk.calls + 2, 'EIO');

  const attempt = measureHome({ disk, eventLoop: realEventLoop }, '/home');

  await expect(attempt).rejects.toMatchObject({ code: 'disk.failed' });
});

test('measureHome() lets others have their turn, so that it can be stopped', async () => {
  await using home = await temporaryHome();
  for (let number = 0; number < 600; number++) writeFileSync(home.at('blobs', `${number}`), '');
  const stop = new AbortController();
  const reason = new AosError('interrupted.signal', { message: 'enough' });
  realEventLoop.atEndOfTurn(() => stop.abort(reason));

  await expect(measureHome(deps, home.path, stop.signal)).rejects.toBe(reason);
});
