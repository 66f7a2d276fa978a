/** One route as data, and the pieces that routes are made of. */
import * as z from 'zod';

/**
 * `open` needs nothing; `principal` anybody who is known or has signed, also an outsider; `any`
 * the owner or an agent, who may see less than the owner; `owner` the owner.
 */
export type Who = 'open' | 'principal' | 'any' | 'owner';

export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** `{name}` stands for a parameter. */
  readonly path: string;
  readonly summary: string;
  readonly who: Who;
  /** Served whatever the caller's version: what is needed to see that and to mend it. */
  readonly anyVersion?: true;
  readonly params: z.ZodType;
  readonly query: z.ZodType;
  readonly body: z.ZodType;
  /** How large a body may be, when that is not the usual. */
  readonly bodyBytes?: number;
  /** Bytes of any number, which the route reads as they come. */
  readonly streams?: true;
  /** What they are, when they are no bytes of any kind. */
  readonly streamType?: string;
  readonly status: number;
  readonly answer: z.ZodType;
  /** When it is not JSON. */
  readonly contentType?: string;
  /** Answers HEAD too, by itself: it is about bytes that need not be read for that. */
  readonly head?: true;
  /** Its answer has a secret, so nobody keeps it to give it again. */
  readonly secretAnswer?: true;
  /** Takes the weak form of a signature too, where the settings allow it. */
  readonly legacySignature?: true;
  /** Makes sense of an `Idempotency-Key` by itself; else the gateway does (idempotency.ts). */
  readonly ownKey?: true;
  /** Checks its body by itself, because it has words of its own for one that cannot be. */
  readonly ownBodyCheck?: true;
}

/** A query arrives as text; `queryNumber` in the server turns these into numbers. */
export const wholeNumber = z.string().regex(/^(?:0|[1-9]\d{0,14})$/);
export const nothing = z.strictObject({});
/** Of lists that are short, nearly always. */
export const listLimit = z.optional(wholeNumber.describe('At most 1000, as when it is not said'));
export const listNext = z.optional(z.string().describe('For the next page; not there at the end'));
export const count = z.int().min(0);
export const time = z.string().describe('UTC, as 2030-01-31T12:00:00.000Z');
export const agentParams = z.strictObject({ name: z.string().max(200) });

/** What became of something that failed. */
export const errorReport = z
  .object({
    code: z.string(),
    message: z.string(),
    fix: z.optional(z.string()),
    details: z.optional(z.unknown()),
  })
  .meta({ id: 'ErrorReport' });

export const get = {
  method: 'GET',
  params: nothing,
  query: nothing,
  body: nothing,
  status: 200,
} as const;
export const post = { ...get, method: 'POST' } as const;
export const remove = { ...get, method: 'DELETE', status: 204, answer: nothing } as const;
