/**
 * Whether guests are still there. They live elsewhere, so all that is known of them is what
 * they do, and the process that they tell in their meta.json.
 *
 * N1. Silence alone means nothing: an agent may be slow. Inactive is one that has been silent
 *     and whose process is gone, or that has promised heartbeats; any other stays active.
 * N2. Any sign of life makes an inactive one active again (posting.ts). Each step here
 *     is taken only when there was none since it was decided on.
 * N3. Terminated is for ever. What waits for such an agent ends, here or in the next look.
 */

import { readWholeFile } from '../kernel/disk/durable-file.ts';
import { AosError, toReport } from '../kernel/errors.ts';
import type { Clock, DiskView, Instant, Processes } from '../kernel/ports.ts';
import {
  type AgentStatus,
  changeStatus,
  type GuestRow,
  guestsHere,
  lastSeenAt,
  setPid,
} from '../ledger/agents.ts';
import { type Ledger, readState, type Transaction, writeState } from '../ledger/ledger.ts';
import type { RelayLog } from './deps.ts';
import type { RunningRelay } from './open-relay.ts';
import { noteSignOfLife } from './posting.ts';

export interface PresenceDeps {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly disk: DiskView;
  readonly processes: Pick<Processes, 'startTimeOf'>;
  readonly log: RelayLog;
  readonly home: string;
  readonly relay: Pick<RunningRelay, 'heardSince' | 'endMailOfTerminated'>;
}

const lookMs = 20_000;
const silentMs = 60_000;
const reapMs = 24 * 3_600_000;
// So that a thousand idle agents cost nothing that could be measured.
const filesPerLook = 64;

/** Looks again and again, until the signal aborts. */
export async function watchPresence(deps: PresenceDeps, signal: AbortSignal): Promise<void> {
  const presence = new Presence(deps);
  for (;;) {
    // Being stopped is the way this ends.
    await deps.clock.sleep(lookMs, signal).catch(() => {});
    if (signal.aborted) return;
    try {
      await presence.look();
    } catch (failure) {
      deps.log.error({ error: toReport(failure) }, 'cannot see now which agents are there');
    }
  }
}

class Presence {
  readonly #deps: PresenceDeps;
  /** When each told process was seen to have begun, and what its agent said of that. */
  readonly #begun = new Map<string, { readonly told: string; readonly at: string }>();
  #turn = 0;

  constructor(deps: PresenceDeps) {
    this.#deps = deps;
  }

  async look(): Promise<void> {
    const { ledger, relay } = this.#deps;
    await this.#noteHeard();
    const guests = await guestsHere(ledger.committed);
    const from = this.#turn < guests.length ? this.#turn : 0;
    this.#turn = from + filesPerLook;
    for (const [place, guest] of guests.entries()) {
      const inTurn = place >= from && place < this.#turn;
      await this.#judge(inTurn ? await this.#learn(guest) : guest);
    }
    await relay.endMailOfTerminated();
  }

