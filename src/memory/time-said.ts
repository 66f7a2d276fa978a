/** What a question says of time: `last week`, `in May 2023`. Memories of then come first. */
import { Sentence } from '../kernel/language/cursor.ts';
import { takeDates } from '../kernel/language/dates.ts';
import { whenWords } from '../kernel/language/span-words.ts';
import { tokensOf } from '../kernel/language/tokens.ts';
import type { Instant } from '../kernel/ports.ts';
import type { TimeZone } from '../kernel/time-zone.ts';

export interface TimeSaid {
  readonly span?: { readonly after?: Instant; readonly before?: Instant };
  readonly words?: string;
  /** The question without it. */
  readonly rest: string;
}

export function timeSaid(
  query: string,
  today: { readonly now: Instant; readonly zone: TimeZone },
): TimeSaid {
  const sentence = new Sentence(tokensOf(query));
  const dates = takeDates(sentence, today);
  if (dates === undefined || dates.isAmbiguous) return { rest: query };
  const { after, before } = dates;
  const rest = sentence
    .free()
    .map(({ token }) => (token.kind === 'quoted' ? `"${token.text}"` : token.text))
    .join(' ');
  const span = {
    ...(after === undefined ? {} : { after }),
    ...(before === undefined ? {} : { before }),
  };
  // A question of nothing but time asks for all of that time by the words that say it.
  return { span, words: whenWords(dates, today), rest: rest.trim() === '' ? query : rest };
}
