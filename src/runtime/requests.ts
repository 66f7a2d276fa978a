/**
 * What agents asked `__orchestrator__` for by messages: to spawn somebody, or to release one.
 * The relay has written it down with the message; here it is done, and whoever asked is
 * answered: by an ack that says what runs, or a nack that says exactly why not.
 */
import { commandWords } from '../kernel/command-words.ts';
import { AosError, toReport } from '../kernel/errors.ts';
import type { ReleaseRequest, SpawnRequest } from '../kernel/orchestrator-request.ts';
import type { Clock } from '../kernel/ports.ts';
import type { Ledger } from '../ledger/ledger.ts';
import {
  completePendingOperation,
  openPendingOperations,
  type PendingOperation,
} from '../ledger/pending-operations.ts';
import type { Note } from '../tools/deps.ts';
import type { Spawned, SpawnOrder } from './spawn.ts';
import { tellLater } from './tell.ts';

export interface RequestsDeps {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly log: { error(facts: object, words: string): void };
  /** Also starts it; throws why it could not be started. */
  spawn(order: SpawnOrder): Promise<Spawned & { readonly pid?: number | undefined }>;
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

/** All that wait, one after another. */
export async function takeRequests(deps: RequestsDeps): Promise<boolean> {
  let any = false;
  for (const type of ['spawn', 'release'] as const) {
    for (const row of await openPendingOperations(deps.ledger.committed, pageRequests, type)) {
      await takeOne(deps, type, row);
      any = true;
    }
  }
  return any;
}

async function takeOne(
  deps: RequestsDeps,
  type: 'spawn' | 'release',
  { id, payload }: PendingOperation,
): Promise<void> {
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
  const { name, by, cli, workingDir, env, prompt } = asked;
  const isOwner = by === 'owner';
  const { pid } = await deps.spawn({
    name,
    by: isOwner ? 'owner' : `agent:${by}`,
    parent: isOwner ? undefined : by,
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
  return `STARTED: ${name}\n${pid === undefined ? '' : `PID: ${pid}\n`}`;
}

async function releaseAsked(deps: RequestsDeps, asked: ReleaseRequest & Asker): Promise<string> {
  const { name, by, reason } = asked;
  await deps.terminate(name, { by: by === 'owner' ? 'owner' : `agent:${by}`, reason });
  return `RELEASED: ${name}\n`;
}
