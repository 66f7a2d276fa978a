import { describe, expect, test } from 'vitest';
import { realDisk } from '../../src/engines/disk/disk.ts';
import { realFileWatching } from '../../src/engines/disk/file-watching.ts';
import type { Disk, Watching } from '../../src/kernel/ports.ts';
import { SimulatedClock } from '../sim/clock.ts';
import { SimulatedDisk } from '../sim/disk.ts';
import { SimulatedWatching } from '../sim/watching.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { untilTrue } from '../support/until.ts';

/** A disk with an empty folder on it that can be watched. */
interface Place extends AsyncDisposable {
  readonly disk: Disk;
  readonly watching: Watching;
  at(...names: string[]): string;
}

const forms: readonly { readonly form: string; open(): Place }[] = [
  {
    form: 'real',
    open: () => ({ ...temporaryFolder(), disk: realDisk, watching: realFileWatching }),
  },
  { form: 'simulated', open: openSimulated },
];

function openSimulated(): Place {
  const clock = new SimulatedClock();
  const disk = new SimulatedDisk({ seed: 1, clock });
  const watching = new SimulatedWatching({ disk, clock });
  return {
    ...{ disk, watching },
    at: (...names) => `/${names.join('/')}`,
    [Symbol.asyncDispose]: async () => watching[Symbol.dispose](),
  };
}

async function write(disk: Disk, path: string): Promise<void> {
  await using writer = await disk.create(path);
  await writer.append(Buffer.from('text'));
}

describe.each(forms)('the $form watching', ({ open }) => {
  test('tells the names that come, go, are moved in and out, or written', async () => {
    await using place = open();
    await place.disk.makeFolder(place.at('watched'));
    await write(place.disk, place.at('watched', 'removed'));
    await write(place.disk, place.at('watched', 'moved-out'));
    await write(place.disk, place.at('outside'));
    const names = new Set<string | undefined>();
    using _watch = place.watching.watch(place.at('watched'), (name) => void names.add(name));

    await write(place.disk, place.at('watched', 'written'));
    await place.disk.remove(place.at('watched', 'removed'));
    await place.disk.rename(place.at('watched', 'moved-out'), place.at('elsewhere'));
    await place.disk.rename(place.at('outside'), place.at('watched', 'moved-in'));
    await untilTrue(() => names.has('moved-in'));

    expect(names).toEqual(new Set(['written', 'removed', 'moved-out', 'moved-in']));
  });

  test('tells of a move from one watched folder to another in that order', async () => {
    await using place = open();
    await place.disk.makeFolder(place.at('from'));
    await place.disk.makeFolder(place.at('to'));
    const told: string[] = [];
    using _from = place.watching.watch(place.at('from'), (name) => void told.push(`from ${name}`));
    using _to = place.watching.watch(place.at('to'), (name) => void told.push(`to ${name}`));

    await write(place.disk, place.at('from', 'a'));
    await place.disk.rename(place.at('from', 'a'), place.at('to', 'a'));
    await untilTrue(() => told.includes('to a'));

    expect(told.at(-2)).toBe('from a');
    expect(told.at(-1)).toBe('to a');
  });

  test.each(['removed', 'moved away'])('ends when the folder is %s', async (how) => {
    await using place = open();
    await place.disk.makeFolder(place.at('watched'));
    const told: (string | undefined)[] = [];
    using watch = place.watching.watch(place.at('watched'), (name) => void told.push(name));

    if (how === 'removed') await place.disk.remove(place.at('watched'));
    else await place.disk.rename(place.at('watched'), place.at('elsewhere'));
    await untilTrue(() => !watch.open);

    expect(watch.open).toBe(false);
    expect(told).toEqual([undefined]);
  });

  test('tells nothing after it was closed, which may be repeated', async () => {
    await using place = open();
    const told: (string | undefined)[] = [];
    const watch = place.watching.watch(place.at(), (name) => void told.push(name));
    using other = place.watching.watch(place.at(), (name) => void others.push(name));
    const others: (string | undefined)[] = [];
    watch[Symbol.dispose]();
    watch[Symbol.dispose]();

    await write(place.disk, place.at('a'));
    await untilTrue(() => others.length > 0);

    expect(watch.open).toBe(false);
    expect(other.open).toBe(true);
    expect(told).toEqual([]);
  });
});

test('the real watching refuses what is not there', () => {
  expect(() => realFileWatching.watch('/nowhere/at/all', () => {})).toThrow(
    expect.objectContaining({ code: 'disk.missing' }),
  );
});

test('the simulated watching loses what its seed says', async () => {
  const clock = new SimulatedClock();
  const disk = new SimulatedDisk({ seed: 1, clock });
  using watching = new SimulatedWatching({ disk, clock, lostPercent: 50 });
  let told = 0;
  using _watch = watching.watch('/', () => void told++);

  for (let count = 0; count < 200; count++) await disk.makeFolder(`/${count}`);

  expect(told).toBeGreaterThan(50);
  expect(told).toBeLessThan(150);
});
