/**
 * Returns a value that must be there. Where it is not, the code is wrong: the request that runs
 * it ends with `internal.bug`, instead of going on with an empty text or a zero.
 *
 * ```ts
 * const first = must(rows[0], 'the row that was just inserted');
 * ```
 */
export function must<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new Error(`A bug: ${what} is missing`);
  return value;
}
