/** What Prometheus reads: of the gateway, transfers, the runtime and the relay. */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { countRunning } from '../../ledger/agents.ts';
import type { Sql } from '../../ledger/ledger.ts';
import { countByState } from '../../ledger/operations/operations.ts';
import type { RelayMetrics } from '../../relay/deps.ts';
import type { TransferCounts } from '../../transfer/deps.ts';

/** What the process measures about itself, in a registry of its own. */
export interface Metrics {
  readonly registry: Registry;
  /** Readers of the event feed, now. */
  feedClients: number;
  readonly cutOff: Counter;
  refused(why: string): void;
  /** A function for each route, with everything that does not change bound to it. */
  answersOf(route: string, method: string): (status: number, elapsedMs: number) => void;
}

const bucketsSeconds = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10];

export function createMetrics(readSeq: () => Promise<number>): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const answers = new Counter({
    name: 'aos_http_requests_total',
    help: 'Requests that were answered',
    labelNames: ['route', 'method', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'aos_http_request_seconds',
    help: 'How long requests took',
    labelNames: ['route'],
    buckets: bucketsSeconds,
    registers,
  });
  const refused = new Counter({
    name: 'aos_http_refused_total',
    help: 'Requests that were refused before they reached their route',
    labelNames: ['why'],
    registers,
  });
  addGauges(registers, readSeq);
  const metrics: Metrics = {
    registry,
    feedClients: 0,
    cutOff: new Counter({
      name: 'aos_events_cut_off_total',
      help: 'Readers that were cut off because they did not read',
      registers,
    }),
    refused: (why) => refused.inc({ why }),
    answersOf: (route, method) => answerCounter({ answers, durations }, route, method),
  };
  new Gauge({
    name: 'aos_events_clients',
    help: 'Readers of the event feed',
    registers,
    collect() {
      this.set(metrics.feedClients);
    },
  });
  return metrics;
}

function answerCounter(
  { answers, durations }: { answers: Counter; durations: Histogram },
  route: string,
  method: string,
): (status: number, elapsedMs: number) => void {
  const duration = durations.labels(route);
  const byStatus = new Map<number, Counter.Internal>();
  return (status, elapsedMs) => {
    let counter = byStatus.get(status);
    if (counter === undefined) {
      counter = answers.labels(route, method, String(status));
      byStatus.set(status, counter);
    }
    counter.inc();
    duration.observe(elapsedMs / 1000);
  };
}

function addGauges(registers: Registry[], readSeq: () => Promise<number>): void {
  new Gauge({
    name: 'aos_ledger_seq',
    help: 'The number of the newest event',
    registers,
    async collect() {
      this.set(await readSeq());
    },
  });
  new Gauge({
    name: 'aos_process_cpu_seconds',
    help: 'Processor time since the start',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.set((user + system) / 1e6);
    },
  });
  new Gauge({
    name: 'aos_process_resident_bytes',
    help: 'Memory that the process holds',
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
}

// What is transferred, as Prometheus reads it.

export interface CountedTransfers extends TransferCounts {
  /** Shows the counts in a registry; transfers are counted from before there is one. */
  showIn(registry: Registry, readStorage: () => Promise<number>): void;
}

export function countTransfers(): CountedTransfers {
  const registers: Registry[] = [];
  const bytes = new Counter({
    name: 'aos_transfer_bytes_total',
    help: 'Bytes of files that were sent, as they are when they are not sealed',
    registers,
  });
  const transfers = new Counter({
    name: 'aos_transfers_total',
    help: 'Transfers that came into a status',
    labelNames: ['status'],
    registers,
  });
  const failed = new Counter({
    name: 'aos_transfer_failed_total',
    help: 'Transfers that have failed',
    registers,
  });
  return {
    sent: (count, sizeBytes) => {
      transfers.inc({ status: 'pending' }, count);
      bytes.inc(sizeBytes);
    },
    ended: (status) => {
      transfers.inc({ status });
      if (status === 'failed') failed.inc();
    },
    showIn: (registry, readStorage) => {
      for (const counter of [bytes, failed]) registry.registerMetric(counter);
      registry.registerMetric(transfers);
      showStorage(registry, readStorage);
    },
  };
}

function showStorage(registry: Registry, readStorage: () => Promise<number>): void {
  new Gauge({
    name: 'aos_transfer_storage_bytes',
    help: 'Stored bytes that transfers need',
    registers: [registry],
    async collect() {
      this.set(await readStorage());
    },
  });
}

// What the agents are doing, as Prometheus reads it.

export function showRuntime(registry: Registry, sql: Sql): void {
  const registers = [registry];
  new Gauge({
    name: 'aos_operations',
    help: 'Operations by their state',
    labelNames: ['state'],
    registers,
    async collect() {
      for (const [state, count] of Object.entries(await countByState(sql))) {
        this.set({ state }, count);
      }
    },
  });
  new Gauge({
    name: 'aos_agents_running',
    help: 'Agents that work on something',
    registers,
    async collect() {
      this.set(await countRunning(sql));
    },
  });
}

// What the relay counts, as Prometheus reads it.

export interface CountedRelay extends RelayMetrics {
  /** Shows the counts in a registry; the relay counts from before there is one. */
  showIn(registry: Registry, readDepth: () => Promise<number>): void;
}

const deliverySeconds = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60, 600, 3600];

export function countRelay(): CountedRelay {
  const counters = relayCounters();
  const { messages, deliveries, latency, retries, dead } = counters;
  const delivered = deliveries.labels('delivered');
  return {
    accepted: (kind, count) => messages.inc({ kind, outcome: 'accepted' }, count),
    refused: (kind) => messages.inc({ kind, outcome: 'refused' }),
    delivered: (count, latencyMs) => {
      delivered.inc(count);
      for (let each = 0; each < count; each++) latency.observe(Math.max(0, latencyMs) / 1000);
    },
    ended: (state, reason) => {
      deliveries.inc({ state });
      if (state === 'dead') dead.inc({ reason: labelOf(reason) });
    },
    retried: () => retries.inc(),
    showIn: (registry, readDepth) => {
      for (const counter of Object.values(counters)) registry.registerMetric(counter);
      showDepth(registry, readDepth);
    },
  };
}

function relayCounters() {
  const registers: Registry[] = [];
  const messages = new Counter({
    name: 'aos_messages_total',
    help: 'Messages that came in',
    labelNames: ['kind', 'outcome'],
    registers,
  });
  const deliveries = new Counter({
    name: 'aos_deliveries_total',
    help: 'Deliveries that reached a state',
    labelNames: ['state'],
    registers,
  });
  const latency = new Histogram({
    name: 'aos_delivery_latency_seconds',
    help: 'From being accepted to being delivered',
    buckets: deliverySeconds,
    registers,
  });
  const retries = new Counter({
    name: 'aos_delivery_retries_total',
    help: 'Deliveries that failed and are tried again',
    registers,
  });
  const dead = new Counter({
    name: 'aos_dead_letters_total',
    help: 'Deliveries that ended as dead',
    labelNames: ['reason'],
    registers,
  });
  return { messages, deliveries, latency, retries, dead };
}

function showDepth(registry: Registry, readDepth: () => Promise<number>): void {
  new Gauge({
    name: 'aos_queue_depth',
    help: 'Messages that have not been read, in all mailboxes',
    registers: [registry],
    async collect() {
      this.set(await readDepth());
    },
  });
}

// Codes are few. A sentence would be a label for each message, and those are kept for ever.
function labelOf(reason: string | undefined): string {
  return reason !== undefined && /^[a-z.-]{1,40}$/.test(reason) ? reason : 'other';
}
