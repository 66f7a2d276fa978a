/**
 * SIGKILL right before every call that a message's way is made of, in the real daemon. After
 * the next start the message is where it belongs, once, and the ledger tells its whole path.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { flushViolations, tracedCalls } from '../support/flush-violations.ts';
import { isDead, killAtCall } from '../support/kill-at-call.ts';
import { isInstalled } from '../support/machine.ts';
import {
  lookIntoInbox,
  namesIn,
  outboxOf,
  putIntoOutbox,
  takeFromInbox,
} from '../support/message-files.ts';
import { type RunningDaemon, startDaemon } from '../support/running-daemon.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { cases, isFull } from '../support/tier.ts';
import { until } from '../support/until.ts';

/** In the order in which they come; each must have been hit. */
const steps = [
  ['the outbox is opened', /openat\(.*\/outbox"/],
  ['the file is read', /openat\(.*\.msg"/],
  ['the ledger is written', /pwrite64\(.*ledger\.db-wal>/],
  ['the ledger is flushed', /f(?:data)?sync\(.*ledger\.db-wal>/],
  ['the inbox is opened', /openat\(.*\/inbox"/],
  ['the inbox file is made beside the inbox', /openat\(.*run\/inboxes\/\w+\.0"/],
  ['the inbox file is written', /write\(.*run\/inboxes\/\w+\.0>/],
  ['the record of the batch is made', /openat\(.*run\/inboxes\/\w+\.batch"/],
  ['the record of the batch is written', /write\(.*run\/inboxes\/\w+\.batch>/],
  ['the inbox file gets its place', /rename\("[^"]*run\/inboxes\/\w+\.0"/],
  ['the record of the batch is removed', /unlink\(.*\.batch"/],
  ['a folder of the archive is made', /mkdir\(.*archive/],
  ['the file goes to the archive', /rename\(.*archive/],
] as const;

const calls = ['openat', 'write', 'fsync', 'fdatasync', 'rename', 'unlink', 'mkdir', 'pwrite64'];
/** What \`npm test\` draws from: most calls come a few times on the way of one message. */
const earlyCalls = calls.flatMap((call) => [1, 2, 3].map((number) => ({ call, number })));

/** In between: the inbox has it, the ledger does not say so yet, and the next start finds out. */
const isBetween = ({ call, number }: (typeof earlyCalls)[number]): boolean =>
  call === 'rename' && number === 2;

const untold = 'a call that strace did not tell';

/** Whether a step that is such a call was not hit. */
function isMissed(call: string, hit: ReadonlySet<string>): boolean {
  return steps.some(([name, { source }]) => !hit.has(name) && source.startsWith(`${call}\\(`));
}

type Reader = 'takes it at once' | 'leaves it';

describe.runIf(isInstalled('strace'))('killed before any of its calls, the daemon', () => {
  test.each<Reader>(['takes it at once', 'leaves it'])(
    'delivers a file once when the recipient %s',
    async (reader) => {
      await using folder = temporaryFolder();
      await using world = await openWorld(folder.at('home'), folder.at('trace'), reader);
      const hit = new Set<string>();

      const killAtEach = async (call: string): Promise<void> => {
        for (let number = 1; ; number++) {
          let killed = await world.sendAndKill({ call, number });
          expect(await world.faults(), `${call} ${number}: ${killed}`).toEqual([]);
          // Which call it was is needed too.
          for (let tries = 1; killed === untold && tries < 10; tries++) {
            killed = await world.sendAndKill({ call, number });
            expect(await world.faults(), `${call} ${number}: ${killed}`).toEqual([]);
          }
          if (killed === undefined) break;
          for (const [name, pattern] of steps) if (pattern.test(killed)) hit.add(name);
        }
      };
      if (!isFull) {
        for (const at of cases(reader, earlyCalls, 4, isBetween)) {
          const killed = await world.sendAndKill(at);
          expect(await world.faults(), `${at.call} ${at.number}: ${killed}`).toEqual([]);
        }
        return;
      }
      for (const call of calls) await killAtEach(call);
      // A call of something else that goes on meanwhile may have taken a number.
      for (let sweeps = 0; sweeps < 3; sweeps++) {
        for (const call of calls.filter((name) => isMissed(name, hit))) await killAtEach(call);
      }

      expect([...hit].sort()).toEqual(steps.map(([name]) => name).sort());
    },
  );
});

interface World extends AsyncDisposable {
  /** A message between two new agents; the daemon is up again when it was killed. */
  sendAndKill(at: { readonly call: string; readonly number: number }): Promise<string | undefined>;
  /** What is wrong with that message once all is quiet. */
  faults(): Promise<string[]>;
}

async function openWorld(home: string, trace: string, reader: Reader): Promise<World> {
  let daemon = await startDaemon(home);
  let agents = { sender: '', recipient: '' };
  let count = 0;
  let seen: string[] = [];
  let killed: string | undefined;
  const sendAndKill: World['sendAndKill'] = async (at) => {
    count++;
    agents = { sender: `sender-${count}`, recipient: `recipient-${count}` };
    seen = [];
    for (const name of Object.values(agents)) await daemon.client.register(name);
    await using armed = await killAtCall(daemon.pid, { ...at, trace });
    putIntoOutbox(home, agents.sender, `TO: ${agents.recipient}\n\nmessage ${count}\n`);
    // The last of its calls comes after the row says that all is done.
    const batches = join(home, 'run', 'inboxes');
    const isThrough = () => look() && (!existsSync(batches) || readdirSync(batches).length === 0);
    while (!isDead(daemon.pid) && !isThrough()) await sleep(1);
    killed = await armed.disarm();
    // It may be dead before strace has written that down.
    if (killed === undefined && isDead(daemon.pid)) killed = untold;
    if (killed === undefined) return undefined;
    await daemon.ended;
    // Taken while nobody was there to see it.
    look();
    daemon = await startDaemon(home);
    return killed;
  };
  /** One look into the inbox. True when the message is through. */
  const look = (): boolean => {
    const { sender, recipient } = agents;
    if (reader === 'takes it at once') {
      for (const { headers } of takeFromInbox(home, recipient)) seen.push(headers['ID'] ?? '');
    }
    const row = rowOf(home, sender);
    return row?.state === endOf(reader) && row.status === 'archived';
  };
  const faults = async (): Promise<string[]> => {
    const wanted = { state: endOf(reader), status: 'archived' };
    await until(() => {
      look();
      expect(rowOf(home, agents.sender), killed).toMatchObject(wanted);
    });
    if (reader === 'leaves it') {
      seen = lookIntoInbox(home, agents.recipient).map(({ headers }) => headers['ID'] ?? '');
    }
    return faultsOf(daemon, home, { ...agents, reader, seen });
  };
  return {
    ...{ sendAndKill, faults },
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
  };
}

/** What becomes of a message that is not answered. */
function endOf(reader: Reader): string {
  return reader === 'leaves it' ? 'delivered' : 'read';
}

interface MessageRow {
  readonly message_id: string;
  readonly status: string;
  readonly state: string;
  readonly rows: number;
}

function rowOf(home: string, sender: string): MessageRow | undefined {
  using database = new DatabaseSync(join(home, 'ledger.db'), { readOnly: true });
  const row = database
    .prepare(
      `select m.message_id, m.status, d.state, count(*) over () as rows
       from messages m join deliveries d on d.message = m.id where m.agent_name = ?`,
    )
    .get(sender);
  // The columns are those of the statement.
  return row as unknown as MessageRow | undefined;
}

async function faultsOf(
  { client }: RunningDaemon,
  home: string,
  { sender, reader, seen }: { sender: string; reader: Reader; seen: readonly string[] },
): Promise<string[]> {
  const row = rowOf(home, sender);
  const { steps: path } = await client.message(row?.message_id ?? '');
  const told = path.map(({ what }) => what).join('\n');
  const wanted = [
    /^accepted from sender-\d+ as the file \S+\.msg$/m,
    /^delivered to recipient-\d+ as a file in its inbox$/m,
    /^its file was moved to the archive$/m,
    ...(reader === 'leaves it' ? [] : [/^read by recipient-\d+$/m]),
  ];
  return [
    ...(row?.rows === 1 ? [] : [`there are ${row?.rows} deliveries`]),
    ...(seen.length === 1 ? [] : [`it was seen ${seen.length} times`]),
    ...(seen[0] === row?.message_id ? [] : [`another was seen: ${seen[0]}`]),
    ...(namesIn(outboxOf(home, sender)).length === 0 ? [] : ['its file is still in the outbox']),
    ...wanted.filter((line) => !line.test(told)).map((line) => `no ${line} in:\n${told}`),
  ];
}

describe.runIf(isInstalled('strace'))('strace shows the flush of the ledger', () => {
  test('before a message gets its place in an inbox', async () => {
    await using folder = temporaryFolder();
    const trace = folder.at('trace');
    await using daemon = await tracedDaemon(folder.at('home'), trace);

    for (let number = 0; number < 8; number++) {
      putIntoOutbox(folder.at('home'), 'sam', `TO: jean\n\nmessage ${number}\n`);
      const there = () => lookIntoInbox(folder.at('home'), 'jean');
      await until(() => expect(there()).toHaveLength(number + 1));
    }

    await daemon.stop();
    const violations = flushViolations(readFileSync(trace, 'utf8'), {
      log: 'ledger.db-wal',
      asks: /openat\(.*= \d+<[^>]*\/outbox\/[^>]*(\.msg)>/,
      // Without its end, which strace tells in another line where something got in between.
      answers: /rename\("[^"]*run\/inboxes\/[^"]*", "[^"]*(\.msg)"/,
    });
    expect(violations).toEqual([]);
  });

  test('before the daemon says that it has a message', async () => {
    await using folder = temporaryFolder();
    const trace = folder.at('trace');
    await using daemon = await tracedDaemon(folder.at('home'), trace);
    const numbers = Array.from({ length: 8 }, (_, number) => number);

    await Promise.all(
      numbers.map((number) =>
        daemon.client.send({ to: 'jean', from: 'sam', body: `message ${number}` }),
      ),
    );

    await daemon.stop();
    const text = readFileSync(trace, 'utf8');
    const answers = /write\w*\((\d+)<.*"HTTP\/1\.1 20\d /;
    const asks = /(?:read|recv\w*)\((\d+)<.*"POST \/api\/v1\/messages /;
    expect(flushViolations(text, { log: 'ledger.db-wal', asks, answers })).toEqual([]);
    expect(text.match(new RegExp(answers, 'g'))).toHaveLength(numbers.length);
  });

  /** With two agents in it, and traced from before its start. */
  async function tracedDaemon(home: string, trace: string): Promise<RunningDaemon> {
    {
      await using before = await startDaemon(home);
      for (const name of ['jean', 'sam']) await before.client.register(name);
      await before.stop();
    }
    const through = ['strace', '-f', '-y', '-e', `${tracedCalls},openat,rename`, '-o', trace];
    return startDaemon(home, { through });
  }
});
