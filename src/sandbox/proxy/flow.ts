/** Looks at what flows through a passage: how much, and whether it still does. */

import type { Socket } from 'node:net';
import { Transform } from 'node:stream';
import { hostAndPort } from '../../kernel/capability/url-text.ts';
import type { Clock } from '../../kernel/ports.ts';
import { early } from '../../kernel/turns.ts';
import { checkPlace, permitRequest, within } from '../../security/egress/check-address.ts';
import { dial, plainFailure } from '../../security/egress/dial.ts';
import type { FetchPlace, HttpAction } from '../../security/egress/fetch-action.ts';
import type { Permit } from '../../security/permit.ts';
import { type Passage, type ProxyDeps, ProxyRefusal, proxyLimits } from './passage.ts';

export class Flow implements Disposable {
  readonly #passage: Passage;
  readonly #place: FetchPlace;
  readonly #sizeBytes: number;
  readonly #idle: IdleWatch;

  constructor(
    { clock }: Pick<ProxyDeps, 'clock'>,
    passage: Passage,
    place: FetchPlace,
    sizeBytes: number,
  ) {
    this.#passage = passage;
    this.#place = place;
    this.#sizeBytes = sizeBytes;
    this.#idle = new IdleWatch(clock, proxyLimits.idleMs, () =>
      passage.end(tooSlow(place, `sent and took nothing for ${proxyLimits.idleMs} ms`)),
    );
  }

  /** For one direction: what passes it is counted, and what is too much does not pass. */
  meter(onPiece: () => void = () => {}): Transform {
    let leftBytes = this.#sizeBytes;
    return new Transform({
      transform: (piece: Buffer, _, done) => {
        this.#idle.touch();
        onPiece();
        leftBytes -= piece.length;
        if (leftBytes >= 0) return done(null, piece);
        this.#passage.end(tooLarge(this.#place, this.#sizeBytes));
        done();
      },
    });
  }

  [Symbol.dispose](): void {
    this.#idle[Symbol.dispose]();
  }
}

/** Tells, once, when nothing has happened for so long. */
export class IdleWatch implements Disposable {
  readonly #clock: Clock;
  readonly #over = new AbortController();
  #touchedAt: number;

  constructor(clock: Clock, limitMs: number, onIdle: () => void) {
    this.#clock = clock;
    this.#touchedAt = clock.monotonicMs();
    this.#untilIdle(limitMs).then(
      () => {
        if (!this.#over.signal.aborted) onIdle();
      },
      () => {
        // It was disposed of.
      },
    );
  }

  /** One number, and no new timer: it is called for every piece of what flows. */
  touch(): void {
    this.#touchedAt = this.#clock.monotonicMs();
  }

  [Symbol.dispose](): void {
    this.#over.abort(early);
  }

  async #untilIdle(limitMs: number): Promise<void> {
    for (;;) {
      const leftMs = limitMs - (this.#clock.monotonicMs() - this.#touchedAt);
      if (leftMs <= 0) return;
      await this.#clock.sleep(leftMs, this.#over.signal);
    }
  }
}

interface Reached {
  readonly upstream: Socket;
  /** The most that may flow each way; infinite where no grant says. */
  readonly sizeBytes: number;
}

export async function reach(
  deps: ProxyDeps,
  passage: Passage,
  place: FetchPlace,
  action: HttpAction,
): Promise<Reached> {
  passage.leadsTo(place);
  const permit = await permitRequest(passage, action);
  const { clock, resolver } = deps;
  const late = () => tooSlow(place, `could not be reached within ${proxyLimits.reachMs} ms`);
  const limit = { clock, signal: passage.signal, timeoutMs: proxyLimits.reachMs, late };
  return within(limit, async (signal) => {
    try {
      const { addresses, permits } = await checkPlace(resolver, passage, action, signal);
      const upstream = await dial({ clock }, place, addresses, signal);
      return { upstream, sizeBytes: smallest([permit, ...permits]) };
    } catch (failure) {
      throw signal.aborted ? signal.reason : asRefusal(place, failure);
    }
  });
}

/** What comes from the network as what a client is told; a refusal of ours stays. */
export function asRefusal(place: FetchPlace, failure: unknown): Error {
  return failure instanceof ProxyRefusal ? failure : plainFailure(place, failure);
}

export function tooSlow(place: FetchPlace, why: string): ProxyRefusal {
  return new ProxyRefusal(504, `${hostAndPort(place)} ${why}`);
}

export function tooLarge(place: FetchPlace, limitBytes: number): ProxyRefusal {
  return new ProxyRefusal(
    413,
    `More than ${limitBytes} bytes, which the grant for ${hostAndPort(place)} does not allow`,
  );
}

function smallest(permits: readonly Permit[]): number {
  return Math.min(...permits.map(({ sizeBytes = Number.POSITIVE_INFINITY }) => sizeBytes));
}
