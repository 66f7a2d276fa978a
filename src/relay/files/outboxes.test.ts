import { hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { SimulatedDisk } from '../../../tests/sim/disk.ts';
import { integerBelow, seededRandom } from '../../../tests/sim/random.ts';
import { SimulatedWatching, type SimulatedWatchingOptions } from '../../../tests/sim/watching.ts';
import { realEventLoop } from '../../engines/clock.ts';
import { bulkOver } from '../../kernel/disk/bulk-disk.ts';
import { diskError } from '../../kernel/disk/errors.ts';
import { AosError } from '../../kernel/errors.ts';
import type { Acceptance, Incoming } from '../envelope.ts';
import { NoticeBursts } from './outbox.ts';
import { Outboxes, type OutboxesDeps } from './outboxes.ts';

type Choices = Partial<OutboxesDeps> &
  Pick<SimulatedWatchingOptions, 'lostPercent' | 'latePercent'> & { readonly seed?: number };

/** A home in memory with the agents jean and mary, and a relay that accepts everything. */
async function place({ lostPercent = 0, latePercent = 0, seed = 1, ...choices }: Choices = {}) {
  const clock = new SimulatedClock();
  const disk = new SimulatedDisk({ seed, clock });
  const watching = new SimulatedWatching({ disk, clock, seed, lostPercent, latePercent });
  const handedIn: Incoming[] = [];
  const batches: number[] = [];
  const archived: string[] = [];
  const guests: string[] = [];
  const lines: string[] = [];
  const line = (level: string) => (facts: object, words: string) =>
    void lines.push(`${level} ${words} ${JSON.stringify(facts)}`);
  for (const path of ['/agents', '/agents/jean', '/agents/mary']) await disk.makeFolder(path);
  for (const name of ['jean', 'mary']) {
    await disk.makeFolder(`/agents/${name}/outbox`);
    await disk.makeFolder(`/agents/${name}/outbox/.pending`);
  }
  const accept = async (batch: readonly Incoming[]): Promise<Acceptance[]> => {
    handedIn.push(...batch);
    batches.push(batch.length);
    return batch.map(({ sender, source }) => ({
      kind: 'accepted',
      id: `id of ${source?.stem}`,
      recipients: 1,
      archive: { agent: sender, stem: source?.stem ?? '', at: clock.now() },
    }));
  };
  const outboxes = new Outboxes({
    ...{
      disk,
      bulk: bulkOver(choices.disk ?? disk),
      watching,
      bursts: new NoticeBursts(realEventLoop),
      clock,
      eventLoop: realEventLoop,
      home: '',
      accept,
    },
    log: { info: line('info'), warn: line('warn'), error: line('error') },
    filesDone: async (files) => void archived.push(...files.archived),
    rate: { take: (_, wanted) => wanted, waitMs: () => 0 },
    registerGuest: async (name) => void guests.push(name),
    agents: async () => ['jean', 'mary'],
    ...choices,
  });
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 6; turn++) await nextTurn();
  };
  await outboxes.start();
  await settle();
  return {
    ...{ clock, disk, watching, outboxes, accept, settle },
    ...{ handedIn, batches, archived, guests, lines },
    /** The stems of what was handed in. */
    stems: () => handedIn.map(({ source }) => source?.stem),
    faults: () => handedIn.map((one) => ('fault' in one ? one.fault.code : undefined)),
    async pass(durationMs: number): Promise<void> {
      for (let left = durationMs; left > 0; left -= 50) {
        await clock.advance(Math.min(50, left));
        await settle();
      }
    },
    async write(path: string, text: string): Promise<void> {
      await using writer = await disk.create(path);
      if (text !== '') await writer.append(Buffer.from(text));
    },
    /** As the protocol wants it: written in `.pending`, then moved. */
    async send(agent: string, name: string, text = 'TO: Lead\n\nhello'): Promise<void> {
      const folder = `/agents/${agent}/outbox`;
      await this.write(`${folder}/.pending/${name}`, text);
      await disk.rename(`${folder}/.pending/${name}`, `${folder}/${name}`);
    },
    async [Symbol.asyncDispose]() {
      const closed = outboxes[Symbol.asyncDispose]();
      await this.settle();
      await clock.advance(60_000);
      await closed;
      watching[Symbol.dispose]();
    },
  };
}

const inOutbox = (name: string): string => `/agents/jean/outbox/${name}`;
const inPending = (name: string): string => `/agents/jean/outbox/.pending/${name}`;

