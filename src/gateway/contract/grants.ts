/** The part of the contract that is about capabilities and secrets. */
import * as z from 'zod';
import {
  count,
  get,
  listLimit,
  listNext,
  nothing,
  post,
  type Route,
  time,
  wholeNumber,
} from './route.ts';

const name = z.string().max(200);
const capability = z.string().max(4200).describe('In either spelling');
export const idParams = z.strictObject({
  id: z.string().max(100).describe('The id, or at least four digits with which only it begins'),
});

export const grant = z
  .object({
    id: z.string(),
    agent: z.string(),
    capability: z.string().describe('In the short spelling'),
    parent: z.nullable(z.string()).describe('The grant that it was delegated from'),
    granted_by: z.string(),
    origin: z.enum(['default', 'owner', 'delegation', 'approval']),
    asks: z.boolean().describe('Whether a human has to approve every use'),
    created_at: time,
    revoked_at: z.nullable(time),
    uses: count.describe('Counted where max or rate limits it'),
  })
  .meta({ id: 'Grant' });

const secretInfo = z
  .object({
    name: z.string(),
    host: z.nullable(z.string()),
    port: z.nullable(z.int()),
    header: z.nullable(z.string()),
    prefix: z.string(),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Secret' });

export const grantRoutes = {
  grant: {
    ...post,
    path: '/api/v1/grants',
    summary: 'Give an agent a capability',
    who: 'owner',
    body: z.strictObject({
      agent: name,
      capability,
      ask: z.optional(z.boolean().describe('A human has to approve every use')),
    }),
    status: 201,
    answer: grant,
  },
  delegate: {
    ...post,
    path: '/api/v1/grants/delegate',
    summary: 'Hand a part of what an agent holds on to another one; only what is provably narrower',
    who: 'any',
    body: z.strictObject({
      to: name,
      capability,
      from: z.optional(name.describe('For the owner: whose')),
      parent: z.optional(z.string().max(100).describe('Which grant; else one that is wide enough')),
    }),
    status: 201,
    answer: grant,
  },
  revoke: {
    ...post,
    path: '/api/v1/grants/{id}/revoke',
    summary: 'Take a grant back, and all that was delegated from it, at once',
    who: 'any',
    params: idParams,
    answer: z.object({ grant, below: count.describe('How many more ended with it') }),
  },
  revokeCapability: {
    ...post,
    path: '/api/v1/grants/revoke',
    summary: 'The same, in one step, for every grant of an agent that says exactly this',
    who: 'owner',
    body: z.strictObject({ agent: name, capability }),
    answer: z.object({
      revoked: z.array(grant),
      below: count.describe('How many more ended with them'),
    }),
  },
  grants: {
    ...get,
    path: '/api/v1/grants',
    summary: 'The grants, the oldest first; an agent sees its own',
    who: 'any',
    query: z.strictObject({
      agent: z.optional(name),
      all: z.optional(z.enum(['true', 'false']).describe('Those that were revoked too')),
      after: z.optional(z.string().max(100).describe('Only grants behind this one')),
      limit: z.optional(wholeNumber.describe('At most 1000')),
    }),
    answer: z.object({ items: z.array(grant), next: z.nullable(z.string()) }),
  },
  checkGrant: {
    ...post,
    path: '/api/v1/grants/check',
    summary: 'Whether an agent may do something, and why; nothing is counted or recorded',
    who: 'any',
    body: z.strictObject({
      agent: z.optional(name.describe('For the owner: whose')),
      action: z.string().max(100),
      resource: z.string().max(4200).describe('As in a capability, without the action; or a URL'),
    }),
    answer: z.object({
      allowed: z.boolean(),
      resource: z.string().describe('In its one spelling, with the action'),
      asks: z.boolean(),
      chain: z
        .array(grant)
        .describe('The grant that allows it, and those above it; to an agent its own alone'),
      nearest: z.nullable(
        z.object({
          grant,
          why: z.enum(['action', 'target', 'revoked', 'expired', 'used-up', 'asks', 'paused']),
        }),
      ),
      fix: z.nullable(z.string()).describe('The command that grants it'),
    }),
  },
  setSecret: {
    ...post,
    path: '/api/v1/secrets',
    summary: 'Keep a secret; nobody can read it back',
    who: 'owner',
    body: z.strictObject({
      name,
      value: z.string().max(20_000),
      host: z.optional(z.string().max(300)),
      port: z.optional(z.int()),
      header: z.optional(z.string().max(200)),
      prefix: z.optional(z.string().max(200)),
    }),
    status: 201,
    answer: z.object({ name: z.string(), replaced: z.boolean() }),
  },
  secrets: {
    ...get,
    path: '/api/v1/secrets',
    summary: 'Which secrets there are, and for what; never what they are',
    who: 'owner',
    query: z.strictObject({
      after: z.optional(name.describe('Only names behind this one')),
      limit: listLimit,
    }),
    answer: z.object({ items: z.array(secretInfo), next: listNext }),
  },
  removeSecret: {
    ...post,
    path: '/api/v1/secrets/{name}/remove',
    summary: 'Forget a secret',
    who: 'owner',
    params: z.strictObject({ name }),
    body: nothing,
    answer: z.object({ name: z.string(), removed: z.literal(true) }),
  },
} as const satisfies Record<string, Route>;
