import type { AosError } from '../kernel/errors.ts';
import type { Clock } from '../kernel/ports.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { GatewayLog } from './deps.ts';
import type { Door } from './door.ts';
import type { Metrics } from './metrics.ts';

interface RefusalsDeps {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly log: GatewayLog;
  readonly metrics: Metrics;
}

interface Pending {
  count: number;
  /** The code of the latest. */
  why: string;
  recordedAt: number;
}

// Whoever knocks at a wrong door must not be able to fill the ledger.
const leastGapMs = 1000;

/** Counts every refusal, and records those at an agent's door, at most one event a second each. */
export class Refusals {
  readonly #deps: RefusalsDeps;
  readonly #byAgent = new Map<string, Pending>();

  constructor(deps: RefusalsDeps) {
    this.#deps = deps;
  }

  add(door: Door, { code }: AosError): void {
    this.#deps.metrics.refused(code);
    if (door.kind !== 'agent') return;
    const pending = this.#byAgent.get(door.name) ?? {
      count: 0,
      why: code,
      recordedAt: Number.NEGATIVE_INFINITY,
    };
    this.#byAgent.set(door.name, pending);
    pending.count++;
    pending.why = code;
    this.#recordIfDue(door.name, pending);
  }

  /** Records what is left over; to be called now and then. */
  flush(): void {
    for (const [name, pending] of this.#byAgent) this.#recordIfDue(name, pending);
  }

  #recordIfDue(name: string, pending: Pending): void {
    const { clock, ledger, log } = this.#deps;
    const now = clock.monotonicMs();
    if (pending.count === 0 || now - pending.recordedAt < leastGapMs) return;
    const data = { code: pending.why, count: pending.count };
    pending.count = 0;
    pending.recordedAt = now;
    // Nobody waits for it: the refusal itself has been answered.
    void ledger
      .transact((tx) =>
        tx.record({ actor: 'system', kind: 'gateway.refused', subject: `agent:${name}`, data }),
      )
      .catch((error: unknown) => log.warn({ err: error, ...data }, 'a refusal was not recorded'));
  }
}
