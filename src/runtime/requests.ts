/**
 * What agents asked `__orchestrator__` for by messages: to spawn somebody, or to release one.
 * The relay has written it down with the message; here it is done, and whoever asked is
 * answered: by an ack that says what runs, or a nack that says exactly why not.
 */
import { commandWords } from '../kernel/command-words.ts';
import { AosError, toReport } from '../kernel/errors.ts';
import type { ReleaseRequest, SpawnRequest } from '../kernel/orchestrator-request.ts';
import type { Clock } from '../kernel/ports.ts';
import { readBudget } from '../ledger/budgets.ts';
import type { Ledger, Sql } from '../ledger/ledger.ts';
import { openOperationsOf } from '../ledger/operations.ts';
import {
  completePendingOperation,
  openRequests,
  type PendingOperation,
} from '../ledger/pending-operations.ts';
import type { Note } from '../tools/deps.ts';
import type { SpawnedHere, SpawnOrder } from './spawn.ts';
import { tellLater } from './tell.ts';

export interface RequestsDeps {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly log: { error(facts: object, words: string): void };
  /** Where a working folder really is; throws when whoever asks may not work there. */
  folderFor(by: string, path: string): Promise<string>;
  /** Somebody is to be told something. */
  toTell(): void;
  /** Also starts it; throws why it could not be started. */
  spawn(order: SpawnOrder): Promise<SpawnedHere>;
  terminate(
    name: string,
    why: { readonly by: string; readonly reason?: string | undefined },
  ): Promise<void>;
}

interface Asker {
  /** An agent's name, or `owner`. */
  readonly by: string;
  readonly message_id: string;
}

const pageRequests = 50;

/** All that wait: those for one name one after another, those for others beside them. */
export async function takeRequests(deps: RequestsDeps): Promise<void> {
  const underWay = new Map<string, Promise<void>>();
  let after = 0;
  for (;;) {
    const page = await openRequests(deps.ledger.committed, { after, limit: pageRequests });
    for (const row of page) {
      // Only the relay writes it.
      const { name } = JSON.parse(row.payload) as { readonly name: string };
      const before = underWay.get(name.toLowerCase()) ?? Promise.resolve();
      underWay.set(
        name.toLowerCase(),
        before.then(() => takeOne(deps, row)),
      );
    }
    after = page.at(-1)?.id ?? after;
    if (page.length < pageRequests) break;
  }
  await Promise.all(underWay.values());
}

async function takeOne(
  deps: RequestsDeps,
  { id, payload, operation_type }: PendingOperation,
): Promise<void> {
  const type = operation_type === 'spawn' ? 'spawn' : 'release';
  // Only the relay writes it.
  const asked = JSON.parse(payload) as Asker;
  const answer = await answerTo(deps, type, payload);
  await deps.ledger.transact(async (tx) => {
    const at = deps.clock.now();
    // Somebody else has answered it meanwhile.
    if (!(await completePendingOperation(tx, id, at))) return;
    const to = asked.by === 'owner' ? 'owner' : `agent:${asked.by}`;
    const key = `${type}-${asked.message_id}`;
    await tellLater(tx, { to, key, re: asked.message_id, ...answer }, at);
  });
  deps.toTell();
}

type Answer = Required<Pick<Note, 'kind' | 'body'>>;

async function answerTo(
  deps: RequestsDeps,
  type: 'spawn' | 'release',
  payload: string,
): Promise<Answer> {
  try {
    const body =
      type === 'spawn'
        ? await spawnAsked(deps, JSON.parse(payload) as SpawnRequest & Asker)
        : await releaseAsked(deps, JSON.parse(payload) as ReleaseRequest & Asker);
    return { kind: 'ack', body };
  } catch (failure) {
    if (!(failure instanceof AosError)) {
      deps.log.error({ err: failure, type }, 'a request broke');
    }
    const { code, message, fix } = toReport(failure);
    return {
      kind: 'nack',
      body: `${message}\n${fix === undefined ? '' : `${fix}\n`}CODE: ${code}\n`,
    };
  }
}

async function spawnAsked(deps: RequestsDeps, asked: SpawnRequest & Asker): Promise<string> {
  const { name, by, cli, env, prompt } = asked;
  const isOwner = by === 'owner';
  const workingDir = asked.workingDir && (await deps.folderFor(asked.by, asked.workingDir));
  const { pid, isWaiting } = await deps.spawn({
    name,
    by: isOwner ? 'owner' : `agent:${by}`,
    parent: isOwner ? undefined : by,
    countsFor: isOwner ? [] : await budgetsOf(deps.ledger.committed, by),
    spawnKey: `message:${asked.message_id}`,
    spec: {
      body: 'command',
      argv: commandWords(cli),
      env,
      restart: 'never',
      ...(workingDir === undefined ? {} : { cwd: workingDir }),
      ...(prompt === undefined ? {} : { prompt }),
    },
  });
  if (isWaiting) {
    return `WAITING: ${name}\nAs many programs run as may at once; it starts when one of them ends.\n`;
  }
  return `STARTED: ${name}\n${pid === undefined ? '' : `PID: ${pid}\n`}`;
}

async function releaseAsked(deps: RequestsDeps, asked: ReleaseRequest & Asker): Promise<string> {
  const { name, by, reason } = asked;
  await deps.terminate(name, { by: by === 'owner' ? 'owner' : `agent:${by}`, reason });
  return `RELEASED: ${name}\n`;
}

/** Of an agent, and of what it works on: those that there are. */
async function budgetsOf(sql: Sql, agent: string): Promise<readonly string[]> {
  const operations = await openOperationsOf(sql, agent);
  const atWork = operations.filter(({ state }) => state === 'running' || state === 'waiting');
  const ids = [`agent:${agent}`, ...atWork.map(({ id }) => `operation:${id}`)];
  const there: string[] = [];
  for (const id of ids) if ((await readBudget(sql, id)) !== undefined) there.push(id);
  return there;
}
