/**
 * Follows a stream of server-sent events from outside, over restarts of the daemon. The last
 * place is kept here and told with every connection; only what comes behind it is handed out. A
 * daemon that is away for longer than the patience is not waited for.
 */

import type { Clock } from '../../kernel/ports.ts';
import { EventStreamParser } from '../../kernel/text/event-stream.ts';
import type { TransportAnswer } from './transport.ts';

export interface FollowOptions {
  /** The place behind which to begin; everything is seen when it is not given. */
  readonly after?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface FollowDeps {
  readonly clock: Clock;
  /** An answer that is a stream of events, from a place on; anything else is thrown. */
  openStream(path: string, from: FollowOptions): Promise<TransportAnswer>;
  /** Whether trying again is right. */
  isPassing(failure: unknown): boolean;
  /** What arrived is none of ours. */
  parseJson(text: string): unknown;
}

/** What is seen of one kind of stream. */
export interface Sights<Sight> {
  /** Undefined for an event that is not known here. */
  of(event: string, content: unknown, id: string): Sight | undefined;
  /** Of a sight that has one. */
  placeOf(sight: Sight): number | undefined;
  /** Whether it says once more what was said before: told anew with each connection. */
  isRepeated(sight: Sight): boolean;
  isEnd(sight: Sight): boolean;
}

const pauseMs = { first: 100, longest: 2000 };
const patienceMs = 30_000;

export async function* followStream<Sight>(
  deps: FollowDeps,
  path: string,
  sights: Sights<Sight>,
  { after = 0, signal }: FollowOptions = {},
): AsyncGenerator<Sight, void, void> {
  const { clock } = deps;
  let place = after;
  let awaySince: number | undefined;
  for (let pause = pauseMs.first; ; pause = Math.min(pause * 2, pauseMs.longest)) {
    try {
      for await (const sight of readSights(deps, path, sights, { after: place, signal })) {
        awaySince = undefined;
        pause = pauseMs.first;
        const reached = sights.placeOf(sight);
        if (reached !== undefined && reached <= place) continue;
        place = reached ?? place;
        if (sights.isRepeated(sight)) continue;
        yield sight;
        if (sights.isEnd(sight)) return;
      }
    } catch (failure) {
      signal?.throwIfAborted();
      awaySince ??= clock.monotonicMs();
      const isLate = clock.monotonicMs() - awaySince > patienceMs;
      if (!deps.isPassing(failure) || isLate) throw failure;
    }
    await clock.sleep(pause, signal);
  }
}

async function* readSights<Sight>(
  deps: FollowDeps,
  path: string,
  sights: Sights<Sight>,
  from: FollowOptions,
): AsyncGenerator<Sight, void, void> {
  const { body } = await deps.openStream(path, from);
  const parser = new EventStreamParser();
  for await (const bytes of body) {
    for (const { event, data, id } of parser.push(bytes)) {
      const sight = sights.of(event, deps.parseJson(data), String(id));
      if (sight !== undefined) yield sight;
    }
  }
}
