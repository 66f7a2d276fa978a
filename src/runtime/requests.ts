/**
 * What agents asked `__orchestrator__` for by messages: to spawn an agent, or to release one.
 * The relay has written it down with the message; here it is done, and the agent that asked is
 * answered: by an ack that says what runs, or a nack that says exactly why not.
 */
import { commandWords } from '../kernel/agent/program.ts';
import { AosError, toReport } from '../kernel/errors.ts';
import type { Note } from '../kernel/message/message.ts';
import type { ReleaseRequest, SpawnRequest } from '../kernel/message/orchestrator-request.ts';
import type { Clock, Instant } from '../kernel/ports.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { readBudget } from '../ledger/operations/leases.ts';
import { listOperations } from '../ledger/operations/operations.ts';
import {
  completePendingOperation,
  openRequests,
  type PendingOperation,
} from '../ledger/operations/pending-operations.ts';
import { tellLater } from '../relay/tell.ts';
import type { SpawnedHere, SpawnOrder } from './spawn.ts';

export interface RequestsDeps {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly log: { error(facts: object, words: string): void };
  /** Where a working folder really is; throws when the agent that asks may not work there. */
  folderFor(by: string, path: string): Promise<string>;
  /** A note was left for tellAll(). */
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
const mostLatest = 50;

/** What is being done for those who asked: one that takes long does not hold up those that ask later. */
export class Requests {
  readonly #deps: RequestsDeps;
  /** By their ids. */
  readonly #underWay = new Set<number>();
  /** The last one for each name. */
  readonly #lasts = new Map<string, Promise<void>>();

  constructor(deps: RequestsDeps) {
    this.#deps = deps;
  }

  /** Begins all that wait: those for one name one after another, those for others beside them. */
  async take(): Promise<void> {
    // As it was before the look: one that ends meanwhile may still be found.
    const underWay = new Set(this.#underWay);
    for (let after = 0; ; ) {
      const page = await openRequests(this.#deps.ledger.committed, { after, limit: pageRequests });
      for (const row of page) if (!underWay.has(row.id)) this.#begin(row);
      after = page.at(-1)?.id ?? after;
      if (page.length < pageRequests) return;
    }
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    while (this.#lasts.size > 0) await Promise.all(this.#lasts.values());
  }

  #begin(row: PendingOperation): void {
    // Only the relay writes it.
    const name = (JSON.parse(row.payload) as { readonly name: string }).name.toLowerCase();
    this.#underWay.add(row.id);
    const before = this.#lasts.get(name) ?? Promise.resolve();
    const taken = before
      .then(() => takeOne(this.#deps, row))
      // It is open still, and is taken once more.
      .catch((failure: unknown) => this.#deps.log.error({ err: failure }, 'a request is put off'))
      .finally(() => {
        this.#underWay.delete(row.id);
        if (this.#lasts.get(name) === taken) this.#lasts.delete(name);
      });
    this.#lasts.set(name, taken);
  }
}

async function takeOne(
  deps: RequestsDeps,
  { id, payload, operation_type, created_at }: PendingOperation,
): Promise<void> {
  const type = operation_type === 'spawn' ? 'spawn' : 'release';
  // Only the relay writes it.
  const asked = JSON.parse(payload) as Asker;
  const answer = await answerTo(deps, type, { payload, askedAt: created_at });
  await deps.ledger.transact(async (tx) => {
    const at = deps.clock.now();
    // It was answered meanwhile.
    if (!(await completePendingOperation(tx, id, at))) return;
    const to = asked.by === 'owner' ? 'owner' : `agent:${asked.by}`;
    const key = `${type}-${asked.message_id}`;
    await tellLater(tx, { to, key, re: asked.message_id, ...answer }, { at });
  });
  deps.toTell();
}

type Answer = Required<Pick<Note, 'kind' | 'body'>>;

async function answerTo(
  deps: RequestsDeps,
  type: 'spawn' | 'release',
  { payload, askedAt }: { readonly payload: string; readonly askedAt: Instant },
): Promise<Answer> {
  try {
    const body =
      type === 'spawn'
        ? await spawnAsked(deps, JSON.parse(payload) as SpawnRequest & Asker, askedAt)
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

async function spawnAsked(
  deps: RequestsDeps,
  asked: SpawnRequest & Asker,
  askedAt: Instant,
): Promise<string> {
  const { name, by, cli, env, prompt } = asked;
  const isOwner = by === 'owner';
  const workingDir = asked.workingDir && (await deps.folderFor(asked.by, asked.workingDir));
  const { pid, isWaiting } = await deps.spawn({
    name,
    by: isOwner ? 'owner' : `agent:${by}`,
    parent: isOwner ? undefined : by,
    countsFor: isOwner ? [] : await budgetsOf(deps, by, askedAt),
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

/** Of an agent, and of what it worked on when it asked, also if that is over now. */
async function budgetsOf(
  { ledger, clock }: Pick<RequestsDeps, 'ledger' | 'clock'>,
  agent: string,
  askedAt: Instant,
): Promise<readonly string[]> {
  const sql = ledger.committed;
  const now = clock.now();
  const latest = await listOperations(sql, { agent, limit: mostLatest });
  const atWork = latest.filter(({ state, created_at, ended_at }) => {
    if (state === 'queued') return false;
    // One that is open and seems to begin later than now is older than the clock, which was put back.
    if (ended_at === null) return created_at <= askedAt || created_at > now;
    return created_at <= askedAt && ended_at >= askedAt;
  });
  const ids = [`agent:${agent}`, ...atWork.map(({ id }) => `operation:${id}`)];
  const there: string[] = [];
  for (const id of ids) if ((await readBudget(sql, id)) !== undefined) there.push(id);
  return there;
}
