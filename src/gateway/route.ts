/** One route as data, and the pieces that routes are made of. */
import * as z from 'zod';

/** `open` needs nothing; `any` a principal, who may see less than the owner; `owner` the owner. */
type Who = 'open' | 'any' | 'owner';

export interface Route {
  readonly method: 'GET' | 'POST';
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
  readonly status: number;
  readonly answer: z.ZodType;
  /** When it is not JSON. */
  readonly contentType?: string;
}

/** A query arrives as text; `queryNumber` in the server turns these into numbers. */
export const wholeNumber = z.string().regex(/^(?:0|[1-9]\d{0,14})$/);
export const nothing = z.strictObject({});
export const count = z.int().min(0);
export const time = z.string().describe('UTC, as 2030-01-31T12:00:00.000Z');
export const agentParams = z.strictObject({ name: z.string().max(200) });

export const get = {
  method: 'GET',
  params: nothing,
  query: nothing,
  body: nothing,
  status: 200,
} as const;
export const post = { ...get, method: 'POST' } as const;
