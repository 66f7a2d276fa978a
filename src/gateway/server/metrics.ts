import { Counter, Gauge, Histogram, Registry } from 'prom-client';

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
