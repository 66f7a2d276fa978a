import { AosError } from '../../kernel/errors.ts';
import { lastCheckpoint, type SignedHead } from '../../ledger/events.ts';
import type { Ledger, Sql } from '../../ledger/ledger.ts';
import { findPrincipal } from '../../ledger/security/principals.ts';
import { isImpossibleNumber } from '../../ledger/sqlite/database.ts';
import { isSignedBy } from './head.ts';
import { AuditWalk, type BrokenChain, type WalkDeps, type WholeChain } from './walk.ts';

export type AuditVerification = WholeChain | BrokenChain;

export interface VerifyDeps {
  readonly ledger: Pick<Ledger, 'openView'>;
  /** Called every few milliseconds of work, so that others get a turn. */
  readonly pause?: () => Promise<void>;
}

export interface VerifyChoices {
  /** A head that `aos audit head` printed once. */
  readonly keptHead?: SignedHead | undefined;
}

/** Looks at every event and every signed head, and names the first that is wrong. */
export async function verifyChain(
  deps: VerifyDeps,
  { keptHead }: VerifyChoices = {},
): Promise<AuditVerification> {
  const { pause = async () => {} } = deps;
  // What the file holds, not what this process remembers of it.
  using sql = deps.ledger.openView();
  const owner = (await findPrincipal(sql, 'owner'))?.address;
  if (keptHead !== undefined) refuseBadHead(keptHead, owner);
  const walk = { sql, pause, owner, keptHead };
  try {
    return await walkChain(walk);
  } catch (failure) {
    const row = isImpossibleNumber(failure) ? await firstImpossible(sql) : undefined;
    if (row === undefined) throw failure;
    return await walkUpTo(walk, row);
  }
}

type WalkChoices = Omit<WalkDeps, 'checkpoint'>;

async function walkChain(walk: WalkChoices): Promise<AuditVerification> {
  for (;;) {
    const checkpoint = await lastCheckpoint(walk.sql);
    const verification = await new AuditWalk({ ...walk, checkpoint }).toEnd();
    if (verification.kind === 'whole') return verification;
    // What was missed may have been pruned under our eyes; then it is looked at again.
    if ((await lastCheckpoint(walk.sql))?.seq === checkpoint?.seq) return verification;
  }
}

/** What stands before a row that cannot be read may be wrong too, and is then the first. */
async function walkUpTo(walk: WalkChoices, row: ImpossibleRow): Promise<BrokenChain> {
  const why = impossibleWords(row);
  try {
    const before = Math.min(row.seq, Number.MAX_SAFE_INTEGER);
    const found = await walkChain({ ...walk, before });
    if (found.kind === 'broken') return found;
    return { kind: 'broken', seq: placeOf(row, found), why };
  } catch (failure) {
    if (!isImpossibleNumber(failure)) throw failure;
    // It stands in the way of the rest, as a checkpoint does. So it is the one to be named.
    return { kind: 'broken', seq: row.isMisplaced ? 0 : Math.max(row.seq, 0), why };
  }
}

function placeOf({ seq, isMisplaced }: ImpossibleRow, { from, head }: WholeChain): number {
  if (!isMisplaced) return seq;
  return seq < 0 ? from.seq : head.seq + 1;
}

function impossibleWords({ what, isMisplaced }: ImpossibleRow): string {
  const number = isMisplaced ? 'a number' : 'a time';
  return what === 'head'
    ? `Its signed head has ${number} that cannot be`
    : `It was changed after it was written: it has ${number} that cannot be`;
}

function refuseBadHead(head: SignedHead, owner: string | undefined): void {
  if (owner !== undefined && isSignedBy(head, owner)) return;
  const told = owner === undefined ? 'which names no owner' : `whose owner is ${owner}`;
  throw new AosError('audit.bad-head', {
    message: `The head that was kept is not signed by the owner of this ledger, ${told}`,
    fix: 'Give it as "aos audit head" printed it, and for the home that it was printed for',
  });
}

// Numbers that Agent OS never writes. A program that can write the file can put one where a time or
// the number of an event stands, and the engine then refuses to read the row at all.

interface ImpossibleRow {
  /** As near as a number can say it. */
  readonly seq: number;
  readonly what: 'event' | 'head';
  /** Whether it is the number of the event itself that cannot be. */
  readonly isMisplaced: boolean;
}

const possible = `between ${Number.MIN_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`;
const impossible = `(seq not ${possible} or at not ${possible})`;

/** The first of them in the order of the chain. It looks at every row. */
async function firstImpossible(sql: Sql): Promise<ImpossibleRow | undefined> {
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
