/** The part of the client that is about agents that live, and their goals. */
import type {
  Answer,
  Body,
  Query,
  WireAgentDetails,
  WireGoal,
  WireGoalSummary,
} from '../contract/contract.ts';
import type { GoalSight } from '../contract/goal-sight.ts';
import { followGoal } from './follow-goal.ts';
import type { FollowDeps, FollowOptions } from './follow-stream.ts';
import type { CallOptions } from './transport.ts';

/** Of agents and goals; a goal is known by its id, or the beginning of it. */
export interface RuntimeCalls {
  spawn(name: string, body: Body<'spawn'>, options?: CallOptions): Promise<Answer<'spawn'>>;
  agentDetails(name: string, options?: CallOptions): Promise<WireAgentDetails>;
  /** Its state once it is so; `running` when a model agent takes more than ten seconds to stop. */
  pauseAgent(name: string, options?: ReasonOptions): Promise<Answer<'pauseAgent'>>;
  resumeAgent(name: string, options?: CallOptions): Promise<Answer<'resumeAgent'>>;
  killAgent(name: string, options?: ReasonOptions): Promise<Answer<'killAgent'>>;
  heartbeat(name: string, options?: CallOptions): Promise<Answer<'heartbeat'>>;
  submitGoal(goal: Body<'submitGoal'>, options?: CallOptions): Promise<Answer<'submitGoal'>>;
  /** A page; `next` of it goes into `before`. */
  goals(query: Query<'goals'>, options?: CallOptions): Promise<Answer<'goals'>>;
  goal(id: string, options?: CallOptions): Promise<WireGoal>;
  /** A page; `next` of it goes into `after`. */
  steps(id: string, query?: StepsQuery, options?: CallOptions): Promise<Answer<'steps'>>;
  /** Until the goal is over, also over a restart of the daemon: no step is left out or twice. */
  followGoal(id: string, options?: FollowOptions): AsyncGenerator<GoalSight, void, void>;
  prioritizeGoal(id: string, priority: number, options?: CallOptions): Promise<WireGoalSummary>;
  /** Of one that is worked on the answer may say so still: whoever works on it ends it. */
  cancelGoal(id: string, options?: ReasonOptions): Promise<WireGoalSummary>;
  retryGoal(
    id: string,
    options?: CallOptions & { readonly from?: number | undefined },
  ): Promise<Answer<'retryGoal'>>;
}

export interface ReasonOptions extends CallOptions {
  /** Why, for people. */
  readonly reason?: string | undefined;
}

export interface StepsQuery {
  readonly after?: number | undefined;
  readonly limit?: number | undefined;
}

export interface RuntimeCallsDeps extends FollowDeps {
  get<T>(path: string, query?: object, options?: CallOptions): Promise<T>;
  post<T>(path: string, body: unknown, options?: CallOptions): Promise<T>;
}

// A program has some seconds to start, a step and a program some to end, and each of many children.
const slowTimeoutMs = 120_000;

export function runtimeCalls(deps: RuntimeCallsDeps): RuntimeCalls {
  const { get, post } = deps;
  const ofAgent = (name: string, what: string) =>
    `/api/v1/agents/${encodeURIComponent(name)}/${what}`;
  const ofGoal = (id: string, what = '') => `/api/v1/goals/${encodeURIComponent(id)}${what}`;
  const slow = (options: CallOptions = {}): CallOptions => ({
    timeoutMs: slowTimeoutMs,
    ...options,
  });
  return {
    spawn: (name, body, options) => post(ofAgent(name, 'spawn'), body, slow(options)),
    agentDetails: (name, options) => get(ofAgent(name, 'details'), {}, options),
    pauseAgent: (name, { reason, ...options } = {}) =>
      post(ofAgent(name, 'pause'), { reason }, slow(options)),
    resumeAgent: (name, options) => post(ofAgent(name, 'resume'), {}, slow(options)),
    killAgent: (name, { reason, ...options } = {}) =>
      post(ofAgent(name, 'kill'), { reason }, slow(options)),
    heartbeat: (name, options) => post(ofAgent(name, 'heartbeat'), {}, options),
    submitGoal: (goal, options) => post('/api/v1/goals', goal, slow(options)),
    goals: (query, options) => get('/api/v1/goals', query, options),
    goal: (id, options) => get(ofGoal(id), {}, options),
    steps: (id, query, options) => get(ofGoal(id, '/steps'), query, options),
    followGoal: async function* (id, options) {
      // What begins with it may be several by the time that the daemon is back.
      const whole = isWhole(id) ? id : (await get<WireGoal>(ofGoal(id), {}, options)).id;
      yield* followGoal(deps, ofGoal(whole, '/follow'), options);
    },
    prioritizeGoal: (id, priority, options) => post(ofGoal(id, '/priority'), { priority }, options),
    cancelGoal: (id, { reason, ...options } = {}) =>
      post(ofGoal(id, '/cancel'), { reason }, slow(options)),
    retryGoal: (id, { from, ...options } = {}) => post(ofGoal(id, '/retry'), { from }, options),
  };
}

function isWhole(id: string): boolean {
  return /^[0-9a-f]{32}$/.test(id);
}
