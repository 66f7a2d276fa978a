/** What the agents are doing, as Prometheus reads it. */
import { Gauge, type Registry } from 'prom-client';
import { countRunning } from '../../ledger/agents.ts';
import type { Sql } from '../../ledger/ledger.ts';
import { countByState } from '../../ledger/operations/operations.ts';

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