/** Counts how often that path is opened. */
function looksAt(disk: SimulatedDisk, wanted: string) {
  const read = disk.read.bind(disk);
  let count = 0;
  disk.read = (path) => {
    if (path === wanted) count++;
    return read(path);
  };
  return { looks: () => count };
}

describe('when a file is taken:', () => {
  test('one that was moved out of .pending is taken at once, and archived', async () => {
    await using home = await place();

    await home.send('jean', '1706123456789012345-a1b2c3d4.msg');
    await home.settle();

    expect(home.handedIn).toMatchObject([
      {
        sender: 'jean',
        message: { to: 'Lead', body: 'hello' },
        source: {
          path: 'agents/jean/outbox/1706123456789012345-a1b2c3d4.msg',
          stem: '1706123456789012345-a1b2c3d4',
          sizeBytes: 15,
        },
      },
    ]);
    expect(home.archived).toEqual(['id of 1706123456789012345-a1b2c3d4']);
    expect(await home.disk.list('/archive/2030-01-01/jean')).toEqual([
      '1706123456789012345-a1b2c3d4.msg',
    ]);
    expect(await home.disk.list('/agents/jean/outbox')).toEqual(['.pending']);
  });

  test('one that names somebody else is from whose outbox it is in', async () => {
    await using home = await place();
    const origin = `FROM: mary\nID: ${'a'.repeat(32)}\nSENT: 2030-01-31T12:00:00.000Z`;

    await home.send('jean', 'a.msg', `${origin}\nTO: Lead\n\nhello`);
    await home.settle();

    expect(home.handedIn).toMatchObject([
      { sender: 'jean', message: { origin: { from: 'mary' } } },
    ]);
  });

  test('one that was written in place is taken when it is 100 ms old', async () => {
    await using home = await place();

    await home.write(inOutbox('a.msg'), 'TO: Lead\n\nhello');
    await home.pass(90);
    expect(home.stems()).toEqual([]);
    await home.pass(20);

    expect(home.stems()).toEqual(['a']);
  });

  test('one from the future is taken when it has not changed for 100 ms', async () => {
    await using home = await place();

    await home.write(inOutbox('a.msg'), 'TO: Lead\n\nhello');
    home.clock.jump(-3_600_000);
    await home.pass(90);
    expect(home.stems()).toEqual([]);
    await home.pass(150);

    expect(home.stems()).toEqual(['a']);
  });

  test('an empty one is waited for until something is in it', async () => {
    await using home = await place();
    await using writer = await home.disk.create(inOutbox('a.msg'));

    await home.pass(4000);
    expect(home.stems()).toEqual([]);
    await writer.append(Buffer.from('TO: Lead\n\nhello'));
    await home.pass(200);

    expect(home.stems()).toEqual(['a']);
  });

  test('one that stays empty for 5 s is no message', async () => {
    await using home = await place();
    await home.write(inOutbox('a.msg'), '');

    await home.pass(6000);

    expect(home.faults()).toEqual(['message.malformed']);
  });

  test('one whose name still stands in .pending is waited for', async () => {
    await using home = await place();
    await home.write(inPending('a.msg'), 'marker');
    await home.write(inOutbox('a.msg'), 'TO: Lead\n\nhello');

    await home.pass(3000);
    expect(home.stems()).toEqual([]);
    await home.disk.remove(inPending('a.msg'));
    await home.settle();

    expect(home.stems()).toEqual(['a']);
  });

  test('one that is being written is never read in part', async () => {
    await using home = await place();
    await using writer = await home.disk.create(inOutbox('a.msg'));

    for (const part of ['TO: Lead\n', '\nhel', 'lo']) {
      await writer.append(Buffer.from(part));
      await home.pass(60);
    }
    await home.pass(200);

    expect(home.handedIn).toMatchObject([{ message: { body: 'hello' } }]);
  });

  test.each(['note.txt', '.hidden.msg', 'a.msg.part'])('%s is no message', async (name) => {
    await using home = await place();

    await home.write(inOutbox(name), 'TO: Lead\n\nhello');
    await home.pass(31_000);

    expect(home.stems()).toEqual([]);
    expect(await home.disk.list('/agents/jean/outbox')).toContain(name);
  });

  test('nothing is looked for again because of our own move', async () => {
    await using home = await place();
    await home.send('jean', 'a.msg');
    await home.settle();
    const before = home.disk.calls;

    await home.settle();

    expect(home.disk.calls).toBe(before);
    expect(home.stems()).toEqual(['a']);
  });
});

