import type { AosError } from '../../kernel/errors.ts';
import type { Clock } from '../../kernel/ports.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Door } from './connections.ts';
import type { GatewayLog } from './deps.ts';
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

// A caller that is refused must not be able to fill the ledger.
const leastGapMs = 1000;

/** Counts every refusal, and records those of agents, at most one event a second each. */
export class Refusals {
  readonly #deps: RefusalsDeps;
  readonly #byAgent = new Map<string, Pending>();

  constructor(deps: RefusalsDeps) {
    this.#deps = deps;
  }

  add(door: Door, { code, details }: AosError): void {
    this.#deps.metrics.refused(code);
    const name = door.kind === 'agent' ? door.name : agentIn(details);
    if (name === undefined) return;
    const pending = this.#byAgent.get(name) ?? {
      count: 0,
      why: code,
      recordedAt: Number.NEGATIVE_INFINITY,
    };
    this.#byAgent.set(name, pending);
    pending.count++;
    pending.why = code;
    this.#recordIfDue(name, pending);
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
    // The refusal itself has been answered: no caller waits for this.
    void ledger
      .transact((tx) =>
        tx.record({ actor: 'system', kind: 'gateway.refused', subject: `agent:${name}`, data }),
      )
      .catch((error: unknown) => log.warn({ err: error, ...data }, 'a refusal was not recorded'));
  }
}

/** Who a refusal says that it was, where the door does not tell. */
function agentIn(details: unknown): string | undefined {
  const isNamed = typeof details === 'object' && details !== null && 'agent' in details;
  return isNamed ? String(details.agent) : undefined;
}
