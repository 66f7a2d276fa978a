/** What an id, or the beginning of one, means to a caller. */
import { AosError } from '../../../kernel/errors.ts';
import { quote } from '../../../kernel/text/quote.ts';

export interface Rows<Row> {
  /** In the plural: `grants`. */
  readonly what: string;
  find(id: string): Promise<Row | undefined>;
  idsFrom(start: string, limit: number): Promise<readonly string[]>;
  idOf(row: Row): string;
  /** Nobody learns of what is not theirs, also not that it is there. */
  isVisible(row: Row): boolean;
  unknown(typed: string): AosError;
}

export const fewestDigits = 4;
// Of so many that begin alike the caller's own are looked for.
const mostCandidates = 20;

export async function findRow<Row>(rows: Rows<Row>, typed: string): Promise<Row> {
  const whole = await rows.find(typed);
  if (whole !== undefined) {
    if (rows.isVisible(whole)) return whole;
    throw rows.unknown(typed);
  }
  if (typed.length < fewestDigits) throw rows.unknown(typed);
  const ids = await rows.idsFrom(typed, mostCandidates);
  const found = await Promise.all(ids.map((id) => rows.find(id)));
  const fitting = found.filter((row) => row !== undefined).filter((row) => rows.isVisible(row));
  const [first, second] = fitting;
  if (first === undefined) throw rows.unknown(typed);
  if (second === undefined) return first;
  throw new AosError('id.ambiguous', {
    message: `${quote(typed)} fits several ${rows.what}: ${fitting.slice(0, 8).map(rows.idOf).join(', ')}`,
    fix: 'Type more of it',
  });
}