describe('what is no message:', () => {
  test('is left for 5 s, then handed in as a fault and archived', async () => {
    await using home = await place();

    await home.send('jean', 'a.msg', 'no header at all');
    await home.pass(4900);
    expect(home.stems()).toEqual([]);
    await home.pass(200);

    expect(home.faults()).toEqual(['message.malformed']);
    expect(await home.disk.list('/archive/2030-01-01/jean')).toEqual(['a.msg']);
  });

  test('is a message when its writer finishes it within 5 s', async () => {
    await using home = await place();
    await using writer = await home.disk.create(inOutbox('a.msg'));
    await writer.append(Buffer.from('TO: Lead\n'));
    await home.pass(3000);

    await writer.append(Buffer.from('\nhello'));
    await home.pass(200);

    expect(home.handedIn).toMatchObject([{ message: { body: 'hello' } }]);
  });

  test('a symlink is a fault at once, and is removed', async () => {
    await using home = await place();

    home.disk.plantSymlink(inOutbox('a.msg'));
    await home.pass(31_000);

    expect(home.handedIn).toMatchObject([
      {
        sender: 'jean',
        fault: { code: 'message.malformed', fix: expect.stringContaining('.pending') },
      },
    ]);
    expect(home.archived).toEqual([]);
    expect(await home.disk.list('/agents/jean/outbox')).toEqual(['.pending']);
    expect(await home.disk.list('/archive/2030-01-01/jean')).toEqual([]);
  });

  test('a message that came in the place of a symlink is not removed with it', async () => {
    let isFirst = true;
    await using home = await place({
      accept: async (batch) => {
        if (isFirst) {
          isFirst = false;
          await home.send('jean', 'a.msg');
        }
        return home.accept(batch);
      },
    });

    home.disk.plantSymlink(inOutbox('a.msg'));
    await home.pass(31_000);

    expect(home.faults()).toEqual(['message.malformed', undefined]);
    expect(home.archived).toEqual(['id of a']);
  });

  test('a folder stays where it is, and is told of once', async () => {
    await using home = await place();
    const { looks } = looksAt(home.disk, inOutbox('a.msg'));

    await home.disk.makeFolder(inOutbox('a.msg'));
    await home.write(inOutbox('a.msg/inside'), 'text');
    await home.send('jean', 'b.msg');
    await home.pass(29_000);
    expect(looks()).toBeLessThanOrEqual(2);
    await home.pass(91_000);

    expect(looks()).toBeLessThanOrEqual(10);
    expect(home.stems()).toEqual(['b']);
    expect(await home.disk.list('/agents/jean/outbox')).toEqual(['.pending', 'a.msg']);
    expect(home.lines).toEqual([expect.stringContaining('a folder')]);
  });

  test('more folders than names are remembered do not keep the disk busy', async () => {
    await using home = await place();
    for (let count = 0; count < 5000; count++) await home.disk.makeFolder(inOutbox(`${count}.msg`));
    await home.pass(2000);
    const before = home.disk.calls;

    await home.pass(10_000);

    expect(home.disk.calls - before).toBeLessThan(200);
  });

  test('a folder that came in the place of a file that was read is put back', async () => {
    await using home = await place({
      accept: async (batch) => {
        await home.disk.remove(inOutbox('a.msg'));
        await home.disk.makeFolder(inOutbox('a.msg'));
        await home.write(inOutbox('a.msg/inside'), 'text');
        return home.accept(batch);
      },
    });

    await home.send('jean', 'a.msg');
    await home.pass(31_000);

    expect(home.stems()).toEqual(['a']);
    expect(home.archived).toEqual([]);
    expect(await home.disk.list(inOutbox('a.msg'))).toEqual(['inside']);
    expect(await home.disk.list('/archive/2030-01-01/jean')).toEqual([]);
  });

  test('a symlink that came in the place of a file that was read is not kept', async () => {
    await using home = await place({
      accept: async (batch) => {
        await home.disk.remove(inOutbox('a.msg'));
        home.disk.plantSymlink(inOutbox('a.msg'));
        return home.accept(batch);
      },
    });

    await home.send('jean', 'a.msg');
    await home.pass(31_000);

    expect(home.stems()).toEqual(['a']);
    expect(await home.disk.list('/agents/jean/outbox')).toEqual(['.pending']);
    expect(await home.disk.list('/archive/2030-01-01/jean')).toEqual([]);
  });

  test('a file that is closed to us is a fault after 5 s, and open to us in the archive', async () => {
    await using home = await place();
    const read = home.disk.read.bind(home.disk);
    home.disk.read = async (path) => {
      if ((await home.disk.stat(path))?.mode === 0) throw diskError('EACCES', path);
      return read(path);
    };

    await home.write(inPending('a.msg'), 'TO: Lead\n\nhello');
    home.disk.plantMode(inPending('a.msg'), 0);
    await home.disk.rename(inPending('a.msg'), inOutbox('a.msg'));
    await home.pass(6000);

    expect(home.faults()).toEqual(['message.malformed']);
    const kept = await home.disk.stat('/archive/2030-01-01/jean/a.msg');
    expect(kept).toMatchObject({ kind: 'file', mode: 0o600 });
  });

  test('more than 1 MiB is a fault at once that names ATTACHMENT', async () => {
    await using home = await place();

    await home.send('jean', 'a.msg', `TO: Lead\n\n${'x'.repeat(2 ** 20)}`);
    await home.settle();

    expect(home.handedIn).toMatchObject([
      { fault: { code: 'message.too-large', fix: expect.stringContaining('ATTACHMENT') } },
    ]);
  });

  test.each([
    ['the file', 'TO: Lead\n\nhello'],
    ['the body', 'hello'],
  ])('a name with the hash of %s is right', async (_what, hashed) => {
    await using home = await place();

    await home.send('jean', `1-${hash('sha256', hashed)}.msg`);
    await home.settle();

    expect(home.faults()).toEqual([undefined]);
  });

  test('a name with another hash is a fault after 5 s', async () => {
    await using home = await place();

    await home.send('jean', `1.${'0'.repeat(64)}.msg`);
    await home.settle();
    expect(home.stems()).toEqual([]);
    await home.pass(5100);

    expect(home.faults()).toEqual(['message.checksum']);
  });
});

