/**
 * The wire as data: every route, who may call it, what goes in and what comes out. The
 * server's checks, the client's types and the OpenAPI page are all read off this.
 */
import * as z from 'zod';
import { agentVerbs } from '../../verbs/agents.ts';
import { approvalVerbs } from '../../verbs/approvals.ts';
import { daemonVerbs } from '../../verbs/daemon.ts';
import { event, type eventQuery, eventVerbs, type signedHead } from '../../verbs/events.ts';
import { fileVerbs } from '../../verbs/files.ts';
import { goalVerbs } from '../../verbs/goals.ts';
import { grantVerbs } from '../../verbs/grants.ts';
import { groupVerbs } from '../../verbs/groups.ts';
import { linkVerbs } from '../../verbs/links.ts';
import { memoryVerbs } from '../../verbs/memory.ts';
import { memoryKeepingVerbs } from '../../verbs/memory-keeping.ts';
import { messageVerbs } from '../../verbs/messages.ts';
import { operationVerbs } from '../../verbs/operations.ts';
import { toolVerbs } from '../../verbs/tools.ts';
import { transferVerbs } from '../../verbs/transfers.ts';

export const apiVersion = '1';

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

/** By its operationId, which is also what the client calls it. */
export const routes = {
  ...daemonVerbs,
  ...agentVerbs,
  ...goalVerbs,
  ...eventVerbs,
  ...messageVerbs,
  ...groupVerbs,
  ...grantVerbs,
  ...toolVerbs,
  ...approvalVerbs,
  ...transferVerbs,
  ...linkVerbs,
  ...operationVerbs,
  ...fileVerbs,
  ...memoryVerbs,
  ...memoryKeepingVerbs,
} as const;

export type Routes = typeof routes;
export type RouteName = keyof Routes;
export type Params<Name extends RouteName> = z.infer<Routes[Name]['params']>;
export type Query<Name extends RouteName> = z.infer<Routes[Name]['query']>;
export type Body<Name extends RouteName> = z.input<Routes[Name]['input']>;
export type Answer<Name extends RouteName> = z.infer<Routes[Name]['output']>;

export type WireEvent = z.infer<typeof event>;
export type WireAgent = Answer<'agent'>;
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
