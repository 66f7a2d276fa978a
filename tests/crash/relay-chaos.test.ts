/** SIGKILL while eight write and three read: what they saw is held against the ledger. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Sql } from '../../src/ledger/ledger.ts';
import { readEndState } from '../sim/message-end-state.ts';
import { type EndState, historyFindings } from '../sim/message-history.ts';
import { integerBelow, seededRandom } from '../sim/random.ts';
import {
  callOften,
  numberIn,
  readFiles,
  sendOverConnection,
  writeFiles,
} from '../support/chaos-parties.ts';
import { HistoryLog } from '../support/history-log.ts';
import { limitMs } from '../support/limits.ts';
import { namesIn, outboxOf } from '../support/message-files.ts';
import { launcher, runAos } from '../support/run-aos.ts';
import { startDaemon } from '../support/running-daemon.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { isFull, seeds } from '../support/tier.ts';
import { until } from '../support/until.ts';

// Two homes at a time, because two cores are what the slowest machine has. In full there
// are 1,000 kills.
const killsPerHome = isFull ? 25 : 3;
const pairs = seeds('relay-chaos', { fast: 1, full: 20 }).map((n) => [2 * n - 1, 2 * n] as const);
const longestLifeMs = 150;
const longestStartMs = 400;

const fileWriters = ['file-1', 'file-2', 'file-3', 'file-4'];
const callers = ['call-1', 'call-2'];
const connected = ['socket-1', 'socket-2'];
const writers = [...fileWriters, ...callers, ...connected];
const readers = ['reader-1', 'reader-2', 'reader-3'];
const addresses = [...readers, '#all'];
const freely = ['--set', 'messagesPerSecond=1000000000', '--set', 'messageBurst=1000000000'];

test.each(pairs)(
  'nothing is lost, doubled or out of order after many kills each of two homes (seeds %d, %d)',
  async (...pair) => {
    await using folder = temporaryFolder();
    const homes = pair.map((seed) => ({ seed, home: folder.at(`home-${seed}`) }));

    const findings = await Promise.all(homes.map(({ home, seed }) => killOften(home, seed)));

    expect(findings).toEqual([[], []]);
    for (const { home } of homes) {
      const verified = await runAos(['--home', home, 'audit', 'verify']);
      expect(verified).toMatchObject({ code: 0, stderr: '' });
    }
  },
);

/** Resolves to what is wrong at the end. */
async function killOften(home: string, seed: number): Promise<string[]> {
  using log = new HistoryLog(`${home}.history`);
  const random = seededRandom(`relay-chaos/${seed}`);
  const writing = new AbortController();
  const reading = new AbortController();
  const chaos = { home, log, random, signal: writing.signal };
  await populate(home);
  const readingAll = Promise.all(
    readers.map((name) => readFiles({ ...chaos, signal: reading.signal }, name)),
  );
  const writingAll = Promise.all([
    ...fileWriters.map((name) => writeFiles(chaos, name, addresses)),
    ...callers.map((name) => callOften(chaos, name, addresses)),
    ...connected.map((name) => sendOverConnection(chaos, name, addresses)),
  ]);
  try {
    for (let kill = 0; kill < killsPerHome; kill++) {
      // One in five does not live to be ready: a start is a place to die, too.
      if (integerBelow(random, 5) === 0) {
        await killWhileStarting(home, integerBelow(random, longestStartMs));
      } else {
        await killWhileBusy(home, log, integerBelow(random, longestLifeMs));
      }
      observe(home, log);
    }
    await using daemon = await startDaemon(home, { args: freely });
    log.add({ kind: 'started' });
    writing.abort();
    await writingAll;
    await quiet(home);
    await daemon.stop();
  } finally {
    writing.abort();
    reading.abort();
    await Promise.all([writingAll, readingAll]);
  }
  return findingsOf(home, log);
}

async function populate(home: string): Promise<void> {
  await using daemon = await startDaemon(home);
  for (const name of [...writers, ...readers]) await daemon.client.register(name);
  for (const name of readers) await daemon.client.joinChannel('#all', name);
  await daemon.stop();
}

async function killWhileBusy(home: string, log: HistoryLog, lifeMs: number): Promise<void> {
  await using daemon = await startDaemon(home, { args: freely });
  log.add({ kind: 'started' });
  // Not a wait for something to happen: the moment of the kill is chosen by chance.
  await sleep(lifeMs);
  await daemon.kill();
  log.add({ kind: 'killed' });
}

async function killWhileStarting(home: string, lifeMs: number): Promise<void> {
  const words = [launcher, '--home', home, 'up', '--port', '0', ...freely];
  const child = spawn(process.execPath, words, { stdio: 'ignore' });
  const ended = once(child, 'close');
  await sleep(lifeMs);
  child.kill('SIGKILL');
  await ended;
}

/** What has ended by now must end up like that. */
function observe(home: string, log: HistoryLog): void {
  using database = new DatabaseSync(join(home, 'ledger.db'), { readOnly: true });
  const rows = database
    .prepare(
      `select m.message_id as id, d.recipient, d.state
       from deliveries d join messages m on m.id = d.message where d.ended_at is not null`,
    )
    .all();
  log.add(
    ...rows.map(
      ({ id, recipient, state }) =>
        ({
          kind: 'observed',
          id: String(id),
          recipient: String(recipient),
          state: String(state),
          ended: true,
        }) as const,
    ),
  );
}

async function quiet(home: string): Promise<void> {
  await until(() => {
    using database = new DatabaseSync(join(home, 'ledger.db'), { readOnly: true });
    const open = database.prepare('select count(*) as n from deliveries where ended_at is null');
    expect(open.get()).toEqual({ n: 0 });
    for (const name of fileWriters) expect(namesIn(outboxOf(home, name))).toEqual([]);
  }, limitMs(60_000));
}

async function findingsOf(home: string, log: HistoryLog): Promise<string[]> {
  using database = new DatabaseSync(join(home, 'ledger.db'), { readOnly: true });
  const integrity = database.prepare('pragma integrity_check').get()?.['integrity_check'];
  const end = await readEndState(sqlOf(database));
  const history = log.all();
  const expected = { reachable: readers, fileReaders: readers };
  return [
    ...(integrity === 'ok' ? [] : [`integrity_check says ${integrity}`]),
    ...(end.messages.length >= killsPerHome ? [] : [`only ${end.messages.length} messages`]),
    ...historyFindings(history, end, expected),
    ...outOfTurn(end),
  ].slice(0, 20);
}

/** Each of the writers waits for one message before it begins the next. */
function outOfTurn({ messages }: EndState): string[] {
  const last = new Map<string, number>();
  return messages.flatMap(({ agent_name, body }) => {
    const number = numberIn(body);
    const before = last.get(agent_name) ?? -1;
    last.set(agent_name, number);
    return number > before ? [] : [`order: ${agent_name} sent ${number} before ${before}`];
  });
}

function sqlOf(database: DatabaseSync): Sql {
  // Rows are what the statements select, as with the real one.
  const all = async <Row>(text: string) => database.prepare(text).all() as Row[];
  return {
    all,
    get: async <Row>(text: string) => (await all<Row>(text))[0],
    run: () => Promise.reject(new Error('nothing is written here')),
  };
}
