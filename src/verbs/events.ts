/** What happened: reading events, and proving that none was changed. */
import * as z from 'zod';
import { addresses, at, hashes } from './sample.ts';
import { count, get, longMs, post, time, type Verb, wholeNumber } from './verb.ts';

const moment = z
  .string()
  .regex(/^(?:\d{1,15}|\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z)?)$/)
  .describe('Milliseconds since 1970, a date, or a UTC time such as 2030-01-31T12:00:00Z');

const principal = z.string().min(1).max(100);

export const event = z
  .object({
    seq: count,
    at: time,
    actor: z.string(),
    kind: z.string(),
    subject: z.string(),
    data: z.unknown().describe('null when there was none, or when it was erased'),
    data_digest: z.nullable(z.string()),
    prev_hash: z.string(),
    hash: z.string(),
  })
  .meta({ id: 'Event' });

export const eventQuery = z.strictObject({
  after: z.optional(wholeNumber.describe('Only events with a higher number')),
  before: z.optional(wholeNumber.describe('Only events with a lower number')),
  since: z.optional(moment),
  until: z.optional(moment),
  actor: z.optional(principal),
  kind: z.optional(
    z
      .string()
      .max(100)
      .regex(/^[a-z0-9-]+(?:\.[a-z0-9-]+)*(?:\.\*)?$/)
      .describe('One kind, or a whole area such as agent.*'),
  ),
  subject: z.optional(principal),
  limit: z.optional(wholeNumber.describe('At most 1000')),
  order: z.optional(z.enum(['oldest-first', 'newest-first'])),
});

export const signedHead = z
  .strictObject({
    seq: count,
    hash: z.string().max(100),
    at: z.string().max(40).describe('UTC, as 2030-01-31T12:00:00.000Z'),
    reason: z.enum(['head', 'checkpoint']),
    signer: z.string().max(100),
    signature: z.string().max(200),
  })
  .meta({ id: 'SignedHead' });

export const chainPlace = z.object({ seq: count, hash: z.string() }).meta({ id: 'ChainPlace' });

const verification = z
  .discriminatedUnion('kind', [
    z.object({
      kind: z.literal('whole'),
      events: count,
      from: chainPlace.describe('Behind which the first event comes that is still kept'),
      head: chainPlace,
      erased: count,
      signed_heads: count,
      kept_head: z.enum(['none', 'fits', 'too-old']),
    }),
    z.object({
      kind: z.literal('broken'),
      seq: count.describe('The first event that is not as it was written'),
      why: z.string(),
    }),
  ])
  .meta({ id: 'Verification' });

const registeredExample = {
  seq: 7,
  at: at('12:00:00'),
  actor: 'owner',
  kind: 'agent.registered',
  subject: 'agent:jean',
  data: { address: addresses.jean },
  data_digest: hashes.plain,
  prev_hash: hashes.before,
  hash: hashes.event,
};
const headExample = {
  seq: 7,
  hash: hashes.event,
  at: at('12:05:00'),
  reason: 'head',
  signer: addresses.owner,
  signature: `0x${'5a'.repeat(64)}1b`,
} as const;

export const eventVerbs = {
  events: {
    ...get,
    path: '/api/v1/events',
    summary:
      'What happened: one page with "Accept: application/json", else a stream of server-sent events',
    who: 'principal',
    query: eventQuery,
    output: z.object({
      items: z.array(event),
      next: z
        .nullable(count)
        .describe(
          'For "after", or for "before" when newest come first; null at the end. A page may be short and go on',
        ),
    }),
    examples: { output: { items: [registeredExample], next: 7 } },
  },
  auditHead: {
    ...get,
    path: '/api/v1/audit/head',
    summary: 'Sign the end of the chain of events, to be kept elsewhere',
    who: 'owner',
    output: z.object({ head: z.nullable(signedHead).describe('null while nothing has happened') }),
    examples: { output: { head: headExample } },
  },
  auditVerify: {
    ...post,
    effect: 'looks',
    path: '/api/v1/audit/verify',
    timeoutMs: longMs,
    summary: 'Check the chain of events, also against a head that was kept elsewhere',
    who: 'owner',
    input: z.strictObject({ head: z.optional(signedHead) }),
    output: verification,
    examples: {
      input: { head: headExample },
      output: {
        kind: 'whole',
        events: 7,
        from: { seq: 0, hash: '' },
        head: { seq: 7, hash: hashes.event },
        erased: 0,
        signed_heads: 1,
        kept_head: 'fits',
      },
    },
  },
} as const satisfies Record<string, Verb>;
