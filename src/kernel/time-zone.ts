/** The calendar of a place: what a moment is called there, and which moment a name means. */
import type { Instant } from './ports.ts';

export interface WallTime {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  /** 1 to 31. */
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

export interface TimeZone {
  /** As in `Europe/Berlin`. */
  readonly name: string;
  wallTimeAt(instant: Instant): WallTime;
  /**
   * Months and days beyond their range carry over, as with Date.UTC. In the hour that is skipped
   * in spring it is the moment after the gap, in the one that comes twice the first.
   */
  instantOf(time: WallTime): Instant;
}
