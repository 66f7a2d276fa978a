/**
 * The wire as data: every route, who may call it, what goes in and what comes out. The
 * server's checks, the client's types and the OpenAPI page are all read off this.
 */
import * as z from 'zod';
import { blobRoutes } from './blobs.ts';
import { chainPlace, event, type eventQuery, eventRoutes, type signedHead } from './events.ts';
import { fileRoutes } from './files.ts';
import { grantRoutes } from './grants.ts';
import { memoryRoutes } from './memory.ts';
import { messageRoutes } from './messages.ts';
import { operationRoutes } from './operations.ts';
import { agentParams, count, get, post, type Route, time, wholeNumber } from './route.ts';
import { agentFields, runtimeRoutes } from './runtime.ts';
import { toolRoutes } from './tools.ts';
import { transferRoutes } from './transfers.ts';

export const apiVersion = '1';

const agent = z
  .object({
    ...agentFields,
    tokens: count.describe('Used so far'),
    cost: count.describe('Used so far, in millionths of a dollar'),
  })
  .meta({ id: 'Agent' });

const ownerStatus = z
  .object({
    role: z.literal('owner'),
    version: z.string(),
    api: z.string(),
    pid: z.int(),
    home: z.string(),
    epoch: z.int(),
    started_at: time,
    uptime_ms: count,
    ready: z.boolean(),
    ledger: chainPlace,
    agents: z.object({ active: count, total: count }),
    disk: z.object({
      used_percent: z.number(),
      state: z
        .enum(['ok', 'warning', 'alert', 'full'])
        .describe('`full`: nothing can be written, and the daemon is not ready'),
    }),
    feed_clients: count,
  })
  .meta({ id: 'OwnerStatus' });

const agentStatus = z
  .object({
    role: z.literal('agent'),
    version: z.string(),
    api: z.string(),
    name: z.string(),
  })
  .meta({ id: 'AgentStatus' });

const handleMs = z
  .optional(
    z
      .int()
      .min(1000)
      .max(366 * 24 * 3_600_000),
  )
  .describe('How long the handle is good; over TCP one without an end is not');

const usageItem = z
  .object({ name: z.string(), bytes: count, files: count })
  .meta({ id: 'UsageItem' });
const sweptItem = z
  .object({ path: z.string(), bytes: count, why: z.string() })
  .meta({ id: 'SweptItem' });

/** What an answer other than a good one carries: RFC 9457. */
const problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string(),
    fix: z.optional(z.string()),
    details: z.optional(z.unknown()),
  })
  .meta({ id: 'Problem' });

export const schemas = { problem, event };

