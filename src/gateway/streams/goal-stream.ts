/**
 * A goal as server-sent events, for one reader.
 *
 * G1. Steps are read from the ledger, each behind the last one that was written: none is left
 *     out and none comes twice, whatever was heard of them meanwhile.
 * G2. What is heard says when to look, and up to where, so that words come between the steps
 *     that they belong to, and so does what tools show. Words whose answer is written already
 *     are dropped.
 * G3. Some changes are not told of, such as a goal that is taken back before it began. So the
 *     row is looked at now and then.
 * G4. A reader who does not read is cut off, and goes on from its last step.
 */
import type { ServerResponse } from 'node:http';
import type { Clock } from '../../kernel/ports.ts';
import type { Ledger, Sql } from '../../ledger/ledger.ts';
import { findOperation } from '../../ledger/operations/operations.ts';
import { readSteps } from '../../ledger/operations/steps.ts';
import type { AgentRuntime } from '../../runtime/runtime.ts';
import type { Scrub } from '../../security/secrets/scrub.ts';
import type { GoalEvent, GoalState } from '../contract/stream-events.ts';
import { wireStep } from '../routes/views/goal-wire.ts';
import { knownFailure } from '../server/problem.ts';
import { drained, eventText } from './event-stream-answer.ts';
import { type FeedDeps, isTooSlow, type Reader } from './feed-connection.ts';
import { GoalWatch } from './goal-watch.ts';

export interface GoalStreamDeps {
  readonly ledger: Pick<Ledger, 'committed'>;
  readonly clock: Clock;
  readonly feeds: FeedDeps;
  readonly secrets: { readonly scrubber: Scrub };
  readonly runtime?: Pick<AgentRuntime, 'followers'> | undefined;
}

export interface GoalReader extends Pick<Reader, 'stillAdmitted'> {
  /** Of the goal, whole. */
  readonly id: string;
  /** The last step that it has. */
  readonly after: number;
}

export interface GoalAnswer {
  readonly response: ServerResponse;
  readonly headers: Readonly<Record<string, string>>;
}

/** Takes the response over and writes to it until the goal is over or one side ends it. */
export async function answerWithGoal(
  deps: GoalStreamDeps,
  reader: GoalReader,
  { response, headers }: GoalAnswer,
): Promise<void> {
  const { feeds } = deps;
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  response.writeHead(200, {
    ...headers,
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    connection: 'close',
  });
  const signal = AbortSignal.any([gone.signal, feeds.closing]);
  feeds.metrics.feedClients++;
  try {
    const stream = new GoalStream(deps, reader, { response, signal });
    if (await stream.writeAll()) response.end();
    else {
      // G4
      feeds.metrics.cutOff.inc();
      response.destroy();
    }
  } catch (failure) {
    response.destroy();
    // The reader hears of it when it comes again.
    if (knownFailure(failure) === undefined) throw failure;
  } finally {
    feeds.metrics.feedClients--;
  }
}

const lookMs = 500;
const pageSteps = 50;

class GoalStream {
  readonly #deps: GoalStreamDeps;
  readonly #reader: GoalReader;
  readonly #response: ServerResponse;
  readonly #signal: AbortSignal;
  #place: number;
  #told: GoalState | undefined;
  #heardAt: number;
  #isSlow = false;

  constructor(
    deps: GoalStreamDeps,
    reader: GoalReader,
    { response, signal }: { readonly response: ServerResponse; readonly signal: AbortSignal },
  ) {
    this.#deps = deps;
    this.#reader = reader;
    this.#response = response;
    this.#signal = signal;
    this.#place = reader.after;
    this.#heardAt = deps.clock.monotonicMs();
  }

  /** False when the reader is too slow. */
  async writeAll(): Promise<boolean> {
    const { clock, runtime } = this.#deps;
    // G1, G2: listening first.
    using watch = new GoalWatch(clock, runtime?.followers, this.#reader.id);
    if (await this.#look((steps) => watch.beginBehind(steps))) return !this.#isSlow;
    while (!this.#signal.aborted) {
      const seen = await watch.next(lookMs, this.#signal);
      if (this.#isSlow || watch.isOverfull) return false;
      if (seen.kind === 'step') await this.#writeSteps(seen.seq);
      else if (seen.kind !== 'look') {
        const { after, ...event } = seen;
        if (this.#place <= after) await this.#write(event);
      } else if (await this.#look()) break;
      await this.#keepAlive();
    }
    return !this.#isSlow;
  }

  get #sql(): Sql {
    return this.#deps.ledger.committed;
  }

  /** G3. True when there is nothing more to come. */
  async #look(onFound?: (steps: number) => void): Promise<boolean> {
    await this.#reader.stillAdmitted();
    const row = await findOperation(this.#sql, this.#reader.id);
    // Old goals are swept away.
    if (row === undefined) return true;
    onFound?.(row.steps);
    await this.#writeSteps(row.steps);
    await this.#tell(row);
    if (row.ended_at === null || this.#isSlow) return this.#isSlow;
    await this.#write({ kind: 'end', state: row.state });
    return true;
  }

  async #writeSteps(upTo: number): Promise<void> {
    while (this.#place < upTo && !this.#isSlow && !this.#signal.aborted) {
      const page = { after: this.#place, upTo: Math.min(upTo, this.#place + pageSteps) };
      for (const step of await readSteps(this.#sql, this.#reader.id, page)) {
        await this.#write({ kind: 'step', step: wireStep(step) });
        this.#place = step.seq;
      }
      if (this.#place < page.upTo) return;
    }
  }

  async #tell({ state, waits_for }: GoalState): Promise<void> {
    if (this.#told?.state === state && this.#told.waits_for === waits_for) return;
    this.#told = { state, waits_for };
    await this.#write({ kind: 'state', state, waits_for });
  }

  async #keepAlive(): Promise<void> {
    const { clock, feeds } = this.#deps;
    if (clock.monotonicMs() - this.#heardAt < feeds.limits.heartbeatMs) return;
    await this.#put(': still here\n\n');
  }

  #write(event: GoalEvent): Promise<void> {
    return this.#put(this.#textOf(event));
  }

  async #put(text: string): Promise<void> {
    if (this.#isSlow || this.#signal.aborted) return;
    this.#heardAt = this.#deps.clock.monotonicMs();
    if (this.#response.write(text)) return;
    this.#isSlow = await isTooSlow(this.#deps.feeds, drained(this.#response), this.#signal);
  }

  #textOf(event: GoalEvent): string {
    switch (event.kind) {
      case 'step':
        return `id: ${event.step.seq}\n${eventText('step', event.step)}`;
      case 'delta':
        // What goes through the ledger was scrubbed there.
        return eventText('delta', this.#deps.secrets.scrubber.scrubJson(event.delta));
      case 'output':
      case 'dropped': {
        // The door to the tools scrubbed it.
        const { kind, ...content } = event;
        return eventText(kind, content);
      }
      case 'state':
        return eventText('state', { state: event.state, waits_for: event.waits_for });
      case 'end':
        return eventText('end', { state: event.state });
    }
  }
}