describe('how files are handed in:', () => {
  test('by name within one look, at most 128 together, archived once a batch', async () => {
    await using home = await place();
    const names = Array.from({ length: 150 }, (_, index) => `${1000 + index}`);

    for (const name of names.toReversed()) await home.send('jean', `${name}.msg`);
    await home.settle();

    expect(home.stems()).toEqual(names);
    expect(home.batches).toEqual([128, 22]);
    expect(home.archived).toHaveLength(150);
  });

  test('what the relay does not take comes again, though the next were read already', async () => {
    let left = 300;
    let isFull = false;
    await using home = await place({
      // Nothing is given twice.
      rate: {
        take: (_, wanted) => {
          const given = Math.min(wanted, left);
          left -= given;
          return given;
        },
        waitMs: () => 10,
      },
      accept: (batch) => {
        if (isFull) return Promise.reject(diskError('ENOSPC', '/ledger.db'));
        isFull = true;
        return home.accept(batch);
      },
    });
    const names = Array.from({ length: 300 }, (_, index) => `${1000 + index}`);
    for (const name of names) await home.send('jean', `${name}.msg`);
    await home.settle();
    expect(home.stems()).toEqual(names.slice(0, 128));

    for (let round = 0; round < 4; round++) {
      isFull = false;
      await home.pass(5000);
    }

    expect(home.stems()).toEqual(names);
    expect(left).toBe(0);
    expect(await home.disk.list('/agents/jean/outbox')).toEqual(['.pending']);
  });

  test('one that came later by a rename does not pass one that has to settle', async () => {
    await using home = await place();

    await home.write(inOutbox('1.msg'), 'TO: Lead\n\nfirst');
    await home.send('jean', '2.msg');
    await home.pass(50);
    await home.send('jean', '0.msg');
    await home.pass(200);

    expect(home.stems()).toEqual(['1', '2', '0']);
  });

  test('one that is written slowly in place holds the others back only once', async () => {
    await using home = await place();
    await using writer = await home.disk.create(inOutbox('1.msg'));
    await writer.append(Buffer.from('TO: Lead\n'));
    await home.send('jean', '2.msg');

    for (let count = 0; count < 5; count++) {
      await home.pass(60);
      await writer.append(Buffer.from('X-NOTE: still writing\n'));
    }
    expect(home.stems()).toEqual(['2']);
    await writer.append(Buffer.from('\nhello'));
    await home.pass(200);

    expect(home.stems()).toEqual(['2', '1']);
  });

  test('as many as the rate limit lets through; the others stay, and all come', async () => {
    let left = 3;
    const rate = {
      take: (_: string, wanted: number) => {
        const taken = Math.min(wanted, left);
        left -= taken;
        return taken;
      },
      waitMs: () => 500,
    };
    await using home = await place({ rate });
    for (const name of ['1', '2', '3', '4', '5']) await home.send('jean', `${name}.msg`);
    await home.pass(400);
    expect(home.stems()).toEqual(['1', '2', '3']);

    left = 9;
    await home.pass(700);

    expect(home.stems()).toEqual(['1', '2', '3', '4', '5']);
  });

  test('while the relay takes nothing, files stay and it is said once', async () => {
    let failures = 3;
    await using home = await place({
      accept: async (batch) => {
        if (failures-- > 0) throw new AosError('ledger.full', { message: 'no room' });
        return home.accept(batch);
      },
    });

    await home.send('jean', '1.msg');
    await home.send('jean', '2.msg');
    await home.pass(6000);
    expect(home.stems()).toEqual([]);
    expect(await home.disk.list('/agents/jean/outbox')).toEqual(['.pending', '1.msg', '2.msg']);
    await home.pass(2000);

    expect(home.stems()).toEqual(['1', '2']);
    expect(home.lines.filter((line) => line.startsWith('error'))).toHaveLength(1);
    expect(home.lines.filter((line) => line.startsWith('info'))).toHaveLength(1);
  });

  test('an agent whose messages are not taken keeps nobody else waiting', async () => {
    await using home = await place({
      accept: async (batch) => {
        if (batch[0]?.sender === 'jean') throw new Error('a bug');
        return home.accept(batch);
      },
    });

    await home.send('jean', '1.msg');
    await home.send('mary', '2.msg');
    await home.settle();

    expect(home.stems()).toEqual(['2']);
  });

  test('a file that changed meanwhile stays and is a new message', async () => {
    let rewrite = true;
    await using home = await place({
      accept: async (batch) => {
        if (rewrite) {
          rewrite = false;
          await home.disk.remove(inOutbox('a.msg'));
          await home.send('jean', 'a.msg', 'TO: Lead\n\nanother text');
        }
        return home.accept(batch);
      },
    });

    await home.send('jean', 'a.msg');
    await home.pass(200);

    expect(home.handedIn).toMatchObject([
      { message: { body: 'hello' } },
      { message: { body: 'another text' } },
    ]);
  });

  test('a file that cannot be moved is handed in again after 30 s', async () => {
    await using home = await place();
    const rename = home.disk.rename.bind(home.disk);
    let failures = 1;
    home.disk.rename = async (from, to) => {
      if (to.startsWith('/archive') && failures-- > 0) throw diskError('EACCES', to);
      return rename(from, to);
    };

    await home.send('jean', 'a.msg');
    await home.pass(1000);
    expect(home.archived).toEqual([]);
    await home.pass(31_000);

    expect(home.stems()).toEqual(['a', 'a']);
    expect(home.archived).toEqual(['id of a']);
    expect(home.lines.filter((line) => line.includes('archive'))).toHaveLength(1);
  });

  test('when too many files are open it is tried again', async () => {
    await using home = await place();
    const read = home.disk.read.bind(home.disk);
    let failures = 2;
    home.disk.read = async (path) => {
      if (failures-- > 0) throw diskError('EMFILE', path);
      return read(path);
    };

    await home.send('jean', 'a.msg');
    await home.pass(500);
    expect(home.stems()).toEqual([]);
    await home.pass(3500);

    expect(home.stems()).toEqual(['a']);
    expect(home.lines.filter((line) => line.startsWith('error'))).toHaveLength(1);
  });

  test('a file that the disk cannot read keeps no other back', async () => {
    await using home = await place();
    const read = home.disk.read.bind(home.disk);
    home.disk.read = async (path) => {
      if (path.endsWith('1.msg')) throw diskError('EIO', path);
      return read(path);
    };

    await home.send('jean', '1.msg');
    await home.send('jean', '2.msg');
    await home.settle();

    expect(home.stems()).toEqual(['2']);
    expect(home.lines).toEqual([expect.stringContaining('cannot be read')]);
  });

  test('a name from before the last one is told of once a jump', async () => {
    await using home = await place();

    for (const name of ['1706123456789012345', '1706123400000000000', '1706123400000000001']) {
      await home.send('jean', `${name}-a1b2c3d4.msg`);
      await home.settle();
    }

    expect(home.stems()).toHaveLength(3);
    expect(home.lines).toEqual([expect.stringContaining('a clock went backwards')]);
  });
});