export const routes = {
  livez: {
    ...get,
    path: '/livez',
    summary: 'Is the process alive?',
    who: 'open',
    anyVersion: true,
    answer: z.object({ live: z.literal(true) }),
  },
  readyz: {
    ...get,
    path: '/readyz',
    summary: 'Does it take work? 503 while it starts, while it stops, and on a full disk',
    who: 'open',
    anyVersion: true,
    answer: z.object({ ready: z.literal(true) }),
  },
  metrics: {
    ...get,
    path: '/metrics',
    summary: 'Counters for Prometheus',
    who: 'owner',
    answer: z.string(),
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
  },
  openapi: {
    ...get,
    path: '/openapi.json',
    summary: 'This interface as OpenAPI 3.1',
    who: 'any',
    answer: z.record(z.string(), z.unknown()),
  },
  docs: {
    ...get,
    path: '/docs',
    summary: 'This interface as a page to read',
    who: 'any',
    answer: z.string(),
    contentType: 'text/html; charset=utf-8',
  },
  status: {
    ...get,
    path: '/api/v1/status',
    summary: 'What the daemon is doing; an agent sees the version and itself',
    who: 'any',
    anyVersion: true,
    answer: z.discriminatedUnion('role', [ownerStatus, agentStatus]),
  },
  shutdown: {
    ...post,
    path: '/api/v1/shutdown',
    summary: 'Stop the daemon once what is under way has ended',
    who: 'owner',
    anyVersion: true,
    status: 202,
    answer: z.object({ stopping: z.literal(true) }),
  },
  register: {
    ...post,
    path: '/api/v1/agents',
    summary: 'Register an agent; its handle is shown this once',
    who: 'owner',
    // Which names there may be is said in better words by who checks them.
    body: z.strictObject({ name: z.string(), expires_ms: handleMs }),
    status: 201,
    secretAnswer: true,
    answer: z.object({
      name: z.string(),
      address: z.string(),
      handle: z.string(),
      folder: z.string(),
    }),
  },
  renewHandle: {
    ...post,
    path: '/api/v1/agents/{name}/handle',
    summary: 'Give an agent a new handle, shown this once; the old one is refused from then on',
    who: 'owner',
    params: agentParams,
    body: z.strictObject({ expires_ms: handleMs }),
    answer: z.object({ name: z.string(), handle: z.string() }),
    secretAnswer: true,
  },
  agents: {
    ...get,
    path: '/api/v1/agents',
    summary: 'The agents by name; an agent sees itself',
    who: 'any',
    query: z.strictObject({
      after: z.optional(z.string().max(200).describe('Only names behind this one')),
      limit: z.optional(wholeNumber.describe('At most 1000')),
    }),
    answer: z.object({ items: z.array(agent), next: z.nullable(z.string()) }),
  },
  agent: {
    ...get,
    path: '/api/v1/agents/{name}',
    summary: 'One agent; an agent finds only itself',
    who: 'any',
    params: agentParams,
    answer: agent,
  },
  ...eventRoutes,
  backup: {
    ...post,
    path: '/api/v1/backup',
    summary: 'Copy everything into one new file; the keys only with a passphrase',
    who: 'owner',
    body: z.strictObject({
      path: z.string().max(4096).regex(/^\//).describe('Absolute, as the daemon sees it'),
      passphrase: z.optional(z.string().min(1).max(1024)),
    }),
    answer: z.object({
      path: z.string(),
      bytes: count,
      events: count,
      keys: z.enum(['sealed', 'left out']),
    }),
  },
  usage: {
    ...get,
    path: '/api/v1/usage',
    summary: 'What the home folder takes on the disk',
    who: 'owner',
    answer: z.object({ items: z.array(usageItem), total_bytes: count }),
  },
  gc: {
    ...post,
    path: '/api/v1/gc',
    summary: 'Remove what nobody needs any more, or say what that would be',
    who: 'owner',
    body: z.strictObject({ dry_run: z.boolean() }),
    answer: z.object({
      items: z.array(sweptItem),
      freed_bytes: count,
      failed: z.array(z.object({ path: z.string(), why: z.string() })),
    }),
  },
  ...messageRoutes,
  ...grantRoutes,
  ...toolRoutes,
  ...runtimeRoutes,
  ...transferRoutes,
  ...blobRoutes,
  ...operationRoutes,
  ...fileRoutes,
  ...memoryRoutes,
} as const satisfies Record<string, Route>;

export type Routes = typeof routes;
export type RouteName = keyof Routes;
export type Params<Name extends RouteName> = z.infer<Routes[Name]['params']>;
export type Query<Name extends RouteName> = z.infer<Routes[Name]['query']>;
export type Body<Name extends RouteName> = z.infer<Routes[Name]['body']>;
export type Answer<Name extends RouteName> = z.infer<Routes[Name]['answer']>;

export type WireEvent = z.infer<typeof event>;
export type WireAgent = z.infer<typeof agent>;
export type WireSignedHead = z.infer<typeof signedHead>;
export type EventQuery = z.infer<typeof eventQuery>;
export type Problem = z.infer<typeof problem>;

/** Which part of a request is refused, for who made it out of words of its own. */
export interface RefusedField {
  readonly place: string;
  /** Empty where it is the whole. */
  readonly field: string;
  /** `is empty` */
  readonly problem: string;
}
export type WireOutgoing = Body<'send'>;
export type WireItem = Answer<'inbox'>['items'][number];
export type WireHistory = Answer<'message'>;
export type WireGrant = Answer<'grant'>;
export type WireCall = Answer<'call'>;
export type WireApproval = Answer<'approval'>;
export type WireMemory = Answer<'memoryHistory'>['items'][number];
export type WireMemoryHit = Answer<'searchMemory'>['hits'][number];
export type WireGoal = Answer<'goal'>;
export type WireGoalSummary = Answer<'goals'>['items'][number];
export type WireStep = Answer<'steps'>['items'][number];
export type WireAgentDetails = Answer<'agentDetails'>;
export type WireBudget = NonNullable<WireGoal['budget']>;
