/** Those who write and read messages while the daemon is killed over and over. */
import { unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { version } from '../../src/app/version.ts';
import { realClock, realEventLoop, realRandom } from '../../src/engines/clock.ts';
import { connectTo } from '../../src/gateway/client/client.ts';
import { MessageConnection } from '../../src/gateway/client/message-client.ts';
import { AosError } from '../../src/kernel/errors.ts';
import type { Random } from '../../src/kernel/ports.ts';
import { integerBelow } from '../sim/random.ts';
import type { HistoryLog } from './history-log.ts';
import { inboxOf, namesIn, outboxOf, putIntoOutbox, readFound } from './message-files.ts';

export interface ChaosDeps {
  readonly home: string;
  readonly log: HistoryLog;
  readonly random: Random;
  /** Whoever writes ends then; whoever reads does so once nothing more can come. */
  readonly signal: AbortSignal;
}

interface Draft {
  readonly key: string;
  readonly to: string;
  readonly priority: number;
  readonly body: string;
}

const deps = { clock: realClock, random: realRandom, eventLoop: realEventLoop, version };
const priorities = [1, 5, 5, 9];
// More than one look takes, and few enough to be through soon after the last kill.
const mostFiles = 16;

/** By the write protocol. Nobody answers: what lies in the outbox must arrive. */
export async function writeFiles(chaos: ChaosDeps, name: string, to: readonly string[]) {
  for (let number = 0; !chaos.signal.aborted; number++) {
    const draft = begin(chaos, name, number, to);
    const { key, body } = draft;
    putIntoOutbox(chaos.home, name, `TO: ${draft.to}\nPRIORITY: ${draft.priority}\n\n${body}`);
    chaos.log.add({ kind: 'stored', key });
    do await sleep(2);
    while (namesIn(outboxOf(chaos.home, name)).length > mostFiles && !chaos.signal.aborted);
  }
}

/** Over HTTP; what was not answered is sent again under its key. */
export async function callOften(chaos: ChaosDeps, name: string, to: readonly string[]) {
  const client = connectTo(deps, join(chaos.home, 'run', 'aos.sock'));
  for (let number = 0; !chaos.signal.aborted; number++) {
    const { key, ...draft } = begin(chaos, name, number, to);
    const { id } = await untilAnswered(() => client.send({ ...draft, from: name, dedup_key: key }));
    chaos.log.add({ kind: 'acknowledged', key, id });
  }
}

const passing = new Set(['daemon.down', 'gateway.not-ready', 'ledger.closed', 'daemon.stopping']);

async function untilAnswered<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (failure) {
      if (!(failure instanceof AosError && passing.has(failure.code))) throw failure;
    }
    await sleep(10);
  }
}

/** Over one connection of the library, which comes back by itself. */
export async function sendOverConnection(chaos: ChaosDeps, name: string, to: readonly string[]) {
  const socketPath = join(chaos.home, 'run', 'aos.sock');
  await using connection = new MessageConnection(deps, { socketPath });
  for (let number = 0; !chaos.signal.aborted; number++) {
    const { key, ...draft } = begin(chaos, name, number, to);
    const { id } = await connection.send({ ...draft, from: name });
    chaos.log.add({ kind: 'acknowledged', key, id });
  }
}

function begin(
  { log, random }: ChaosDeps,
  sender: string,
  number: number,
  recipients: readonly string[],
): Draft {
  const to = recipients[integerBelow(random, recipients.length)] ?? '';
  const priority = priorities[integerBelow(random, priorities.length)] ?? 5;
  const body = `${number} of ${sender} ${'x'.repeat(integerBelow(random, 2000))}\n`;
  const key = `${sender}/${number}`;
  log.add({ kind: 'sent', key, sender, to, priority, body });
  return { key, to, priority, body };
}

/** The number of a message of one of these writers, from its body. */
export function numberIn(body: string): number {
  return Number.parseInt(body, 10);
}

/** Takes every message out of the inbox, in its order, as soon as it is there. */
export async function readFiles({ home, log, signal }: ChaosDeps, recipient: string) {
  while (!signal.aborted) {
    for (const name of steadyNames(inboxOf(home, recipient))) {
      const found = readFound(home, recipient, name);
      if (found === undefined) continue;
      const { ID: id = '', FROM: from = '' } = found.headers;
      log.add({ kind: 'appeared', recipient, id, from, body: found.body, way: 'inbox' });
      unlinkSync(join(inboxOf(home, recipient), name));
      log.add({ kind: 'read', recipient, id, how: 'file' });
    }
    await sleep(1);
  }
}

/**
 * A listing may miss a file that came while it was made, and show a later one. In two equal
 * ones nothing is missing that was there before the last that they show.
 */
function steadyNames(folder: string): string[] {
  for (let names = namesIn(folder); ; ) {
    const again = namesIn(folder);
    if (again.join() === names.join()) return names;
    names = again;
  }
}
