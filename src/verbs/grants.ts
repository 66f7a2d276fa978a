/** Capabilities and secrets. */
import * as z from 'zod';
import { at, ids } from './sample.ts';
import {
  count,
  get,
  idParams,
  listLimit,
  listNext,
  nothing,
  post,
  time,
  type Verb,
  wholeNumber,
} from './verb.ts';

const name = z.string().max(200);

const capability = z.string().max(4200).describe('In either spelling');

const grant = z
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

const grantExample = {
  id: ids.grant,
  agent: 'jean',
  capability: 'file:/srv/reports/*:read{max:100}',
  parent: null,
  granted_by: 'owner',
  origin: 'owner',
  asks: false,
  created_at: at('12:00:00'),
  revoked_at: null,
  uses: 2,
} as const;

const revokedExample = { ...grantExample, revoked_at: at('12:10:00') };

const capabilityExample = grantExample.capability;

export const grantVerbs = {
  grant: {
    ...post,
    path: '/api/v1/grants',
    summary: 'Give an agent a capability',
    mayBeMissing: true,
    who: 'owner',
    input: z.strictObject({
      agent: name,
      capability,
      ask: z.optional(z.boolean().describe('A human has to approve every use')),
    }),
    status: 201,
    output: grant,
    examples: {
      input: { agent: 'jean', capability: capabilityExample, ask: false },
      output: grantExample,
    },
  },
  delegate: {
    ...post,
    path: '/api/v1/grants/delegate',
    summary: 'Hand a part of what an agent holds on to another one; only what is provably narrower',
    mayBeMissing: true,
    who: 'any',
    input: z.strictObject({
      to: name,
      capability,
      from: z.optional(name.describe('For the owner: whose')),
      parent: z.optional(z.string().max(100).describe('Which grant; else one that is wide enough')),
    }),
    status: 201,
    output: grant,
    examples: {
      input: { from: 'jean', to: 'samantha', capability: 'file:/srv/reports/july.md:read' },
      output: {
        ...grantExample,
        id: ids.part,
        agent: 'samantha',
        capability: 'file:/srv/reports/july.md:read',
        parent: ids.grant,
        granted_by: 'agent:jean',
        origin: 'delegation',
        uses: 0,
      },
    },
  },
  revoke: {
    ...post,
    path: '/api/v1/grants/{id}/revoke',
    summary: 'Take a grant back, and all that was delegated from it, at once',
    who: 'any',
    params: idParams,
    output: z.object({ grant, below: count.describe('How many more ended with it') }),
    examples: { output: { grant: revokedExample, below: 1 } },
  },
  revokeCapability: {
    ...post,
    path: '/api/v1/grants/revoke',
    summary: 'The same, in one step, for every grant of an agent that says exactly this',
    mayBeMissing: true,
    who: 'owner',
    input: z.strictObject({ agent: name, capability }),
    output: z.object({
      revoked: z.array(grant),
      below: count.describe('How many more ended with them'),
    }),
    examples: {
      input: { agent: 'jean', capability: capabilityExample },
      output: { revoked: [revokedExample], below: 1 },
    },
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
    output: z.object({ items: z.array(grant), next: z.nullable(z.string()) }),
    examples: { output: { items: [grantExample], next: null } },
  },
  checkGrant: {
    ...post,
    effect: 'looks',
    path: '/api/v1/grants/check',
    summary: 'Whether an agent may do something, and why; nothing is counted or recorded',
    mayBeMissing: true,
    who: 'any',
    input: z.strictObject({
      agent: z.optional(name.describe('For the owner: whose')),
      action: z.string().max(100),
      resource: z.string().max(4200).describe('As in a capability, without the action; or a URL'),
    }),
    output: z.object({
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
    examples: {
      input: { agent: 'jean', action: 'read', resource: 'file:/srv/reports/july.md' },
      output: {
        allowed: true,
        resource: 'file:/srv/reports/july.md:read',
        asks: false,
        chain: [grantExample],
        nearest: null,
        fix: null,
      },
    },
  },
  setSecret: {
    ...post,
    path: '/api/v1/secrets',
    summary: 'Keep a secret; nobody can read it back',
    who: 'owner',
    input: z.strictObject({
      name,
      value: z.string().max(20_000),
      host: z.optional(z.string().max(300)),
      port: z.optional(z.int()),
      header: z.optional(z.string().max(200)),
      prefix: z.optional(z.string().max(200)),
    }),
    status: 201,
    output: z.object({ name: z.string(), replaced: z.boolean() }),
    examples: {
      input: {
        name: 'shop.key',
        value: 'sk-live-0123456789abcdef',
        host: 'api.shop.example',
        header: 'Authorization',
        prefix: 'Bearer ',
      },
      output: { name: 'shop.key', replaced: false },
    },
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
    output: z.object({ items: z.array(secretInfo), next: listNext }),
    examples: {
      output: {
        items: [
          {
            name: 'shop.key',
            host: 'api.shop.example',
            port: 443,
            header: 'authorization',
            prefix: 'Bearer ',
            created_at: at('12:00:00'),
            updated_at: at('12:00:00'),
          },
        ],
      },
    },
  },
  removeSecret: {
    ...post,
    effect: 'destroys',
    path: '/api/v1/secrets/{name}/remove',
    summary: 'Forget a secret',
    who: 'owner',
    params: z.strictObject({ name }),
    input: nothing,
    output: z.object({ name: z.string(), removed: z.literal(true) }),
    examples: { output: { name: 'shop.key', removed: true } },
  },
} as const satisfies Record<string, Verb>;
