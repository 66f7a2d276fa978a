/** What is transferred, as Prometheus reads it. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { TransferCounts } from '../../transfer/deps.ts';

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
