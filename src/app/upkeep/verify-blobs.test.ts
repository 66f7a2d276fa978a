import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { seededRandom } from '../../../tests/sim/random.ts';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { temporaryLedger } from '../../../tests/support/temporary-ledger.ts';
import { realEventLoop } from '../../engines/clock.ts';
import { realDisk } from '../../engines/disk/disk.ts';
import { addBlobReference, needBlob } from '../../ledger/transfers/blobs.ts';
import { attachmentsOf } from '../home/relay.ts';
import { homeBlobs, verifyHomeBlobs } from './blobs.ts';

async function world() {
  const clock = new SimulatedClock();
  const folder = temporaryFolder();
  for (const name of ['blobs', 'attachments', 'tmp']) mkdirSync(folder.at(name));
  const temporary = await temporaryLedger();
  const { ledger } = temporary;
  const engines = { disk: realDisk, random: seededRandom(1), eventLoop: realEventLoop };
  const { blobs } = homeBlobs(engines, folder.path);
  const attachments = attachmentsOf(engines, folder.path);
  return {
    pathOf: (store: string, hash: string) => folder.at(store, hash.slice(0, 2), hash),
    async transfer(id: string, text: string): Promise<string> {
      const { hash, sizeBytes } = await blobs.put(bytesOf(text));
      const at = clock.now();
      await ledger.transact(async (tx) => {
        await needBlob(tx, { hash, sizeBytes, at });
        await addBlobReference(tx, { hash, referrer: `transfer:${id}`, at, expiresAt: at + 1000 });
      });
      return hash;
    },
    async attach(id: string, text: string): Promise<string> {
      const { hash } = await attachments.put(bytesOf(text));
      const reference = { hash, referrer: `message:${id}`, at: clock.now() };
      await ledger.transact((tx) => addBlobReference(tx, reference));
      return hash;
    },
    attachments,
    clock,
    verify: () => verifyHomeBlobs({ ledger, clock, eventLoop: realEventLoop, blobs, attachments }),
    async [Symbol.asyncDispose]() {
      await temporary[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

test('a home in which everything is whole has nothing to tell', async () => {
  await using home = await world();
  // More than a page of rows.
  await Promise.all(
    Array.from({ length: 510 }, (_, id) => home.transfer(`${id}`, `transfer ${id}`)),
  );
  await home.attach('1', 'attachment');
  await home.attachments.put(bytesOf('nobody sent this'));

  const found = await home.verify();

  expect(found).toMatchObject({ checked: 512, corrupt: [], missing: [], orphans: 1, more: 0 });
});

test('damaged and missing bytes are told with the transfers and messages that need them', async () => {
  await using home = await world();
  const damaged = await home.transfer('1', 'hello');
  await home.transfer('2', 'hello');
  const gone = await home.attach('3', 'attachment');
  writeFileSync(home.pathOf('blobs', damaged), 'hellO');
  rmSync(home.pathOf('attachments', gone));

  const found = await home.verify();

  expect(found.corrupt).toEqual([
    {
      ...{ hash: damaged, store: 'blobs', why: 'its bytes have another SHA-256' },
      needed_by: ['transfer:1', 'transfer:2'],
    },
  ]);
  expect(found.missing).toEqual([
    { hash: gone, store: 'attachments', why: 'it is not there', needed_by: ['message:3'] },
  ]);
});

test('what nobody needs any more may be missing', async () => {
  await using home = await world();
  const hash = await home.transfer('1', 'hello');
  rmSync(home.pathOf('blobs', hash));
  home.clock.jump(1000);

  expect(await home.verify()).toMatchObject({ checked: 0, corrupt: [], missing: [] });
});