describe('the folders:', () => {
  test('a new folder under agents/ becomes a guest whose messages are taken', async () => {
    await using home = await place();

    await home.disk.makeFolder('/agents/paul');
    await home.disk.makeFolder('/agents/paul/outbox');
    await home.disk.makeFolder('/agents/paul/outbox/.pending');
    await home.send('paul', 'a.msg');
    await home.pass(200);

    expect(home.guests).toEqual(['paul']);
    expect(home.handedIn).toMatchObject([{ sender: 'paul' }]);
  });

  test('a guest that cannot be registered is told of once and tried again', async () => {
    let failures = 2;
    const tried: string[] = [];
    await using home = await place({
      registerGuest: async (name) => {
        tried.push(name);
        if (failures-- > 0) throw new AosError('ledger.full', { message: 'no room' });
      },
    });

    await home.disk.makeFolder('/agents/paul');
    await home.pass(61_000);

    expect(tried).toEqual(['paul', 'paul', 'paul']);
    expect(home.lines.filter((line) => line.includes('guest'))).toHaveLength(1);
    expect(home.watching.watched).toContain('/agents/paul/outbox');
  });

  test('a name that no agent may have and a symlink are told of once and left alone', async () => {
    await using home = await place();

    await home.disk.makeFolder('/agents/two words');
    home.disk.plantSymlink('/agents/link');
    await home.pass(61_000);

    expect(home.guests).toEqual([]);
    expect(home.lines).toHaveLength(2);
  });

  test('an outbox that was removed is made again and works', async () => {
    await using home = await place();
    await home.disk.remove('/agents/jean/outbox/.pending');
    await home.disk.remove('/agents/jean/outbox');
    await home.settle();

    await home.send('jean', 'a.msg');
    await home.pass(200);

    expect(home.stems()).toEqual(['a']);
  });

  test('a symlink in place of an outbox is told of once, and others go on', async () => {
    await using home = await place();
    await home.disk.remove('/agents/jean/outbox/.pending');
    await home.disk.rename('/agents/jean/outbox', '/agents/jean/elsewhere');
    home.disk.plantSymlink('/agents/jean/outbox');

    await home.pass(61_000);
    await home.send('mary', 'a.msg');
    await home.settle();

    expect(home.stems()).toEqual(['a']);
    expect(home.lines.filter((line) => line.includes('symlink'))).toHaveLength(1);
  });

  test('files in .pending that nobody finished for 30 s are removed; folders stay', async () => {
    await using home = await place();
    await home.write(inPending('old.msg'), 'TO');
    home.disk.plantSymlink(inPending('link'));
    await home.disk.makeFolder(inPending('folder'));
    await home.pass(40_000);
    await home.write(inPending('new.msg'), 'TO');

    await home.pass(22_000);

    expect(await home.disk.list('/agents/jean/outbox/.pending')).toEqual(['folder', 'new.msg']);
    expect(home.lines).toEqual([expect.stringContaining('nobody had finished')]);
  });

  test('a clock that was put forward makes no file of .pending old', async () => {
    await using home = await place();
    await home.pass(25_000);
    await home.write(inPending('a.msg'), 'TO');
    home.clock.jump(3_600_000);

    await home.pass(6000);

    expect(await home.disk.list('/agents/jean/outbox/.pending')).toEqual(['a.msg']);
  });
});

