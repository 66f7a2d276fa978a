/** Notices of the simulated disk's changes, of which the seed decides some to be late or lost. */
import { posix } from 'node:path';
import { AosError } from '../../src/kernel/errors.ts';
import type { Clock, FolderWatch, Random, Watching } from '../../src/kernel/ports.ts';
import type { SimulatedDisk } from './disk.ts';
import { integerBelow, seededRandom } from './random.ts';

export interface SimulatedWatchingOptions {
  readonly disk: SimulatedDisk;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly seed?: number;
  /** Of a hundred notices, how many are lost, and how many come late. */
  readonly lostPercent?: number;
  readonly latePercent?: number;
  readonly latestMs?: number;
}

type OnChange = (name: string | undefined) => void;

export class SimulatedWatching implements Watching, Disposable {
  readonly #options: Required<Omit<SimulatedWatchingOptions, 'disk' | 'seed'>>;
  readonly #random: Random;
  readonly #watches = new Map<string, Set<SimulatedWatch>>();
  readonly #unlisten: () => void;
  /** How many more folders may be watched at once. */
  watchesLeft = Number.POSITIVE_INFINITY;

  constructor({ disk, seed = 1, ...options }: SimulatedWatchingOptions) {
    this.#options = { lostPercent: 0, latePercent: 0, latestMs: 1000, ...options };
    this.#random = seededRandom(`watching ${seed}`);
    this.#unlisten = disk.listen((path) => this.#changed(path));
  }

  get watched(): readonly string[] {
    return [...this.#watches.keys()].sort();
  }

  watch(folder: string, onChange: OnChange): FolderWatch {
    if (this.watchesLeft <= 0) throw noWatches(folder);
    this.watchesLeft--;
    const watch = new SimulatedWatch(onChange, () => this.#close(folder, watch));
    const there = this.#watches.get(folder);
    if (there === undefined) this.#watches.set(folder, new Set([watch]));
    else there.add(watch);
    return watch;
  }

  /** Nothing is told from now on. */
  [Symbol.dispose](): void {
    this.#unlisten();
  }

  #close(folder: string, watch: SimulatedWatch): void {
    const there = this.#watches.get(folder);
    if (there?.delete(watch) === true) this.watchesLeft++;
    if (there?.size === 0) this.#watches.delete(folder);
  }

  #changed(path: string): void {
    const folder = posix.dirname(path);
    for (const watch of this.#watches.get(folder) ?? []) {
      this.#notify(watch, posix.basename(path));
    }
    // The folder itself came or went: whoever watched it watches nothing now.
    for (const watch of this.#watches.get(path) ?? []) watch.end();
  }

  #notify(watch: SimulatedWatch, name: string): void {
    const { lostPercent, latePercent, latestMs, clock } = this.#options;
    if (this.#happens(lostPercent)) return;
    const lateMs = this.#happens(latePercent) ? integerBelow(this.#random, latestMs) + 1 : 0;
    // Nobody waits for it: notices come whenever they come.
    void clock.sleep(lateMs).then(() => watch.tell(name));
  }

  #happens(percent: number): boolean {
    return percent > 0 && integerBelow(this.#random, 100) < percent;
  }
}

function noWatches(folder: string): AosError {
  return new AosError('disk.no-watches', { message: `No watch is left for ${folder}` });
}

class SimulatedWatch implements FolderWatch {
  readonly #onChange: OnChange;
  readonly #close: () => void;
  open = true;

  constructor(onChange: OnChange, close: () => void) {
    this.#onChange = onChange;
    this.#close = close;
  }

  tell(name: string): void {
    if (this.open) this.#onChange(name);
  }

  end(): void {
    if (!this.open) return;
    this[Symbol.dispose]();
    this.#onChange(undefined);
  }

  [Symbol.dispose](): void {
    if (!this.open) return;
    this.open = false;
    this.#close();
  }
}
