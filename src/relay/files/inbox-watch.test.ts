import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { SimulatedDisk } from '../../../tests/sim/disk.ts';
import { SimulatedWatching } from '../../../tests/sim/watching.ts';
import { InboxWatch } from './inbox-watch.ts';

async function place() {
  const clock = new SimulatedClock();
  const disk = new SimulatedDisk({ seed: 1, clock });
  const watching = new SimulatedWatching({ disk, clock });
  for (const path of ['/agents', '/agents/jean', '/agents/jean/inbox']) await disk.makeFolder(path);
  const gone: (readonly [string, readonly string[]])[] = [];
  const lines: string[] = [];
  const line = (_facts: object, words: string) => void lines.push(words);
  const watch = new InboxWatch({
    ...{ disk, watching, clock, home: '' },
    log: { info: line, warn: line, error: line },
    onGone: (recipient, names) => void gone.push([recipient, names]),
  });
  return {
    ...{ disk, watching, watch, gone, lines },
    async add(name: string): Promise<void> {
      await using _ = await disk.create(`/agents/jean/inbox/${name}`);
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