describe('when notices fail:', () => {
  test('a file of which no notice came is found within 30 s', async () => {
    await using home = await place({ lostPercent: 100 });

    await home.send('jean', 'a.msg');
    await home.pass(31_000);

    expect(home.stems()).toEqual(['a']);
  });

  test.each([
    { notices: 4001, taken: ['a'] },
    { notices: 4000, taken: [] },
  ])(
    'it is found soon when one turn brought $notices, of whatever folders: $taken',
    async (given) => {
      const bursts = new NoticeBursts(realEventLoop);
      await using home = await place({ lostPercent: 100, bursts });
      await home.pass(10_000);
      await home.send('jean', 'a.msg');

      for (let left = given.notices; left > 0; left--) bursts.count();
      await home.settle();
      await home.pass(400);

      expect(home.stems()).toEqual(given.taken);
    },
  );

  test('outboxes are looked into when the system has no watch left', async () => {
    await using home = await place();
    home.watching.watchesLeft = 0;
    await home.disk.makeFolder('/agents/paul');
    await home.pass(1200);

    await home.write('/agents/paul/outbox/a.msg', 'TO: Lead\n\nhello');
    await home.pass(2500);

    expect(home.stems()).toEqual(['a']);
    expect(home.lines.filter((line) => line.includes('cannot be watched'))).toHaveLength(1);
  });

  test.each(Array.from({ length: 20 }, (_, seed) => ({ seed })))(
    'every message is handed in once, with notices lost and late (seed $seed)',
    async ({ seed }) => {
      await using home = await place({ seed, lostPercent: 20, latePercent: 30 });
      const random = seededRandom(seed);

      for (let count = 0; count < 30; count++) {
        const agent = integerBelow(random, 2) === 0 ? 'jean' : 'mary';
        const name = `${1000 + count}.msg`;
        if (integerBelow(random, 3) > 0) await home.send(agent, name);
        else await home.write(`/agents/${agent}/outbox/${name}`, 'TO: Lead\n\nhello');
        await home.pass(integerBelow(random, 150));
      }
      await home.pass(62_000);

      expect(home.stems().toSorted()).toEqual(
        Array.from({ length: 30 }, (_, count) => `${1000 + count}`),
      );
    },
  );
});

