/** What the disk refused while the archive was kept: told, and passed over (archive-upkeep.ts, U2). */
import { AosError, toReport } from '../../kernel/errors.ts';
import type { RelayLog } from '../deps.ts';

const mostPathsTold = 5;
const longestPathTold = 300;

/** All that failed at one day is one line in the log, however many an agent made. */
export class Failures {
  #count = 0;
  #first: AosError | undefined;
  readonly #paths: string[] = [];

  get count(): number {
    return this.#count;
  }

  /** Only what the disk refused is passed over, never a bug. */
  note(path: string, failure: unknown): void {
    if (!(failure instanceof AosError)) throw failure;
    this.#first ??= failure;
    if (this.#count++ < mostPathsTold) this.#paths.push(path.slice(0, longestPathTold));
  }

  tell(log: Pick<RelayLog, 'error'>, day: string, words: string): void {
    if (this.#count === 0) return;
    const error = toReport(this.#first);
    log.error({ day, failed: this.#count, such_as: this.#paths, error }, words);
  }
}
