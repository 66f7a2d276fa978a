/** Looks at every transaction of a simulated process, before it is committed. */
import type { Ledger, Transaction } from '../../src/ledger/ledger.ts';
import { borrowed } from './stale-looks.ts';

export interface Watcher {
  /** As the leases know it. */
  readonly owner: string;
  found(finding: string): void;
}

export function watchedLedger(ledger: Ledger, watcher: Watcher): Ledger {
  return {
    ...borrowed(ledger),
    transact: (work) =>
      ledger.transact(async (tx) => {
        const before = await lastStep(tx);
        const value = await work(tx);
        for (const finding of await unfenced(tx, watcher.owner, before)) watcher.found(finding);
        for (const finding of await overspent(tx)) watcher.found(finding);
        return value;
      }),
  };
}

async function lastStep(tx: Transaction): Promise<number> {
  const row = await tx.get<{ last: number | null }>('select max(rowid) as last from steps');
  return row?.last ?? 0;
}

interface NewStep {
  readonly operation: string;
  readonly seq: number;
  readonly kind: string;
  readonly owner: string | null;
  readonly agent_state: string;
}

// What a run writes of itself; the others may also be written by who ends or pauses it.
const ownSteps = `('begun', 'mail', 'asked', 'answered', 'results', 'note', 'summary')`;

/** Steps of who does not hold the lease. */
async function unfenced(tx: Transaction, owner: string, before: number): Promise<string[]> {
  const rows = await tx.all<NewStep>(
    `select s.operation, s.seq, s.kind, l.owner, a.state as agent_state from steps s
       join operations o on o.id = s.operation
       join agents a on a.name = o.agent
       left join leases l on l.subject = 'agent:' || o.agent
     where s.rowid > $1 and s.kind in ${ownSteps}
       and (coalesce(l.owner, '') <> $2 or a.state <> 'running')`,
    [before, owner],
  );
  return rows.map(
    (row) =>
      `unfenced: ${owner} writes ${row.kind} as step ${row.seq} of ${row.operation}, whose agent is ${row.agent_state} under ${row.owner}`,
  );
}

const limited = ['tokens', 'cost', 'tool_calls', 'children'];
const beyond = limited
  .map((one) => `(${one}_limit is not null and ${one}_used + ${one}_held > ${one}_limit)`)
  .join(' or ');

async function overspent(tx: Transaction): Promise<string[]> {
  const rows = await tx.all<{ id: string }>(`select * from budgets where ${beyond}`);
  return rows.map((row) => `overspent: ${JSON.stringify(row)}`);
}
