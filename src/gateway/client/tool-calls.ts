/** The part of the client that is about capabilities, secrets, tools and approvals. */

import type {
  Answer,
  Body,
  Query,
  WireApproval,
  WireCall,
  WireGrant,
} from '../contract/contract.ts';
import type { ToolSight } from '../contract/tool-sight.ts';
import { allPages } from './all-pages.ts';
import { type StreamToolDeps, type StreamToolOptions, streamTool } from './stream-tool.ts';
import type { CallOptions } from './transport.ts';

export interface ToolClientCalls {
  grant(grant: Body<'grant'>, options?: CallOptions): Promise<WireGrant>;
  delegate(delegation: Body<'delegate'>, options?: CallOptions): Promise<WireGrant>;
  revoke(id: string, options?: CallOptions): Promise<Answer<'revoke'>>;
  revokeCapability(
    which: Body<'revokeCapability'>,
    options?: CallOptions,
  ): Promise<Answer<'revokeCapability'>>;
  /** A page; `next` of it goes into `after`. */
  grants(query: Query<'grants'>, options?: CallOptions): Promise<Answer<'grants'>>;
  checkGrant(question: Body<'checkGrant'>, options?: CallOptions): Promise<Answer<'checkGrant'>>;
  setSecret(secret: Body<'setSecret'>, options?: CallOptions): Promise<Answer<'setSecret'>>;
  secrets(options?: CallOptions): Promise<Answer<'secrets'>>;
  removeSecret(name: string, options?: CallOptions): Promise<Answer<'removeSecret'>>;
  tools(options?: CallOptions): Promise<Answer<'tools'>>;
  callTool(
    name: string,
    call: Body<'callTool'>,
    options?: CallOptions & { readonly key?: string | undefined },
  ): Promise<Answer<'callTool'>>;
  /** The same call, with what it shows while it runs; its answer comes last. */
  streamTool(
    name: string,
    call: Body<'streamTool'>,
    options?: StreamToolOptions,
  ): AsyncGenerator<ToolSight, void, void>;
  /** One request to the file agent. */
  runFiles(
    request: Body<'runFiles'>,
    options?: CallOptions & { readonly as?: string | undefined; readonly key?: string | undefined },
  ): Promise<Answer<'runFiles'>>;
  calls(query: Query<'calls'>, options?: CallOptions): Promise<Answer<'calls'>>;
  /** With `waitMs`, once it is over or that time has passed. */
  toolCall(
    id: string,
    options?: CallOptions & { readonly waitMs?: number | undefined },
  ): Promise<WireCall>;
  resolveCall(id: string, as: Body<'resolveCall'>['as'], options?: CallOptions): Promise<WireCall>;
  approvals(query: Query<'approvals'>, options?: CallOptions): Promise<Answer<'approvals'>>;
  approval(id: string, options?: CallOptions): Promise<WireApproval>;
  approve(id: string, answer: Body<'approve'>, options?: CallOptions): Promise<WireApproval>;
  deny(id: string, answer: Body<'deny'>, options?: CallOptions): Promise<WireApproval>;
}

export interface ToolCallsDeps extends StreamToolDeps {
  get<T>(path: string, query?: object, options?: CallOptions): Promise<T>;
  post<T>(
    path: string,
    body: unknown,
    options?: CallOptions,
    headers?: Readonly<Record<string, string>>,
  ): Promise<T>;
}

// A call may take as long as it may, and a little to be answered.
const longestCallMs = 3_700_000;
const marginMs = 10_000;

export function toolClientCalls(deps: ToolCallsDeps): ToolClientCalls {
  const { get, post } = deps;
  const at = (path: string, id: string, rest = '') =>
    `/api/v1/${path}/${encodeURIComponent(id)}${rest}`;
  return {
    grant: (grant, options) => post('/api/v1/grants', grant, options),
    delegate: (delegation, options) => post('/api/v1/grants/delegate', delegation, options),
    revoke: (id, options) => post(at('grants', id, '/revoke'), {}, options),
    revokeCapability: (which, options) => post('/api/v1/grants/revoke', which, options),
    grants: (query, options) => get('/api/v1/grants', query, options),
    checkGrant: (question, options) => post('/api/v1/grants/check', question, options),
    setSecret: (secret, options) => post('/api/v1/secrets', secret, options),
    secrets: (options) => allPages({ get }, { path: '/api/v1/secrets', cursor: 'after' }, options),
    removeSecret: (name, options) => post(at('secrets', name, '/remove'), {}, options),
    tools: (options) => get('/api/v1/tools', {}, options),
    callTool: (name, call, { key, ...options } = {}) =>
      post(
        at('tools', name, '/call'),
        call,
        { timeoutMs: longestCallMs, ...options },
        key === undefined ? {} : { 'idempotency-key': key },
      ),
    streamTool: (name, call, options) =>
      streamTool(deps, at('tools', name, '/stream'), { call, options }),
    runFiles: (request, { as, key, ...options } = {}) =>
      post(
        `/api/v1/files/run${as === undefined ? '' : `?as=${encodeURIComponent(as)}`}`,
        request,
        { timeoutMs: longestCallMs, ...options },
        key === undefined ? {} : { 'idempotency-key': key },
      ),
    calls: (query, options) => get('/api/v1/calls', query, options),
    toolCall: (id, { waitMs, ...options } = {}) =>
      waitMs === undefined
        ? get(at('calls', id), {}, options)
        : get(at('calls', id), { wait_ms: waitMs }, { timeoutMs: waitMs + marginMs, ...options }),
    resolveCall: (id, as, options) => post(at('calls', id, '/resolve'), { as }, options),
    approvals: (query, options) => get('/api/v1/approvals', query, options),
    approval: (id, options) => get(at('approvals', id), {}, options),
    approve: (id, answer, options) => post(at('approvals', id, '/approve'), answer, options),
    deny: (id, answer, options) => post(at('approvals', id, '/deny'), answer, options),
  };
}