describe('what must not be passed:', () => {
  /** Takes the chunks of one stream in their order, and no more than the reader leaves room for. */
  function streamReader(window: number) {
    const taken: number[] = [];
    const broken: number[] = [];
    let unread = 0;
    const acceptOne = ({ sender, source, ...incoming }: Incoming): Acceptance => {
      const index = 'message' in incoming ? (incoming.message?.chunk?.index ?? -1) : -1;
      const refusal = (code: 'message.stream-full' | 'message.stream-gap') =>
        ({ kind: 'refused', error: new AosError(code, { message: 'not now' }) }) as const;
      if (unread >= window) return { ...refusal('message.stream-full'), later: true };
      const archive = { agent: sender, stem: source?.stem ?? '', at: 0 };
      if (index !== taken.length) {
        broken.push(index);
        return { ...refusal('message.stream-gap'), id: `${index}`, archive };
      }
      unread++;
      taken.push(index);
      return { kind: 'accepted', id: `${index}`, recipients: 1, archive };
    };
    return {
      ...{ taken, broken },
      accept: async (batch: readonly Incoming[]) => batch.map(acceptOne),
      readAll: () => {
        unread = 0;
      },
    };
  }

  const chunk = (index: number): string =>
    `TO: mary\nKIND: stream\nTHREAD: s\nCHUNK: ${index}\n\n${index}`;
  const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

  test('a chunk that waits for its reader is not passed by one that comes later', async () => {
    const reader = streamReader(2);
    await using home = await place({ accept: reader.accept });
    for (const index of range(3)) await home.send('jean', `${index}.msg`, chunk(index));
    await home.settle();
    expect(reader.taken).toEqual([0, 1]);

    reader.readAll();
    await home.send('jean', '3.msg', chunk(3));
    await home.pass(600);

    expect(reader).toMatchObject({ taken: [0, 1, 2, 3], broken: [] });
  });

  test('a stream of many files reaches a slow reader whole', async () => {
    const reader = streamReader(64);
    await using home = await place({ accept: reader.accept });
    for (const index of range(300)) {
      await home.send('jean', `${1000 + index}.msg`, chunk(index));
    }

    for (const _ of range(8)) {
      await home.pass(550);
      reader.readAll();
    }

    expect(reader).toMatchObject({ taken: range(300), broken: [] });
    expect(await home.disk.list('/agents/jean/outbox')).toEqual(['.pending']);
  });

  test('who waits for its reader keeps no other agent waiting', async () => {
    const reader = streamReader(0);
    const others: string[] = [];
    await using home = await place({
      accept: async (batch) => {
        if (batch[0]?.sender === 'jean') return reader.accept(batch);
        others.push(...batch.map(({ sender }) => sender));
        return home.accept(batch);
      },
    });

    await home.send('jean', '0.msg', chunk(0));
    await home.settle();
    await home.send('mary', 'a.msg');
    await home.settle();

    expect(others).toEqual(['mary']);
  });
});

