import { expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { SimulatedCrash, SimulatedDisk } from '../../../tests/sim/disk.ts';
import { seededRandom } from '../../../tests/sim/random.ts';
import { realEventLoop } from '../../engines/clock.ts';
import { bulkOver } from '../../kernel/disk/bulk-disk.ts';
import { readWholeFile } from '../../kernel/disk/durable-file.ts';
import { InboxFiles } from './inbox-files.ts';

async function place(seed = 1) {
  const disk = new SimulatedDisk({ seed, clock: new SimulatedClock() });
  for (const path of ['/agents', '/agents/jean', '/agents/jean/inbox', '/run']) {
    await disk.makeFolder(path);
  }
  const open = (start: number) =>
    new InboxFiles({
      disk,
      bulk: bulkOver(disk),
      eventLoop: realEventLoop,
      random: seededRandom(start),
      home: '',
    });
  const textAt = async (path: string) =>
    Buffer.from(await readWholeFile(disk, path, 1000)).toString();
  return { disk, open, inboxes: open(1), textAt };
}

const three = ['1.msg', '2.msg', '3.msg'].map((name) => ({ name, text: `text of ${name}` }));

test('write() puts each file into the inbox, and nothing is left when that is noted', async () => {
  const { disk, inboxes, textAt } = await place();

  const batch = await inboxes.write('jean', three);
  await batch.noted();

  expect(batch).toMatchObject({ count: 3, failure: undefined });
  expect(await inboxes.list('jean')).toEqual(new Set(['1.msg', '2.msg', '3.msg']));
  expect(await textAt('/agents/jean/inbox/2.msg')).toBe('text of 2.msg');
  expect(await disk.list('/run/inboxes')).toEqual([]);
});

test('write() may be repeated with the same files', async () => {
  const { inboxes } = await place();
  await (await inboxes.write('jean', three)).noted();

  const again = await inboxes.write('jean', three);

  expect(again).toMatchObject({ count: 3, failure: undefined });
  expect(await inboxes.list('jean')).toHaveProperty('size', 3);
});

test('write() tells that the inbox is gone, and make() makes it', async () => {
  const { disk, inboxes } = await place();
  await disk.remove('/agents/jean/inbox');
  const failed = await inboxes.write('jean', three);
  await failed.noted();
  expect(failed).toMatchObject({ count: 0, isInboxGone: true });

  await inboxes.make('jean');
  await inboxes.make('jean');
  const batch = await inboxes.write('jean', three);

  expect(batch).toMatchObject({ count: 3, isInboxGone: false });
});

test('write() tells of an agent without a folder, and throws nothing', async () => {
  const { inboxes } = await place();

  const batch = await inboxes.write('paul', three);

  expect(batch).toMatchObject({ count: 0, failure: { code: 'disk.missing' } });
});

test('write() does not follow a symlink in place of the inbox', async () => {
  const { disk, inboxes } = await place();
  await disk.remove('/agents/jean/inbox');
  disk.plantSymlink('/agents/jean/inbox');

  const batch = await inboxes.write('jean', three);

  expect(batch).toMatchObject({ count: 0, failure: { code: 'disk.not-a-folder' } });
});

test('write() tells how many got there when something stands in the way of one', async () => {
  const { disk, inboxes } = await place();
  await disk.makeFolder('/agents/jean/inbox/2.msg');

  const batch = await inboxes.write('jean', three);
  await batch.noted();

  expect(batch).toMatchObject({ count: 1, failure: { code: 'disk.not-a-file' } });
  expect(await disk.list('/run/inboxes')).toEqual([]);
});

test('remove() takes files away, also those that are gone', async () => {
  const { inboxes } = await place();
  await inboxes.write('jean', three);

  await inboxes.remove('jean', ['1.msg', '3.msg', 'never.msg']);

  expect(await inboxes.list('jean')).toEqual(new Set(['2.msg']));
  expect(await inboxes.list('paul')).toBeUndefined();
});

test('interrupted() knows what reached the inbox, wherever the process died', async () => {
  for (let call = 1; ; call++) {
    const { disk, open, inboxes } = await place();
    const inInbox = async (): Promise<readonly string[]> => disk.list('/agents/jean/inbox');
    const start = disk.calls;
    let done = false;
    // Death of the process, not of the power: after that many calls nothing happens any more.
    const dying = new Proxy(disk, {
      get(target, key) {
        const member: unknown = Reflect.get(target, key);
        if (typeof member !== 'function') return member;
        return (...given: unknown[]) => {
          if (disk.calls - start >= call) throw new SimulatedCrash('killed');
          return member.apply(target, given);
        };
      },
    });
    const mortal = new InboxFiles({
      disk: dying,
      bulk: bulkOver(dying),
      eventLoop: realEventLoop,
      random: seededRandom(9),
      home: '',
    });
    await mortal.write('jean', three).then(
      () => {
        done = true;
      },
      () => {},
    );
    const reached = await inInbox();
    // The agent takes them away at once.
    for (const name of reached) await disk.remove(`/agents/jean/inbox/${name}`);

    const found = await open(2).interrupted();

    expect(found.flatMap((batch) => batch.reached)).toEqual(reached);
    for (const batch of found) await batch.noted();
    expect(await disk.list('/run/inboxes').catch(() => [])).toEqual([]);
    expect(await inboxes.interrupted()).toEqual([]);
    if (done) break;
  }
});

test('interrupted() passes over what this process is just writing', async () => {
  const { inboxes } = await place();
  await inboxes.write('jean', three);

  expect(await inboxes.interrupted()).toEqual([]);
});

test('interrupted() takes a record that is not whole for none', async () => {
  const { disk, open } = await place();
  await disk.makeFolder('/run/inboxes');
  for (const [name, text] of [
    ['ab.0', 'text'],
    ['ab.batch', '{"recipient":"jean","names":["1.m'],
    ['cd.batch', '"jean"\n'],
  ] as const) {
    await using writer = await disk.create(`/run/inboxes/${name}`);
    await writer.append(Buffer.from(text));
  }

  expect(await open(2).interrupted()).toEqual([]);
  expect(await disk.list('/run/inboxes')).toEqual([]);
});
