/** What a question says of time: `last week`, `in May 2023`. Memories of then come first. */
import { Sentence } from '../kernel/language/cursor.ts';
import { takeDates } from '../kernel/language/dates.ts';
import { whenWords } from '../kernel/language/span-words.ts';
import { tokensOf } from '../kernel/language/tokens.ts';
import type { Instant, TimeZone } from '../kernel/ports.ts';

export interface TimeSaid {
  readonly after?: Instant;
  readonly before?: Instant;
  readonly words: string;
}

/** Undefined where it says nothing of time, or nothing that is clear. */
export function timeSaid(
  query: string,
  today: { readonly now: Instant; readonly zone: TimeZone },
): TimeSaid | undefined {
  const dates = takeDates(new Sentence(tokensOf(query)), today);
  if (dates === undefined || dates.isAmbiguous) return undefined;
  const { after, before } = dates;
  return {
    ...(after === undefined ? {} : { after }),
    ...(before === undefined ? {} : { before }),
    words: whenWords(dates, today),
  };
}
