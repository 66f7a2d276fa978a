/** Looks at what flows through a passage: how much, and whether it still does. */
import { Transform } from 'node:stream';
import type { Place } from '../../security/egress/fetch-deed.ts';
import { IdleWatch } from './idle-watch.ts';
import type { Passage } from './passage.ts';
import { type ProxyDeps, proxyLimits } from './proxy-deps.ts';
import { tooLarge, tooSlow } from './reach.ts';

export class Flow implements Disposable {
  readonly #passage: Passage;
  readonly #place: Place;
  readonly #sizeBytes: number;
  readonly #idle: IdleWatch;

  constructor(
    { clock }: Pick<ProxyDeps, 'clock'>,
    passage: Passage,
    place: Place,
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
