/**
 * What a power cut leaves. What was flushed is there; of what was written after the last
 * flush the disk may hold any part, old bytes, or bytes that nobody ever wrote.
 */
import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Random } from '../../src/kernel/ports.ts';
import { verifyChain } from '../../src/security/audit/verify.ts';
import { integerBelow, seededRandom } from '../sim/random.ts';
import { type LedgerHistory, readWrites, writeHistory } from '../support/ledger-history.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { openTestLedger } from '../support/temporary-ledger.ts';
import { isFull, seeds } from '../support/tier.ts';

// Two kinds of log: in full ten seeds, and 2,000 cuts.
const histories = seeds('power-loss', { fast: 1, full: 10 });
const cutsPerSeed = isFull ? 100 : 25;
const commits = 12;
const sectorBytes = 512;
const pageBytes = 4096;

/** What the disk holds behind the cut. */
const tails = [
  'nothing',
  'zeros',
  'noise',
  'what lay there before',
  'the rest without one sector',
] as const;

interface Cut {
  /** How many writes were answered before the power went. */
  readonly answered: number;
  readonly at: number;
  readonly tail: (typeof tails)[number];
}

interface Files {
  readonly database: Buffer;
  readonly log: Buffer;
}

describe.each([
  ['that only grew', { startLogAnew: false }],
  ['that was begun anew over old frames', { startLogAnew: true }],
])('a log %s, cut at or after the last answered flush', (_which, { startLogAnew }) => {
  test.each(histories)('holds every answered write and a clean prefix (seed %d)', async (seed) => {
    const random = seededRandom(`power-loss/${startLogAnew}/${seed}`);
    const history = await writeHistory({ random, commits, startLogAnew });

    for (let number = 0; number < cutsPerSeed; number++) {
      const cut = chooseCut(history, random);
      const files = { database: history.database, log: logAfter(cut, history, random) };
      expect(await faultsAfter(files, history, cut.answered), JSON.stringify(cut)).toEqual([]);
    }
  });
});

test('nothing is lost when the power goes while the log is moved into the database', async () => {
  const random = seededRandom('power-loss/checkpoint');
  const history = await writeHistory({ random, commits, startLogAnew: true });
  const answered = history.flushes[0]?.answered ?? 0;

  for (let number = 0; number < cutsPerSeed; number++) {
    const files = { database: halfMoved(history, random), log: history.logBefore };
    expect(await faultsAfter(files, history, answered), `case ${number}`).toEqual([]);
  }
});

describe('the check itself finds', () => {
  test('an answered write that was not flushed', async () => {
    const random = seededRandom('power-loss/unflushed');
    const history = await writeHistory({ random, commits, startLogAnew: false });
    const { answered = 0, logEnd = 0 } = history.flushes.at(-1) ?? {};
    const files = { database: history.database, log: history.log.subarray(0, logEnd - 1) };

    const faults = await faultsAfter(files, history, answered);

    expect(faults).toEqual([expect.stringMatching(/^\d+ of \d+ answered writes are there$/)]);
  });

  test('a write of which only a part is there', async () => {
    const random = seededRandom('power-loss/part');
    const history = await writeHistory({ random, commits, startLogAnew: false });
    const [first = '', ...others] = history.writes;
    const other = { ...history, writes: [first.replace('write-0', 'another'), ...others] };

    const faults = await faultsAfter(history, other, 1);

    expect(faults).toEqual(['write 0 is not as it was written']);
  });
});

function chooseCut({ flushes }: LedgerHistory, random: Random): Cut {
  const place = integerBelow(random, flushes.length - 1);
  const { answered = 0, logEnd = 0 } = flushes[place] ?? {};
  const reach = (flushes[place + 1]?.logEnd ?? 0) - logEnd;
  // Exactly at the flush as well: all later bytes are then of no write that was answered.
  const behind = integerBelow(random, 8) === 0 ? 0 : integerBelow(random, reach);
  const tail = tails[integerBelow(random, tails.length)] ?? 'nothing';
  return { answered, at: logEnd + behind, tail };
}

function logAfter({ at, tail }: Cut, { log, logBefore }: LedgerHistory, random: Random): Buffer {
  const rest = log.subarray(at);
  const behind = {
    nothing: () => rest.subarray(0, 0),
    zeros: () => Buffer.alloc(rest.length),
    noise: () => Buffer.from(random.bytes(Math.min(rest.length, 4 * pageBytes))),
    'what lay there before': () => logBefore.subarray(at),
    'the rest without one sector': () => Buffer.from(rest).fill(0, 0, sectorBytes),
  }[tail]();
  return Buffer.concat([log.subarray(0, at), behind]);
}

/** The new database, in which some pages have not arrived. */
function halfMoved({ database, databaseBefore }: LedgerHistory, random: Random): Buffer {
  const pages = Math.ceil(database.length / pageBytes);
  const arrived = Array.from({ length: 1 + integerBelow(random, pages) }, (_, page) => {
    const [from, to] = [page * pageBytes, (page + 1) * pageBytes];
    const before = databaseBefore.subarray(from, to);
    const after = database.subarray(from, to);
    if (integerBelow(random, 2) === 0) return after;
    return before.length === 0 ? Buffer.alloc(pageBytes) : before;
  });
  return Buffer.concat(arrived);
}

/** What is wrong with a ledger that finds these files when the machine is on again. */
async function faultsAfter(
  { database, log }: Files,
  { writes }: LedgerHistory,
  answered: number,
): Promise<string[]> {
  await using folder = temporaryFolder();
  const path = folder.at('ledger.db');
  writeFileSync(path, database);
  writeFileSync(`${path}-wal`, log);
  await using ledger = await openTestLedger(path, { epoch: 2 });
  const found = await readWrites(ledger.committed);
  const check = await ledger.committed.get<{ integrity_check: string }>('pragma integrity_check');
  const chain = await verifyChain({ ledger });
  const torn = found.findIndex((line, place) => line !== writes[place]);
  const faults = [
    check?.integrity_check !== 'ok' && `integrity_check says ${check?.integrity_check}`,
    chain.kind === 'broken' && `event ${chain.seq}: ${chain.why}`,
    found.length < answered && `${found.length} of ${answered} answered writes are there`,
    torn !== -1 && `write ${torn} is not as it was written`,
  ];
  return faults.filter((fault) => fault !== false);
}
