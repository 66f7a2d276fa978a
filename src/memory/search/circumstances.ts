/** What makes a memory likelier than its words alone: who says it, when, and whether it tells or asks. */
import type { Instant } from '../../kernel/ports.ts';
import type { Ground } from './ground.ts';

export interface TimeSpan {
  readonly after?: Instant;
  readonly before?: Instant;
}

export interface Circumstances {
  /** Of the query. */
  readonly words: ReadonlySet<string>;
  readonly likelier: TimeSpan | undefined;
}

const bySomebodyNamed = 1.2;
/** What is asked is found by the answer. */
const question = 0.8;
const inTime = 1;
/** A little before and after the time that was said things are told of it too. */
const nearMs = 7 * 86_400_000;

/** What the score of a row is multiplied by; at most 1. */
export function likelihoods(
  ground: Ground,
  { words, likelier }: Circumstances,
): (row: number) => number {
  const named = ground.speakersIn(words);
  const most = (likelier === undefined ? 1 : 1 + inTime) * bySomebodyNamed;
  return (row) => {
    let factor = 1 + inTime * timeliness(ground.times[row] ?? 0, likelier);
    if (named.has(ground.speakers[row] ?? -1)) factor *= bySomebodyNamed;
    if (ground.asks[row] === 1) factor *= question;
    return factor / most;
  };
}

/** 1 within the span, and less the further away; 0 where no time was said. */
function timeliness(time: Instant, span: TimeSpan | undefined): number {
  if (span === undefined) return 0;
  const { after = Number.NEGATIVE_INFINITY, before = Number.POSITIVE_INFINITY } = span;
  if (time < after) return Math.exp((time - after) / nearMs);
  return time < before ? 1 : Math.exp((before - time) / nearMs);
}
