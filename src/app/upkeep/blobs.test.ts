import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { SimulatedDisk } from '../../../tests/sim/disk.ts';
import { seededRandom } from '../../../tests/sim/random.ts';
import { temporaryLedger } from '../../../tests/support/temporary-ledger.ts';
import type { Blobs } from '../../blobs/blobs.ts';
import { realEventLoop } from '../../engines/clock.ts';
import { diskError } from '../../kernel/disk/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import {
  addBlobReference,
  blobRow,
  dropReferencesOf,
  needBlob,
  reviveBlob,
} from '../../ledger/transfers/blobs.ts';
import { blobGraceMs, homeBlobs, keepBlobs } from './blobs.ts';

const dayMs = 24 * 3_600_000;
const hello = createHash('sha256').update('hello').digest('hex');

async function world() {
  const clock = new SimulatedClock();
  const disk = new SimulatedDisk({ seed: 1, clock });
  for (const path of ['/home', '/home/blobs', '/home/tmp']) await disk.makeFolder(path);
  const temporary = await temporaryLedger();
  const { ledger } = temporary;
  const deps = { disk, random: seededRandom(1), eventLoop: realEventLoop };
  const { blobs, uploads } = homeBlobs(deps, '/home');
  const told: string[] = [];
  const log = { info: () => {}, error: (_facts: object, words: string) => void told.push(words) };
  const upload = async (id: string) => {
    await uploads.open(id);
    await uploads.append(id, 0, bytesOf('hello'));
  };
  const refer = (transfer: string) =>
    ledger.transact(async (tx) => {
      const at = clock.now();
      await needBlob(tx, { hash: hello, sizeBytes: 5, at });
      const referrer = `transfer:${transfer}`;
      await addBlobReference(tx, { hash: hello, referrer, at, expiresAt: at + 7 * dayMs });
    });
  return {
    ...{ clock, ledger, blobs, uploads, told, upload, refer },
    /** The way of a transfer: bytes, row, end of the upload. */
    async send(id: string) {
      await upload(id);
      await uploads.finish(id);
      await refer(id);
      await uploads.discard(id);
    },
    /** The way of one whose bytes are known: false when they have to be stored again. */
    sendKnown: (transfer: string) =>
      ledger.transact(async (tx) => {
        if (!(await reviveBlob(tx, hello))) return false;
        const at = clock.now();
        const referrer = `transfer:${transfer}`;
        await addBlobReference(tx, { hash: hello, referrer, at, expiresAt: at + 7 * dayMs });
        return true;
      }),
    drop: (transfer: string) =>
      ledger.transact((tx) => dropReferencesOf(tx, `transfer:${transfer}`)),
    keep: (other: Partial<Parameters<typeof keepBlobs>[0]> = {}) =>
      keepBlobs({ ledger, clock, log, blobs, uploads, ...other }),
    isThere: async () => (await blobs.stat(hello)) !== undefined,
    hasRow: async () => (await blobRow(ledger.committed, hello)) !== undefined,
    [Symbol.asyncDispose]: () => temporary[Symbol.asyncDispose](),
  };
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

describe('keepBlobs', () => {
  test('keeps what a reference needs, and lets it go in two phases when that is over', async () => {
    await using here = await world();
    await here.send('1');
    here.clock.jump(6 * dayMs);
    await here.keep();
    const whileNeeded = await here.isThere();

    here.clock.jump(dayMs);
    await here.keep();
    const whenCondemned = await here.isThere();
    here.clock.jump(blobGraceMs);
    await here.keep();

    expect([whileNeeded, whenCondemned, await here.isThere()]).toEqual([true, true, false]);
    expect(await here.hasRow()).toBe(false);
    expect(here.told).toEqual([]);
  });

  test('does not go on with what is needed again before the second phase', async () => {
    await using here = await world();
    await here.send('1');
    await here.drop('1');
    here.clock.jump(dayMs);
    await here.keep();

    expect(await here.sendKnown('2')).toBe(true);
    here.clock.jump(dayMs);
    await here.keep();

    expect([await here.isThere(), await here.hasRow()]).toEqual([true, true]);
  });

  test('takes nothing for a clock that is ahead for a while', async () => {
    await using here = await world();
    await here.send('1');
    here.clock.jump(100 * dayMs);
    await here.keep();
    here.clock.jump(-100 * dayMs);

    await here.keep();
    here.clock.jump(2 * blobGraceMs);
    await here.keep();

    expect([await here.isThere(), await here.hasRow()]).toEqual([true, true]);
  });

  test('removes a file without a row when it is old, and not before', async () => {
    await using here = await world();
    await here.blobs.put(bytesOf('hello'));
    here.clock.jump(blobGraceMs - 1);
    await here.keep();
    const whileYoung = await here.isThere();

    here.clock.jump(2);
    await here.keep();

    expect([whileYoung, await here.isThere()]).toEqual([true, false]);
  });

  test('discards an upload without a row when it is old, and no other', async () => {
    await using here = await world();
    await here.upload('with-row');
    await here.upload('without-row');
    await here.ledger.transact((tx) =>
      tx.run(
        `insert into transfer_uploads (id, sender, sealed, wish, reserved_bytes, created_at,
           touched_at) values ('with-row', 'jean', 1, '{}', 5, 1, 1)`,
      ),
    );
    await here.keep();
    const whileYoung = await Array.fromAsync(here.uploads.list());

    here.clock.jump(30 * dayMs);
    await here.keep();

    expect(whileYoung).toHaveLength(2);
    expect(await Array.fromAsync(here.uploads.list())).toMatchObject([{ id: 'with-row' }]);
  });

  test('a file that went before its row was deleted does no harm', async () => {
    await using here = await world();
    await here.send('1');
    await here.drop('1');
    await here.keep();
    await here.blobs.delete(hello);
    here.clock.jump(dayMs);

    await here.keep();

    expect(await here.hasRow()).toBe(false);
    expect(here.told).toEqual([]);
  });

  test('tells what fails, and goes on with the rest', async () => {
    await using here = await world();
    await here.upload('without-row');
    here.clock.jump(dayMs);
    const list = (): never => {
      throw diskError('EIO', '/home/blobs');
    };

    await here.keep({ blobs: { ...here.blobs, list, delete: async () => false } });

    expect(here.told).toEqual(['cannot look after stored files without a row']);
    expect(await Array.fromAsync(here.uploads.list())).toEqual([]);
  });
});

describe('whoever sends the same while it goes', () => {
  /** Lets `meanwhile` run before that call of the upkeep; how many calls there were. */
  async function keepWith(
    here: Awaited<ReturnType<typeof world>>,
    meanwhile: (call: number) => Promise<void>,
  ): Promise<number> {
    let calls = 0;
    const ledger: Ledger = Object.assign(Object.create(here.ledger), {
      committed: here.ledger.committed,
      transact: async (work: Parameters<Ledger['transact']>[0]) => {
        await meanwhile(++calls);
        return here.ledger.transact(work);
      },
    });
    const blobs: Pick<Blobs, 'list' | 'delete'> = {
      list: async function* () {
        await meanwhile(++calls);
        for await (const one of here.blobs.list()) {
          yield one;
          await meanwhile(++calls);
        }
      },
      delete: async (hash, options) => {
        await meanwhile(++calls);
        return here.blobs.delete(hash, options);
      },
    };
    await here.keep({ ledger, blobs });
    return calls;
  }

  /** Something old that nobody needs: condemned long ago, or without a row. */
  async function goingWorld(kind: 'condemned' | 'orphan') {
    const here = await world();
    if (kind === 'condemned') {
      await here.send('1');
      await here.drop('1');
      await here.keep();
    } else await here.blobs.put(bytesOf('hello'));
    here.clock.jump(dayMs);
    return here;
  }

  test.each(['condemned', 'orphan'] as const)(
    'has it, whenever bytes and row come (%s)',
    async (kind) => {
      await using trial = await goingWorld(kind);
      const most = (await keepWith(trial, async () => {})) + 1;
      expect(most).toBeGreaterThan(3);
      for (let bytesAt = 1; bytesAt <= most; bytesAt++) {
        for (let rowAt = bytesAt; rowAt <= most; rowAt++) {
          await using here = await goingWorld(kind);
          await here.upload('2');
          const meanwhile = async (call: number) => {
            if (call === bytesAt) await here.uploads.finish('2');
            if (call === rowAt) await here.refer('2');
          };

          const calls = await keepWith(here, meanwhile);
          for (let call = calls + 1; call <= most; call++) await meanwhile(call);

          const found = { bytesAt, rowAt, file: await here.isThere(), row: await here.hasRow() };
          expect(found).toEqual({ bytesAt, rowAt, file: true, row: true });
        }
      }
    },
  );

  test('has what was known, or hears that it is not there any more', async () => {
    await using trial = await goingWorld('condemned');
    const most = (await keepWith(trial, async () => {})) + 1;
    const answers = new Set<boolean>();
    for (let at = 1; at <= most; at++) {
      await using here = await goingWorld('condemned');
      let isSent: boolean | undefined;
      const meanwhile = async (call: number) => {
        if (call === at) isSent = await here.sendKnown('2');
      };

      const calls = await keepWith(here, meanwhile);
      for (let call = calls + 1; call <= most; call++) await meanwhile(call);

      const found = { at, file: await here.isThere(), row: await here.hasRow() };
      expect(found).toEqual({ at, file: isSent, row: isSent });
      answers.add(isSent === true);
    }
    expect(answers).toEqual(new Set([true, false]));
  });
});
