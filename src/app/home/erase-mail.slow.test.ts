import { mkdirSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { filesWith } from '../../../tests/support/files-with.ts';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { temporaryRelay } from '../../../tests/support/temporary-relay.ts';
import { untilTrue } from '../../../tests/support/until.ts';
import { realClock, realEventLoop, realRandom } from '../../engines/clock.ts';
import { realDisk } from '../../engines/disk/disk.ts';
import { bulkOver } from '../../kernel/disk/bulk-disk.ts';
import { purgeDebts } from '../../ledger/memory/uses.ts';
import { eraseUsers } from '../../memory/erase-users.ts';
import { eraseFiles } from '../../relay/files/erase-files.ts';
import { InboxFiles } from '../../relay/files/inbox-files.ts';

const canary = 'canary-2b90';

/** Messages go into real inboxes, as soon as the test lets them. */
async function place() {
  await using opened = new AsyncDisposableStack();
  const home = opened.use(temporaryFolder());
  mkdirSync(home.at('agents', 'jean', 'inbox'), { recursive: true });
  mkdirSync(home.at('run'));
  const bulk = bulkOver(realDisk);
  const gate = Promise.withResolvers<void>();
  const inboxes = () =>
    new InboxFiles({
      ...{ disk: realDisk, eventLoop: realEventLoop, random: realRandom, home: home.path },
      bulk: {
        ...bulk,
        moveFiles: async (...moves: Parameters<typeof bulk.moveFiles>) => {
          await gate.promise;
          return bulk.moveFiles(...moves);
        },
      },
    });
  const relay = opened.use(await temporaryRelay({ deps: { inboxes: inboxes() } }));
  opened.defer(() => gate.resolve());
  await relay.register('jean', 'sam');
  const { ledger } = relay;
  const erasing = {
    ...{ ledger, clock: realClock },
    eraseFiles: (id: string) =>
      eraseFiles(
        { ...{ disk: realDisk, clock: realClock, home: home.path, sql: ledger.committed } },
        id,
      ),
  };
  const erase = (deps: Parameters<typeof eraseUsers>[0], id: string) =>
    eraseUsers(
      deps,
      { ids: new Set(), users: new Set(), later: new Set() },
      { ids: [], users: [`message:${id}`] },
    );
  const kept = opened.move();
  return {
    ...{ home, relay, ledger, erasing, erase, inboxes, open: () => gate.resolve() },
    /** As a file that waits for its place in the inbox. */
    onItsWay: () => untilTrue(() => filesWith(home.path, canary).length > 0),
    has: async (table: string, where: string) =>
      (await ledger.committed.get(`select 1 from ${table} where ${where}`)) !== undefined,
    lying: () => readdirSync(home.at('agents', 'jean', 'inbox')),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

test('a message that is on its way into an inbox while it is erased leaves no file with its text', async () => {
  await using here = await place();
  const id = await here.relay.send('sam', { to: 'jean', body: canary });
  await here.onItsWay();

  const erased = here.erase(here.erasing, id);
  await untilTrue(() => here.has('messages', `body = 'purged'`));
  here.open();
  await erased;
  await untilTrue(() => here.has('deliveries', 'owner is null'));

  expect(filesWith(here.home.path, canary)).toEqual([]);
  expect(here.lying()).toEqual([]);
  expect(await purgeDebts(here.ledger.committed)).toEqual([]);
});

test('a process that dies while it erases a message that is on its way leaves a note to go on', async () => {
  await using here = await place();
  const id = await here.relay.send('sam', { to: 'jean', body: canary });
  await here.onItsWay();

  // It dies while the file is on its way: what is left of the erasing is a debt.
  await here.erase({ ...here.erasing, eraseFiles: async () => false }, id);
  const debts = await purgeDebts(here.ledger.committed);
  here.open();
  await here.relay.until(id, 'delivered');
  await here.relay.restart({ inboxes: here.inboxes() });
  const before = here.lying();
  await here.erase(here.erasing, id);

  expect(debts).toEqual([`message:${id}`]);
  expect(before).toHaveLength(1);
  expect(filesWith(here.home.path, canary)).toEqual([]);
  expect(await purgeDebts(here.ledger.committed)).toEqual([]);
});
