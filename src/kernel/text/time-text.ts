import { type Instant, lastInstant } from '../ports.ts';

/** A row that somebody edited by hand may hold any number; whoever tells of it must not stop there. */
export function timeText(at: Instant): string {
  return Math.abs(at) <= lastInstant ? new Date(at).toISOString() : String(at);
}
