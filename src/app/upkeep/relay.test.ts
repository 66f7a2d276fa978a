import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { seededRandom } from '../../../tests/sim/random.ts';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { temporaryRelay } from '../../../tests/support/temporary-relay.ts';
import { FileBlobs } from '../../blobs/fs.ts';
import { realDisk } from '../../engines/disk/disk.ts';
import { diskError } from '../../kernel/disk/errors.ts';
import type { Disk } from '../../kernel/ports.ts';
import { keepRelay, makeRoomOnDisk } from './relay.ts';

const dayMs = 86_400_000;

async function world(disk: Disk = realDisk) {
  const clock = new SimulatedClock();
  const folder = temporaryFolder();
  for (const name of ['archive', 'attachments', 'tmp']) mkdirSync(folder.at(name));
  const relay = await temporaryRelay({ clock, deps: { hasAttachment: async () => true } });
  await relay.register('jean', 'samantha');
  const random = seededRandom(1);
  const root = folder.at('attachments');
  const attachments = new FileBlobs(
    { disk: realDisk, random },
    { root, temporary: folder.at('tmp') },
  );
  const errors: string[] = [];
  const deps = {
    ...{ ledger: relay.ledger, clock, disk, random, home: folder.path },
    log: { info: () => {}, error: (_facts: object, words: string) => void errors.push(words) },
    ...{ archiveDays: 30, attachments },
  };
  const usage = { usedPercent: 50, isBroken: false };
  const volume = {
    usage: async () => {
      if (usage.isBroken) throw diskError('EIO', folder.path);
      const { usedPercent } = usage;
      return {
        usedBytes: usedPercent,
        freeBytes: 100 - usedPercent,
        writableBytes: 99,
        writableFiles: 99,
        fileSystem: 'ext4',
      };
    },
  };
  return {
    ...{ clock, relay, folder, attachments, errors, usage },
    keep: () => keepRelay(deps),
    makeRoom: () => makeRoomOnDisk({ ...deps, volume, alertPercent: 90 }),
    /** A message that is over, and its file in the archive of its day. */
    async oldMessage(attachment?: string): Promise<string> {
      const draft = { to: 'samantha', attachments: attachment === undefined ? [] : [attachment] };
      const id = await relay.send('jean', draft);
      await relay.relay.mailboxes.markRead('samantha', [id]);
      const day = new Date(clock.now()).toISOString().slice(0, 10);
      mkdirSync(folder.at(join('archive', day, 'jean')), { recursive: true });
      writeFileSync(folder.at(join('archive', day, 'jean', `${id}.msg`)), 'TO: samantha\n\n');
      return id;
    },
    async put(text: string, ageMs: number): Promise<string> {
      const { hash } = await attachments.put(bytesOf(text));
      const seconds = (clock.now() - ageMs) / 1000;
      utimesSync(join(root, hash.slice(0, 2), hash), seconds, seconds);
      return hash;
    },
    days: () => readdirSync(folder.at('archive')),
    async pruned() {
      const events = await relay.ledger.committed.all<{ data: string }>(
        `select data from events where kind = 'archive.pruned' order by seq`,
      );
      return events.map(({ data }) => JSON.parse(data));
    },
    async [Symbol.asyncDispose]() {
      await relay[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

describe('keepRelay', () => {
  test('removes messages and days of the archive that are too old, and no others', async () => {
    await using here = await world();
    const old = await here.oldMessage();
    await here.keep();
    here.clock.jump(1.5 * dayMs);
    const young = await here.oldMessage();
    for (let day = 0; day < 35; day++) {
      here.clock.jump(0.85 * dayMs);
      await here.keep();
    }

    expect(await here.relay.relay.history(old)).toBeUndefined();
    expect(await here.relay.relay.history(young)).toBeDefined();
    expect(here.days()).toEqual(['2030-01-02']);
    expect(await here.pruned()).toEqual([{ packed: 0, removed_days: ['2030-01-01'] }]);
  });

  test('takes two days at most when the clock is months ahead for a while', async () => {
    await using here = await world();
    const ids: string[] = [];
    for (let day = 0; day < 5; day++) {
      ids.push(await here.oldMessage());
      await here.keep();
      here.clock.jump(dayMs);
    }

    here.clock.jump(200 * dayMs);
    await here.keep();

    expect(await here.relay.relay.history(ids[0] ?? '')).toBeDefined();
    expect(here.days()).toHaveLength(5);
  });

  test('sweeps attachments that nobody refers to and that are not young', async () => {
    await using here = await world();
    const used = await here.put('used', 2 * 3_600_000);
    await here.oldMessage(used);
    const unused = await here.put('unused', 2 * 3_600_000);
    const young = await here.put('young', 60_000);

    await here.keep();

    const there = async (hash: string) => (await here.attachments.stat(hash)) !== undefined;
    expect([await there(used), await there(unused), await there(young)]).toEqual([
      true,
      false,
      true,
    ]);
  });

  test('sweeps an attachment once the last message that refers to it is gone', async () => {
    await using here = await world();
    const used = await here.put('used', 0);
    await here.oldMessage(used);
    await here.keep();

    for (let day = 0; day < 31; day++) {
      here.clock.jump(dayMs);
      await here.keep();
    }

    expect(await here.attachments.stat(used)).toBeUndefined();
  });
});

describe('what fails in keepRelay', () => {
  test('keeps no other step from running, and is told', async () => {
    const list: Disk['list'] = async (path) => {
      if (path.endsWith('/archive')) throw diskError('EIO', path);
      return realDisk.list(path);
    };
    await using here = await world({ ...realDisk, list });
    const old = await here.oldMessage();
    const unused = await here.put('unused', 2 * 3_600_000);
    await here.keep();
    for (let day = 0; day < 31; day++) {
      here.clock.jump(dayMs);
      await here.keep();
    }

    expect(await here.relay.relay.history(old)).toBeUndefined();
    expect(await here.attachments.stat(unused)).toBeUndefined();
    expect(here.errors).toEqual(Array(32).fill('cannot remove old days of the archive'));
  });

  test('is not thrown by the last step, either', async () => {
    await using here = await world();
    here.attachments.list = () => {
      throw diskError('EIO', 'attachments');
    };

    await here.keep();

    expect(here.errors).toEqual(['cannot remove attachments that nobody refers to']);
  });

  test('a folder that cannot be removed from the archive keeps no day there', async () => {
    const remove: Disk['remove'] = async (path) => {
      if (path.endsWith('/closed')) throw diskError('EACCES', path);
      return realDisk.remove(path);
    };
    await using here = await world({ ...realDisk, remove });
    mkdirSync(here.folder.at('archive', '2029-01-01', 'jean', 'x.msg', 'closed'), {
      recursive: true,
    });
    mkdirSync(here.folder.at('archive', '2029-01-02', 'jean'), { recursive: true });

    await here.keep();

    expect(here.days()).toEqual(['2029-01-01']);
    expect(await here.pruned()).toEqual([{ packed: 0, removed_days: ['2029-01-02'] }]);
  });
});

describe('makeRoomOnDisk', () => {
  test('packs the archive, then removes its oldest days, and says so', async () => {
    await using here = await world();
    for (let day = 0; day < 3; day++) {
      await here.oldMessage();
      here.clock.jump(dayMs);
    }
    here.usage.usedPercent = 95;

    await here.makeRoom();

    expect(here.days()).toEqual([]);
    expect(await here.pruned()).toEqual([
      { packed: 3, removed_days: ['2030-01-01', '2030-01-02', '2030-01-03'] },
    ]);
  });

  test('touches nothing while there is room', async () => {
    await using here = await world();
    await here.oldMessage();
    here.clock.jump(dayMs);
    here.usage.usedPercent = 89;

    await here.makeRoom();

    expect(here.days()).toEqual(['2030-01-01']);
    expect(await here.pruned()).toEqual([]);
  });

  test('tells in the log what went wrong, and throws nothing', async () => {
    await using here = await world();
    here.usage.isBroken = true;

    await here.makeRoom();

    expect(here.errors).toEqual(['cannot make room by pruning the archive']);
  });
});
