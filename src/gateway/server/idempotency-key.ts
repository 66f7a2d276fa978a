import { badRequest } from './problem.ts';

const lawful = /^[\x20-\x7e]{1,200}$/;

/** The header of that name: the same key of the same caller is the same request. */
export function idempotencyKey(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): string | undefined {
  const header = headers['idempotency-key'];
  if (header === undefined) return undefined;
  if (typeof header === 'string' && lawful.test(header)) return header;
  throw badRequest('An Idempotency-Key has 1 to 200 plain characters');
}
