/**
 * Numbers that Agent OS never writes. Whoever can write the file can put one where a time or
 * the number of an event stands, and the engine then refuses to read the row at all.
 */
import type { Sql } from '../../ledger/ledger.ts';

export interface ImpossibleRow {
  /** As near as a number can say it. */
  readonly seq: number;
  readonly what: 'event' | 'head';
  /** Whether it is the number of the event itself that cannot be. */
  readonly isMisplaced: boolean;
}

const possible = `between ${Number.MIN_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`;
const impossible = `(seq not ${possible} or at not ${possible})`;

/** The first of them in the order of the chain. It looks at every row. */
export async function firstImpossible(sql: Sql): Promise<ImpossibleRow | undefined> {
  // As text, because as a number it could not be read.
  const row = await sql.get<{ seq: string; what: 'event' | 'head' }>(
    `select cast(seq as text) as seq, what
     from (select seq, 'event' as what from events where seq is not null and ${impossible}
           union all select seq, 'head' from event_heads where ${impossible})
     order by cast(seq as integer) limit 1`,
  );
  if (row === undefined) return undefined;
  const seq = Number(row.seq);
  return { seq, what: row.what, isMisplaced: !Number.isSafeInteger(seq) };
}