  async #noteHeard(): Promise<void> {
    const { ledger, clock, relay } = this.#deps;
    const names = relay.heardSince();
    if (names.length === 0) return;
    await ledger.transact(async (tx) => {
      for (const name of names) await noteSignOfLife(tx, name, clock.now());
    });
  }

  async #judge(guest: GuestRow): Promise<void> {
    const silent = this.#deps.clock.now() - seenAt(guest);
    if (guest.status === 'active') {
      // N1
      if (silent < silentMs) return;
      if (guest.beats === 1) return this.#leave(guest);
      if (guest.pid === null || this.#runs(guest)) return;
      const again = await this.#learn(guest);
      if (again.status === 'active' && again.pid !== null && !this.#runs(again)) {
        await this.#leave(again);
      }
    } else if (silent >= reapMs) await this.#reap(guest);
  }

  /** Reads what the guest tells now, and keeps it. A new process is a sign of life. */
  async #learn(guest: GuestRow): Promise<GuestRow> {
    const { disk, home, ledger, clock } = this.#deps;
    const told = await readToldProcess(disk, home, guest.name);
    const before = this.#begun.get(guest.name);
    const isNew = before !== undefined && told !== undefined && before.told !== wordsOf(told);
    if (told === undefined || isNew) this.#begun.delete(guest.name);
    const pid = told?.pid ?? null;
    const runs = told !== undefined && this.#runs({ ...guest, pid }, wordsOf(told));
    if (pid === guest.pid && !isNew) return guest;
    const status = await ledger.transact(async (tx) => {
      await setPid(tx, guest.name, pid);
      if (!runs) return guest.status;
      await noteSignOfLife(tx, guest.name, clock.now());
      return 'active' as AgentStatus;
    });
    return { ...guest, pid, status };
  }

  /** A number that another process has got meanwhile is as good as none. */
  #runs({ name, pid }: GuestRow, told?: string): boolean {
    const at = pid === null ? undefined : this.#deps.processes.startTimeOf(pid);
    const before = this.#begun.get(name);
    if (at === undefined) return false;
    if (before !== undefined) return before.at === at;
    if (told !== undefined) this.#begun.set(name, { told, at });
    return true;
  }

  async #leave(guest: GuestRow): Promise<void> {
    const { ledger, clock, log } = this.#deps;
    const { name, pid } = guest;
    await ledger.transact(async (tx) => {
      if (!(await this.#step(tx, guest, 'inactive'))) return;
      await writeState(tx, inactiveKey(name), String(clock.now()), clock.now());
      const data = { pid, last_seen_at: seenAt(guest) };
      await tx.record({ actor: 'system', kind: 'agent.inactive', subject: `agent:${name}`, data });
    });
    log.info({ agent: name, pid }, 'an agent is silent and its process is gone');
  }

  async #reap(guest: GuestRow): Promise<void> {
    const { ledger, clock, log } = this.#deps;
    const since = await readState(ledger.committed, inactiveKey(guest.name));
    // One that said itself that it is inactive was last seen when it did.
    if (clock.now() - Math.max(Number(since ?? 0), seenAt(guest)) < reapMs) return;
    const { name, pid, status } = await this.#learn(guest);
    if (status !== 'inactive' || this.#runs({ ...guest, pid })) return;
    const reaped = await ledger.transact(async (tx) => {
      if (!(await this.#step(tx, guest, 'terminated'))) return false;
      const data = { pid, last_seen_at: seenAt(guest) };
      await tx.record({ actor: 'system', kind: 'agent.reaped', subject: `agent:${name}`, data });
      return true;
    });
    if (reaped) log.info({ agent: name, pid }, 'an agent was inactive for a day and is terminated');
  }

  // N2
  async #step(tx: Transaction, guest: GuestRow, to: AgentStatus): Promise<boolean> {
    if ((await lastSeenAt(tx, guest.name)) !== guest.last_seen_at) return false;
    return changeStatus(tx, guest.name, { from: guest.status, to });
  }
}

function seenAt({ last_seen_at, registered_at }: GuestRow): Instant {
  return last_seen_at ?? registered_at;
}

function inactiveKey(name: string): string {
  return `presence.inactive.${name}`;
}

function wordsOf({ pid, startedAt }: { readonly pid: number; readonly startedAt: string }): string {
  return `${pid} ${startedAt}`;
}

// Which process a guest runs as, by what it tells in its meta.json.

interface ToldProcess {
  readonly pid: number;
  /** In its own words; another one means another process, also under the same number. */
  readonly startedAt: string;
}

const longestMeta = 64 * 1024;

/** Undefined when it tells none, or nothing that can be understood. */
async function readToldProcess(
  disk: DiskView,
  home: string,
  name: string,
): Promise<ToldProcess | undefined> {
  const path = `${home}/agents/${name}/meta.json`;
  try {
    // A symlink could lead anywhere, and reading a FIFO would not end.
    if ((await disk.stat(path))?.kind !== 'file') return undefined;
    const text = Buffer.from(await readWholeFile(disk, path, longestMeta)).toString('utf8');
    return toldIn(JSON.parse(text));
  } catch (failure) {
    // What an agent writes there informs only: a file that is no JSON, too large or gone
    // tells nothing.
    if (failure instanceof AosError || failure instanceof SyntaxError) return undefined;
    throw failure;
  }
}

function toldIn(meta: unknown): ToldProcess | undefined {
  if (typeof meta !== 'object' || meta === null || !('pid' in meta)) return undefined;
  const { pid } = meta;
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0) return undefined;
  const startedAt = 'started_at' in meta ? meta.started_at : undefined;
  return { pid, startedAt: JSON.stringify(startedAt ?? null) };
}
