/** What the relay counts, as Prometheus reads it. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { RelayMetrics } from '../../relay/deps.ts';

export interface CountedRelay extends RelayMetrics {
  /** Shows the counts in a registry; the relay counts from before there is one. */
  showIn(registry: Registry, readDepth: () => Promise<number>): void;
}

const bucketsSeconds = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60, 600, 3600];

export function countRelay(): CountedRelay {
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
    buckets: bucketsSeconds,
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
      registry.registerMetric(messages);
      registry.registerMetric(deliveries);
      registry.registerMetric(latency);
      registry.registerMetric(retries);
      registry.registerMetric(dead);
      showDepth(registry, readDepth);
    },
  };
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
