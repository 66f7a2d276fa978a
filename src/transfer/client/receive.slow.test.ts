/** Receiving, while somebody takes it back, while its time runs out, and cut off at each step. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { SimulatedClock } from '../../../tests/sim/clock.ts';
import {
  day,
  type TemporaryTransfers,
  temporaryTransfers,
} from '../../../tests/support/temporary-transfers.ts';
import { cases } from '../../../tests/support/tier.ts';
import { worksHere } from '../../blobs/seal/stretch.ts';
import { realDisk } from '../../engines/disk/disk.ts';
import { realTreeDisk } from '../../engines/disk/tree-disk.ts';
import { AosError } from '../../kernel/errors.ts';
import type { Disk } from '../../kernel/ports.ts';
import { stretchBytes } from '../../kernel/transfer/transfer.ts';
import type { ReceiveCalls } from '../calls.ts';
import { directCalls } from '../transfers.ts';
import { openSource } from './disk-source.ts';
import { type ReceiveDeps, receive } from './receive.ts';
import { sendSource } from './send.ts';

const bytes = Buffer.alloc(2 * stretchBytes + 100, 'what was found');

interface Receiver {
  readonly pid?: number;
  readonly disk?: Disk;
  readonly calls?: Partial<ReceiveCalls>;
}

/** A home with one file from samantha to jared. */
async function sentToJared(make = (path: string) => writeFileSync(path, bytes)) {
  const here = await temporaryTransfers();
  const { clock, deps } = here;
  make(here.folder.at('report'));
  const of = (pid: number) => ({
    selfPid: pid,
    startTimeOf: (asked: number) => (asked === pid ? 'then' : undefined),
    bootId: () => 'boot',
  });
  const common = { clock, disk: realDisk, random: deps.random, openWorks: () => worksHere() };
  const samantha = directCalls(here.transfers, { principal: 'samantha', isLocal: false });
  await using source = await openSource(realDisk, here.folder.at('report'));
  const { id } = await sendSource(
    {
      ...{ ...common, processes: of(1), as: undefined, isOwner: false },
      use: (work) => work(samantha),
    },
    source,
    { to: 'jared' },
  );
  const jared = directCalls(here.transfers, { principal: 'jared', isLocal: false });
  const receiver = ({ pid = 2, disk = realDisk, calls = {} }: Receiver): ReceiveDeps => ({
    ...{ ...common, disk, tree: realTreeDisk, processes: of(pid), as: undefined },
    use: (work) => work({ ...jared, ...calls }),
  });
  const dest = here.folder.at('inbox');
  return Object.assign(here, {
    ...{ id, dest, jared, path: here.folder.at('inbox', 'report') },
    receive: (how: Receiver = {}) => receive(receiver(how), id, { dest }),
    revoke: () => here.transfers.settle('samantha', { id, step: 'revoked' }),
    /** Once the bytes have begun to come. */
    while: (happens: () => Promise<unknown>): Partial<ReceiveCalls> => ({
      transferBytes: async (...which) => {
        const answer = await jared.transferBytes(...which);
        await happens();
        return answer;
      },
    }),
  });
}

async function acks(here: TemporaryTransfers) {
  return here.rows('select status, ack from agent_transfers');
}

test('what is taken back while it is received gets no name, and leaves no part', async () => {
  await using here = await sentToJared();

  const attempt = here.receive({ calls: here.while(here.revoke) });

  await expect(attempt).rejects.toMatchObject({ code: 'transfer.wrong-state' });
  expect(readdirSync(here.dest)).toEqual([]);
  expect(await acks(here)).toEqual([{ status: 'expired', ack: 'revoked' }]);
});

test('what is taken back before its bytes come leaves no part', async () => {
  await using here = await sentToJared();

  const attempt = here.receive({
    calls: {
      transferBytes: async (...which) => {
        await here.revoke();
        return here.jared.transferBytes(...which);
      },
    },
  });

  await expect(attempt).rejects.toMatchObject({ code: 'transfer.over' });
  expect(readdirSync(here.dest)).toEqual([]);
});

test('what expires while it is received is received, and has its name', async () => {
  await using here = await sentToJared();
  const expire = async (): Promise<void> => {
    await (here.clock as SimulatedClock).advance(8 * day);
    await here.transfers.cleanUp();
  };

  const received = await here.receive({ calls: here.while(expire) });

  expect(received).toMatchObject({ path: here.path, transfer: { status: 'downloaded' } });
  expect(readFileSync(here.path).equals(bytes)).toBe(true);
  expect(readdirSync(here.dest)).toEqual(['report']);
});

