/** Places and times of memories, as a person reads them. */
import type { MemoryScope } from '../../kernel/memory/memory.ts';
import { oneLine } from '../../kernel/text/quote.ts';

export interface WhoseOptions {
  readonly scope?: MemoryScope | undefined;
  readonly of?: string | undefined;
}

/** `long-term of jean` */
export function whoseWords({ scope, of }: WhoseOptions, usualScope = 'working'): string {
  const where = scope ?? usualScope;
  return of === undefined ? where : oneLine(`${where} of ${of}`);
}

/** `2030-01-31` of a time in UTC. */
export function dayOf(time: string): string {
  return oneLine(time.slice(0, 10));
}

/** `2030-01-31T12:00Z` of the same. */
export function minuteOf(time: string): string {
  return oneLine(time.replace(/:\d\d(?:\.\d+)?Z$/, 'Z'));
}
