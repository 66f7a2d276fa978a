/** The part of the client that is about operations, and what came of them. */
import type { Answer, Body, Query } from '../contract/contract.ts';
import { followOperation, type OperationSight } from './follow-operation.ts';
import type { FollowDeps, FollowOptions } from './follow-stream.ts';
import type { CallOptions, TransportAnswer } from './transport.ts';

/** One function a route; an operation is known by its id, which the owner may cut short. */
export interface OperationCalls {
  submitOperation(
    order: Body<'submitOperation'>,
    options?: CallOptions,
  ): Promise<Answer<'submitOperation'>>;
  /** A page; `next` of it goes into `before`. */
  operations(query: OperationsQuery, options?: CallOptions): Promise<Answer<'operations'>>;
  operation(id: string, options?: CallOptions): Promise<Answer<'operation'>>;
  cancelOperation(id: string, options?: CancelOptions): Promise<Answer<'cancelOperation'>>;
  /** A page; `next` of it goes into `after`. */
  operationLogs(
    id: string,
    query?: { readonly after?: number | undefined },
    options?: CallOptions,
  ): Promise<Answer<'operationLogs'>>;
  /** Until it is over, also over a restart of the daemon: no line is left out or comes twice. */
  followOperation(id: string, options?: FollowOptions): AsyncGenerator<OperationSight, void, void>;
  artifacts(id: string, options?: CallOptions): Promise<Answer<'artifacts'>>;
  /** The bytes as they are stored: sealed. */
  artifactBytes(id: string, name: string, options?: CallOptions): Promise<ArtifactBytes>;
  deleteArtifact(id: string, name: string, options?: CallOptions): Promise<void>;
  rotateKeys(options?: CallOptions): Promise<Answer<'rotateKeys'>>;
}

export type OperationsQuery = Omit<Query<'operations'>, 'limit'> & {
  readonly limit?: number | undefined;
};

export interface CancelOptions extends CallOptions {
  /** Why, for people. */
  readonly reason?: string | undefined;
}

export interface ArtifactBytes {
  /** Which one it is: another one may have come under the same name. */
  readonly id: string | undefined;
  /** To be read to its end, or left with `break`. */
  readonly stream: AsyncIterable<Uint8Array>;
}

export interface OperationCallsDeps extends FollowDeps {
  get<T>(path: string, query?: object, options?: CallOptions): Promise<T>;
  post<T>(path: string, body: unknown, options?: CallOptions): Promise<T>;
  remove<T>(path: string, options?: CallOptions): Promise<T>;
  openBytes(path: string, options?: CallOptions): Promise<TransportAnswer>;
}

// An agent is made for it first; a rotation seals everything anew.
const slowTimeoutMs = 120_000;

export function operationCalls(deps: OperationCallsDeps): OperationCalls {
  const { get, post } = deps;
  const all = '/api/v1/operations';
  const at = (id: string, what = '') => `${all}/${encodeURIComponent(id)}${what}`;
  const one = (id: string, name: string) => at(id, `/artifacts/${encodeURIComponent(name)}`);
  const slow = (options?: CallOptions): CallOptions => ({ timeoutMs: slowTimeoutMs, ...options });
  return {
    submitOperation: (order, options) => post(all, order, slow(options)),
    operations: (query, options) => get(all, query, options),
    operation: (id, options) => get(at(id), {}, options),
    cancelOperation: (id, { reason, ...options } = {}) =>
      post(at(id, '/cancel'), { reason }, slow(options)),
    operationLogs: (id, query, options) => get(at(id, '/logs'), query, options),
    followOperation: (id, options) => followOperation(deps, at(id, '/logs'), options),
    artifacts: (id, options) => get(at(id, '/artifacts'), {}, options),
    artifactBytes: async (id, name, options) => {
      const { head, body } = await deps.openBytes(one(id, name), options);
      return { id: head.headers.get('x-artifact-id'), stream: body };
    },
    deleteArtifact: (id, name, options) => deps.remove(one(id, name), options),
    rotateKeys: (options) => post('/api/v1/keys/rotate', {}, slow(options)),
  };
}
