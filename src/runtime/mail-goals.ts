/**
 * Goals that are made of mail: a standing agent works on what is sent to it. Slowed down where
 * that comes too often, and left alone where it fails each time.
 */

import { decideRestart } from '../kernel/agent/agent.ts';
import { toReport } from '../kernel/errors.ts';
import { idAfter } from '../kernel/new-id.ts';
import type { Clock, Instant } from '../kernel/ports.ts';
import { findAgent } from '../ledger/agents.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { hasUnread } from '../ledger/messages/find-mail.ts';
import {
  listOperations,
  type OperationRow,
  openOperationsOf,
} from '../ledger/operations/operations.ts';
import { tellLater } from '../relay/tell.ts';
import { turnTo } from './life.ts';
import { specOf } from './model/model-runs.ts';
import type { Scheduler } from './scheduler.ts';

export interface MailGoalsDeps {
  readonly ledger: Ledger;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: { error(facts: object, words: string): void };
  readonly scheduler: Pick<Scheduler, 'submit'>;
  /** A note was left for tellAll(). */
  toTell(): void;
}

// Acks about acks would have no end.
const servedKinds = ['message', 'request', 'response', 'event', 'stream'] as const;
const mailGoal =
  'You have mail. Read it, do what it asks for as far as you may, and answer whoever sent it.';

export class MailGoals {
  readonly #deps: MailGoalsDeps;
  readonly #serving = new Set<string>();

  constructor(deps: MailGoalsDeps) {
    this.#deps = deps;
  }

  /** A hint that there may be mail for a model agent, or that it has nothing more to do. */
  serve(agent: string): void {
    if (this.#serving.has(agent)) return;
    this.#serving.add(agent);
    this.#serve(agent)
      .catch((failure: unknown) => {
        this.#deps.log.error({ error: toReport(failure), agent }, 'an agent could not be woken');
      })
      .finally(() => this.#serving.delete(agent));
  }

  /** A standing agent that has mail and nothing to do gets a goal of that. */
  async #serve(agent: string): Promise<void> {
    const { ledger, scheduler, clock } = this.#deps;
    const sql = ledger.committed;
    const row = await findAgent(sql, agent);
    if (row?.state !== 'pending' || !(await specOf(sql, agent)).is_standing) return;
    if ((await openOperationsOf(sql, agent)).length > 0) return;
    if (!(await hasUnread(sql, agent, servedKinds))) return;
    const now = clock.now();
    // What seems to lie ahead would hide how those went that came after it.
    const page = { agent, before: idAfter(now), limit: mostMailGoals };
    const decision = decideAgain(await listOperations(sql, page), now);
    if (decision.kind === 'give-up') return this.#giveUp(agent, decision.why);
    if (decision.kind === 'too-many') await this.#tellOfStorm(agent);
    await scheduler.submit({
      ...{ text: mailGoal, owner: 'system', agent, isOfMail: true },
      delayMs: decision.delayMs,
    });
  }

  /** It is slowed down; whether that is right, the owner has to say. Told once an hour. */
  async #tellOfStorm(agent: string): Promise<void> {
    const { ledger, clock } = this.#deps;
    await ledger.transact(async (tx) => {
      const at = clock.now();
      const body = `Agent ${agent} had mail to work on ${mostMailGoals} times within a minute, and gets it once a minute now. It may be answering somebody who answers it.\n\naos inspect ${agent}\naos pause ${agent}\n`;
      const key = `mail-storm-${agent}-${Math.floor(at / 3_600_000)}`;
      await tellLater(tx, { to: 'owner', key, body }, { at });
    });
    this.#deps.toTell();
  }

  /** It fails each time that it is asked: the owner has to look at it. */
  async #giveUp(agent: string, why: string): Promise<void> {
    const { ledger, clock } = this.#deps;
    await ledger.transact(async (tx) => {
      const at = clock.now();
      const turn = { to: 'failed', from: ['pending'], actor: 'system', at } as const;
      if (!(await turnTo(tx, agent, { ...turn, reason: why }))) return;
      const body = `Agent ${agent} has mail, fails whenever it works on it, and is left alone now.\n\n${why}\n\naos inspect ${agent}\naos run "Work on your mail." --agent ${agent}\n`;
      await tellLater(tx, { to: 'owner', key: `mail-${agent}-${at}`, body }, { at });
    });
    this.#deps.toTell();
  }
}

// Whether a standing agent is asked once more, after it failed on its mail.

type Again =
  | { readonly kind: 'submit'; readonly delayMs: number }
  /** Perhaps it answers an agent that answers it: it is slowed down. */
  | { readonly kind: 'too-many'; readonly delayMs: number }
  | { readonly kind: 'give-up'; readonly why: string };

/** Within a minute. */
export const mostMailGoals = 30;
const minuteMs = 60_000;

/** The latest operations of the agent, the newest first, at most `mostMailGoals`. */
export function decideAgain(
  latest: readonly Pick<OperationRow, 'state' | 'created_at' | 'ended_at' | 'result'>[],
  now: Instant,
): Again {
  const oldest = latest[mostMailGoals - 1];
  // A clock that was put back must not slow it down for long.
  const age = oldest === undefined ? minuteMs : Math.abs(now - oldest.created_at);
  if (age < minuteMs) return { kind: 'too-many', delayMs: minuteMs };
  const good = latest.findIndex(({ state }) => state !== 'failed');
  const failed = good === -1 ? latest : latest.slice(0, good);
  if (failed.length === 0) return { kind: 'submit', delayMs: 0 };
  // The first failure is no restart yet.
  const restarts = failed
    .slice(0, -1)
    .flatMap(({ ended_at }) => ended_at ?? [])
    .reverse();
  const decision = decideRestart({ policy: 'on-failure', end: 'failed', restarts, now });
  if (decision.kind === 'restart') return { kind: 'submit', delayMs: decision.afterMs };
  return { kind: 'give-up', why: messageIn(failed[0]?.result ?? null) };
}

function messageIn(result: string | null): string {
  // Written by conclude.ts alone.
  const stored = JSON.parse(result ?? '{}') as { readonly error?: { readonly message: string } };
  return stored.error?.message ?? 'it failed';
}
