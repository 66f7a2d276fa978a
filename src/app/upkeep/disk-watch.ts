/** Keeps an eye on how full the disk under the home folder is, and says so once a change. */
import type { DiskState, GatewayLog } from '../../gateway/server/deps.ts';
import { toReport } from '../../kernel/errors.ts';
import type { Clock, DiskView, Volume, VolumeUsage } from '../../kernel/ports.ts';
import type { Settings } from '../config/settings.ts';
import { describeFullDisk, gibibytes, isFull, usedPercent } from '../doctor/disk.ts';

export interface DiskWatchDeps {
  readonly volume: Volume;
  readonly clock: Clock;
  readonly log: GatewayLog;
  /** Writes the event; it may fail, for one because the disk is full. */
  readonly record: (kind: DiskEventKind, data: DiskEventData) => Promise<void>;
  /** Called at every look while the disk is at its alert level. It must not throw. */
  readonly makeRoom: () => Promise<void>;
  /** Called at every look: fills up what is kept for a full disk. */
  readonly keepReserve: () => Promise<void>;
}

export type DiskEventKind = 'disk.warned' | 'disk.alerted' | 'disk.recovered';

export type DiskEventData = { readonly used_percent: number; readonly free_bytes: number };

export interface DiskLimits {
  readonly home: string;
  readonly warnPercent: number;
  readonly alertPercent: number;
}

type Level = Exclude<DiskState['state'], 'full'>;

const kinds = { ok: 'disk.recovered', warning: 'disk.warned', alert: 'disk.alerted' } as const;
const logMethods = { ok: 'info', warning: 'warn', alert: 'error' } as const;

/** How full the disk is now. */
export async function readDiskState(
  { disk, volume }: { readonly disk: DiskView; readonly volume: Volume },
  limits: DiskLimits,
): Promise<DiskState> {
  const usage = await volume.usage(limits.home);
  const percent = usedPercent(usage);
  if (!isFull(usage)) return { usedPercent: percent, state: nextLevel('ok', percent, limits) };
  const full = await describeFullDisk({ disk }, limits.home, usage);
  return { usedPercent: percent, state: 'full', ...full };
}

/** Looks at once and then again and again, until the signal stops it. */
export async function watchDisk(
  deps: DiskWatchDeps,
  { everyMs, ...limits }: DiskLimits & { readonly everyMs: number },
  signal: AbortSignal,
): Promise<void> {
  const watch = new DiskWatch(deps, limits);
  while (!signal.aborted) {
    await watch.look();
    // Being stopped is the way this ends.
    await deps.clock.sleep(everyMs, signal).catch(() => {});
  }
}

class DiskWatch {
  readonly #deps: DiskWatchDeps;
  readonly #limits: DiskLimits;
  #level: Level = 'ok';
  /** Lags behind where the event could not be written; it is tried again with the next look. */
  #recorded: Level = 'ok';
  #blind = false;
  #reserveFails = false;

  constructor(deps: DiskWatchDeps, limits: DiskLimits) {
    this.#deps = deps;
    this.#limits = limits;
  }

  async look(): Promise<void> {
    const usage = await this.#usage();
    if (usage === undefined) return;
    const percent = usedPercent(usage);
    const data = { used_percent: percent, free_bytes: usage.freeBytes };
    const level = nextLevel(this.#level, percent, this.#limits);
    if (level !== this.#level) {
      this.#level = level;
      this.#deps.log[logMethods[level]](
        data,
        `${percent} % of the disk under the home folder is used, ${gibibytes(usage.freeBytes)} are free`,
      );
    }
    await this.#record(level, data);
    if (level === 'alert') await this.#deps.makeRoom();
    await this.#keepReserve();
  }

  async #keepReserve(): Promise<void> {
    try {
      await this.#deps.keepReserve();
      this.#reserveFails = false;
    } catch (failure) {
      // Once, not every minute.
      if (!this.#reserveFails) {
        this.#deps.log.warn({ error: toReport(failure) }, 'cannot keep room for a full disk');
      }
      this.#reserveFails = true;
    }
  }

  async #usage(): Promise<VolumeUsage | undefined> {
    try {
      const usage = await this.#deps.volume.usage(this.#limits.home);
      this.#blind = false;
      return usage;
    } catch (failure) {
      // Once, not every minute.
      if (!this.#blind) this.#deps.log.error({ error: toReport(failure) }, 'cannot see the disk');
      this.#blind = true;
      return undefined;
    }
  }

  async #record(level: Level, data: DiskEventData): Promise<void> {
    if (level === this.#recorded) return;
    try {
      await this.#deps.record(kinds[level], data);
      this.#recorded = level;
    } catch (failure) {
      this.#deps.log.error({ error: toReport(failure) }, 'cannot record how full the disk is');
    }
  }
}

// So that a disk which stands just at the limit is not told of every minute.
const hysteresisPercent = 2;

/** Up at the limit, down only when it is two points below. */
function nextLevel(level: Level, percent: number, limits: DiskLimits): Level {
  const isAbove = (limit: number, held: boolean) =>
    held ? percent > limit - hysteresisPercent : percent >= limit;
  if (isAbove(limits.alertPercent, level === 'alert')) return 'alert';
  return isAbove(limits.warnPercent, level !== 'ok') ? 'warning' : 'ok';
}

/** What the settings say about the disk under the home folder. */
export function diskLimits({ home, diskWarnPercent, diskAlertPercent }: Settings): DiskLimits {
  return { home, warnPercent: diskWarnPercent, alertPercent: diskAlertPercent };
}