test('what somebody puts there while it is received stays, and the part is kept', async () => {
  await using here = await sentToJared();
  const put = async (): Promise<void> => writeFileSync(here.path, 'mine');

  const attempt = here.receive({ calls: here.while(put) });

  await expect(attempt).rejects.toMatchObject({ code: 'transfer.exists' });
  expect(readFileSync(here.path, 'utf8')).toBe('mine');
  expect(readdirSync(here.dest)).toContain(`.aos-${here.id}.part`);
});

/** Called before whatever outlives the process; throws from the moment at which it is killed. */
type Step = (what: string) => void;

function mortalDisk(step: Step): Disk {
  const before =
    <Parameters extends unknown[], T>(what: string, work: (...given: Parameters) => Promise<T>) =>
    async (...given: Parameters): Promise<T> => {
      step(what);
      return work(...given);
    };
  return {
    ...realDisk,
    create: before('create', async (path, options) => {
      const writer = await realDisk.create(path, options);
      return {
        append: before('append', (part) => writer.append(part)),
        sync: before('sync', () => writer.sync()),
        [Symbol.asyncDispose]: () => writer[Symbol.asyncDispose](),
      };
    }),
    rename: before('rename', realDisk.rename),
    link: before('link', realDisk.link),
    remove: before('remove', realDisk.remove),
    makeFolder: before('makeFolder', realDisk.makeFolder),
    syncFolder: before('syncFolder', realDisk.syncFolder),
  };
}

function makeFolder(path: string): void {
  mkdirSync(path);
  writeFileSync(`${path}/a`, bytes);
  writeFileSync(`${path}/b`, 'small');
}

/** Without a note that was cut off before it had its name. */
function namesIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => !/\.note\.[0-9a-f]{16}$/.test(name));
}

/** The steps that were taken, the last of them the one at which it was killed. */
async function killedAt(last: number, isFolder: boolean): Promise<readonly string[]> {
  await using here = await sentToJared(isFolder ? makeFolder : undefined);
  const taken: string[] = [];
  let killed: string | undefined;
  const step = (what: string): void => {
    if (killed === undefined) taken.push(what);
    if (taken.length < last) return;
    killed ??= what;
    throw new Error('killed here');
  };
  const calls: Partial<ReceiveCalls> = {
    verifyTransfer: async (...which) => {
      step('verify');
      return here.jared.verifyTransfer(...which);
    },
  };
  await here.receive({ calls, disk: mortalDisk(step) }).catch((failure: unknown) => {
    expect(String(failure)).toContain('killed here');
  });
  const isNamed = existsSync(here.path);

  const again = here.receive({ pid: 3 });

  if (killed === undefined || killed === 'remove') {
    // It has its name and is received, or only the last of tidying up was left.
    await again.catch((failure: unknown) => {
      expect(failure).toMatchObject({ code: 'transfer.exists' });
      expect(isNamed).toBe(true);
    });
  } else await again;
  expect(await acks(here)).toEqual([{ status: 'downloaded', ack: 'verified' }]);
  const file = isFolder ? `${here.path}/a` : here.path;
  expect(readFileSync(file).equals(bytes)).toBe(true);
  if (isFolder) expect(readFileSync(`${here.path}/b`, 'utf8')).toBe('small');
  if (!isNamed || killed === 'syncFolder') expect(namesIn(here.dest)).toEqual(['report']);
  expect(here.told.filter(({ to }) => to === 'samantha')).toHaveLength(1);
  return taken;
}

test.each(['file', 'folder'])(
  'killed at any step, the same command gives a %s its name, and what has it is received',
  async (kind) => {
    const isFolder = kind === 'folder';
    const steps = await killedAt(Number.POSITIVE_INFINITY, isFolder);
    const places = steps.map((_, index) => index + 1);

    const naming = isFolder ? 'rename' : 'link';
    expect(steps.lastIndexOf(naming)).toBeGreaterThan(steps.indexOf('verify'));
    expect(steps.length).toBeGreaterThan(10);
    for (const last of cases(`a ${kind} killed at any step`, places, 5)) {
      expect(await killedAt(last, isFolder), `killed at ${last}`).toEqual(steps.slice(0, last));
    }
  },
);

test('what is damaged is asked for twice, without waiting, and given up', async () => {
  await using here = await sentToJared();
  let asked = 0;
  const transferBytes = async (): Promise<never> => {
    asked++;
    throw new AosError('blob.corrupt', { message: 'The bytes are others' });
  };

  // The clock stands still: whoever waits, waits for ever.
  const attempt = here.receive({ calls: { transferBytes } });

  await expect(attempt).rejects.toMatchObject({ code: 'transfer.corrupt' });
  expect(asked).toBe(2);
  expect(readdirSync(here.dest)).toEqual([]);
});