describe('a name that is used again at once:', () => {
  test('after its file was taken back while the relay accepted it', async () => {
    let isFirst = true;
    await using home = await place({
      accept: async (batch) => {
        if (isFirst) await home.disk.remove(inOutbox('a.msg'));
        isFirst = false;
        return home.accept(batch);
      },
    });
    await home.send('jean', 'a.msg', 'TO: Lead\n\nfirst');
    await home.settle();

    await home.send('jean', 'a.msg', 'TO: Lead\n\nsecond');
    await home.settle();

    expect(home.handedIn).toMatchObject([
      { message: { body: 'first' } },
      { message: { body: 'second' } },
    ]);
  });

  const archiveOf = (stem: string): string => `/archive/2030-01-01/jean/${stem}.msg`;

  /** Puts another file in the place of `a.msg` just before it is moved to the archive. */
  async function swapping(swap: (home: Awaited<ReturnType<typeof place>>) => Promise<void>) {
    const home = await place();
    const rename = home.disk.rename.bind(home.disk);
    let isFirst = true;
    home.disk.rename = async (from, to) => {
      if (to.startsWith('/archive') && isFirst) {
        isFirst = false;
        await swap(home);
      }
      return rename(from, to);
    };
    return home;
  }

  const bodies = (handedIn: readonly Incoming[]) =>
    handedIn.map((one) => ('message' in one ? one.message?.body : undefined));

  test('a file of the same size and time is a message too', async () => {
    await using home = await swapping(async (here) => {
      await here.disk.remove(inOutbox('a.msg'));
      await here.send('jean', 'a.msg', 'TO: Lead\n\nhullo');
    });

    await home.send('jean', 'a.msg', 'TO: Lead\n\nhello');
    // So that both are of the same moment.
    await home.settle();
    await home.pass(200);

    expect(bodies(home.handedIn)).toEqual(['hello', 'hullo']);
    expect(await home.disk.list('/agents/jean/outbox')).toEqual(['.pending']);
  });

  const another = async (here: Awaited<ReturnType<typeof place>>): Promise<void> => {
    await here.disk.remove(inOutbox('a.msg'));
    await here.send('jean', 'a.msg', 'TO: Lead\n\nhullo');
  };

  test('is put back also where a file cannot have two names', async () => {
    await using home = await swapping(another);
    home.disk.link = async (_, to) => Promise.reject(diskError('EPERM', to));

    await home.send('jean', 'a.msg', 'TO: Lead\n\nhello');
    await home.settle();
    await home.pass(200);

    expect(bodies(home.handedIn)).toEqual(['hello', 'hullo']);
  });

  test('is put back later when there is no room for it now', async () => {
    await using home = await swapping(another);
    const link = home.disk.link.bind(home.disk);
    let isFull = true;
    home.disk.link = (from, to) =>
      isFull ? Promise.reject(diskError('ENOSPC', to)) : link(from, to);
    await home.send('jean', 'a.msg', 'TO: Lead\n\nhello');
    await home.pass(1000);
    expect(bodies(home.handedIn)).toEqual(['hello']);
    expect(home.lines.join()).toContain('lies in the archive unread');

    isFull = false;
    await home.pass(31_000);

    expect(bodies(home.handedIn)).toEqual(['hello', 'hullo']);
    expect(await home.disk.list('/agents/jean/outbox')).toEqual(['.pending']);
  });

  test('and a third time, before it is back in its place, loses nothing and keeps the order', async () => {
    await using home = await swapping(async (here) => {
      await here.disk.remove(inOutbox('a.msg'));
      await here.send('jean', 'a.msg', 'TO: Lead\n\nhullo');
    });
    const link = home.disk.link.bind(home.disk);
    let isFirst = true;
    home.disk.link = async (from, to) => {
      if (from === archiveOf('a') && isFirst) {
        isFirst = false;
        await home.send('jean', 'a.msg', 'TO: Lead\n\nhallo');
      }
      return link(from, to);
    };

    await home.send('jean', 'a.msg', 'TO: Lead\n\nhello');
    // So that both are of the same moment.
    await home.settle();
    await home.pass(31_000);

    expect(bodies(home.handedIn)).toEqual(['hello', 'hullo', 'hallo']);
    expect(await home.disk.list('/agents/jean/outbox')).toEqual(['.pending']);
  });
});
