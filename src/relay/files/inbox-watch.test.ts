import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { SimulatedDisk } from '../../../tests/sim/disk.ts';
import { SimulatedWatching } from '../../../tests/sim/watching.ts';
import { realEventLoop } from '../../engines/clock.ts';
import type { DiskView } from '../../kernel/ports.ts';
import { InboxWatch } from './inbox-files.ts';
import { NoticeBursts } from './outbox.ts';

async function place() {
  const clock = new SimulatedClock();
  const disk = new SimulatedDisk({ seed: 1, clock });
  const watching = new SimulatedWatching({ disk, clock });
  for (const path of ['/agents', '/agents/jean', '/agents/jean/inbox']) await disk.makeFolder(path);
  const gone: (readonly [string, readonly string[]])[] = [];
  const lines: string[] = [];
  const looks: string[] = [];
  const counted: DiskView = {
    read: (path) => disk.read(path),
    list: (path) => disk.list(path),
    readLink: (path) => disk.readLink(path),
    stat(path) {
      looks.push(path);
      return disk.stat(path);
    },
  };
  const line = (_facts: object, words: string) => void lines.push(words);
  const bursts = new NoticeBursts(realEventLoop);
  const watch = new InboxWatch({
    bursts,
    ...{ disk: counted, watching, clock, home: '' },
    log: { info: line, warn: line, error: line },
    onGone: (recipient, names) => void gone.push([recipient, names]),
  });
  return {
    ...{ disk, watching, watch, gone, lines, looks },
    async add(name: string): Promise<void> {
      await using _ = await disk.create(`/agents/jean/inbox/${name}`);
    },
    /** As the relay does it: written elsewhere, and moved in whole. */
    async deliver(name: string): Promise<void> {
      await (await disk.create('/pending'))[Symbol.asyncDispose]();
      await disk.rename('/pending', `/agents/jean/inbox/${name}`);
    },
    remove: (name: string) => disk.remove(`/agents/jean/inbox/${name}`),
    async pass(): Promise<void> {
      await nextTurn();
      await clock.advance(50);
      await nextTurn();
    },
    [Symbol.asyncDispose]: () => watch[Symbol.asyncDispose](),
  };
}

test('what an agent took away is told together, and what is still there is not', async () => {
  await using inbox = await place();
  inbox.watch.expect('jean');
  for (const name of ['1.msg', '2.msg', '3.msg']) await inbox.add(name);

  await inbox.remove('1.msg');
  await inbox.remove('3.msg');
  await inbox.pass();

  expect(inbox.gone).toEqual([['jean', ['1.msg', '3.msg']]]);
});

test('an inbox is watched once, and not after it was forgotten', async () => {
  await using inbox = await place();
  await inbox.add('1.msg');
  inbox.watch.expect('jean');
  inbox.watch.expect('jean');
  expect(inbox.watching.watched).toEqual(['/agents/jean/inbox']);

  inbox.watch.forget('jean');
  await inbox.remove('1.msg');
  await inbox.pass();

  expect(inbox.gone).toEqual([]);
  expect(inbox.watching.watched).toEqual([]);
});

test('an inbox that was removed is watched again when it is expected again', async () => {
  await using inbox = await place();
  inbox.watch.expect('jean');
  await inbox.disk.remove('/agents/jean/inbox');
  await inbox.pass();
  expect(inbox.watching.watched).toEqual([]);

  await inbox.disk.makeFolder('/agents/jean/inbox');
  inbox.watch.expect('jean');

  expect(inbox.watching.watched).toEqual(['/agents/jean/inbox']);
});

test('when nothing can be watched it is said once, and nothing breaks', async () => {
  await using inbox = await place();
  inbox.watching.watchesLeft = 0;

  inbox.watch.expect('jean');
  inbox.watch.expect('jean');

  expect(inbox.lines).toHaveLength(1);
});

test('a message that was announced is not looked for when it comes', async () => {
  await using inbox = await place();
  inbox.watch.expect('jean', ['1.msg', '2.msg']);

  await inbox.deliver('1.msg');
  await inbox.deliver('2.msg');
  await inbox.pass();

  expect(inbox.looks).toEqual([]);
  expect(inbox.gone).toEqual([]);
});

test('a message that nobody announced is looked for when it comes', async () => {
  await using inbox = await place();
  inbox.watch.expect('jean', ['1.msg']);

  await inbox.deliver('2.msg');
  await inbox.pass();

  expect(inbox.looks).toContain('/agents/jean/inbox/2.msg');
  expect(inbox.gone).toEqual([]);
});

test('a message that was announced and taken away at once is told to be gone', async () => {
  await using inbox = await place();
  inbox.watch.expect('jean', ['1.msg', '2.msg']);

  await inbox.deliver('1.msg');
  await inbox.deliver('2.msg');
  await inbox.remove('1.msg');
  await inbox.pass();

  expect(inbox.gone).toEqual([['jean', ['1.msg']]]);
  expect(inbox.looks).not.toContain('/agents/jean/inbox/2.msg');
});

test('a message that was announced and taken away much later is told to be gone', async () => {
  await using inbox = await place();
  inbox.watch.expect('jean', ['1.msg']);
  await inbox.deliver('1.msg');
  await inbox.pass();

  await inbox.remove('1.msg');
  await inbox.pass();

  expect(inbox.gone).toEqual([['jean', ['1.msg']]]);
});

test('a message that was announced and never came hides no other that is taken away', async () => {
  await using inbox = await place();
  await inbox.add('1.msg');
  await inbox.add('2.msg');
  inbox.watch.expect('jean', ['never.msg']);

  await inbox.remove('1.msg');
  await inbox.pass();
  inbox.watch.expect('jean', ['3.msg']);
  await inbox.deliver('3.msg');
  await inbox.remove('3.msg');
  await inbox.remove('2.msg');
  await inbox.pass();

  expect(inbox.gone).toEqual([
    ['jean', ['1.msg']],
    ['jean', ['3.msg', '2.msg']],
  ]);
});

test('a message that was announced to one agent is looked for in the inbox of another', async () => {
  await using inbox = await place();
  for (const path of ['/agents/lina', '/agents/lina/inbox']) await inbox.disk.makeFolder(path);
  await inbox.add('1.msg');
  inbox.watch.expect('jean');
  inbox.watch.expect('lina', ['1.msg']);

  await inbox.remove('1.msg');
  await inbox.pass();

  expect(inbox.gone).toEqual([['jean', ['1.msg']]]);
});

test('what was announced is forgotten with the inbox', async () => {
  await using inbox = await place();
  inbox.watch.expect('jean', ['1.msg']);
  inbox.watch.forget('jean');
  await inbox.deliver('1.msg');
  inbox.watch.expect('jean');

  await inbox.remove('1.msg');
  await inbox.pass();

  expect(inbox.gone).toEqual([['jean', ['1.msg']]]);
});

test('what was announced is forgotten when the inbox cannot be watched', async () => {
  await using inbox = await place();
  inbox.watching.watchesLeft = 0;
  inbox.watch.expect('jean', ['1.msg']);
  await inbox.deliver('1.msg');
  inbox.watching.watchesLeft = 1;
  inbox.watch.expect('jean');

  await inbox.remove('1.msg');
  await inbox.pass();

  expect(inbox.gone).toEqual([['jean', ['1.msg']]]);
});
