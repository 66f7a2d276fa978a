/**
 * The functions of the client that are more than one call of a route (route-calls.ts has those):
 * lists that are fetched to their end, bytes, streams, and arguments in another shape.
 */
import { patientMs, usualRequestMs } from '../../verbs/limits.ts';
import type {
  Answer,
  Body,
  Query,
  WireCall,
  WireGoalSummary,
  WireItem,
  WireSignedHead,
} from '../contract/contract.ts';
import type { GoalEvent, ToolEvent } from '../contract/stream-events.ts';
import {
  type ClientDeps,
  isPassing,
  type Numbered,
  openBytes,
  openStream,
  parseJson,
  pathOf,
  search,
  uploadTo,
} from './exchange.ts';
import {
  type FollowOptions,
  followGoal,
  followOperation,
  type OperationEvent,
} from './follow-stream.ts';
import type { RouteCalls } from './route-calls.ts';
import { routeTable } from './route-table.ts';
import { type StreamToolOptions, streamTool } from './stream-tool.ts';
import type { CallOptions } from './transport.ts';

export interface OwnCalls extends MailCalls, WorkCalls, ByteCalls {
  register(name: string, options?: HandleOptions): Promise<Answer<'register'>>;
  renewHandle(name: string, options?: HandleOptions): Promise<Answer<'renewHandle'>>;
  auditVerify(head?: WireSignedHead, options?: CallOptions): Promise<Answer<'auditVerify'>>;
  secrets(options?: CallOptions): Promise<Answer<'secrets'>>;
  transferLinks(query: As, options?: CallOptions): Promise<Answer<'transferLinks'>>;
}

/** How long the handle is good; for ever where nothing is said. */
export interface HandleOptions extends CallOptions {
  readonly expires_ms?: number | undefined;
}

interface As {
  readonly as?: string | undefined;
}

interface MailCalls {
  request(request: Body<'request'>, options?: CallOptions): Promise<Answer<'request'>>;
  /** What is unread; nothing is read by that. */
  inbox(
    name: string,
    query: Numbered<Query<'inbox'>, 'limit' | 'wait_ms'>,
    options?: CallOptions,
  ): Promise<readonly WireItem[]>;
  /** Each is handed out once. */
  takeInbox(
    name: string,
    query: Body<'takeInbox'>,
    options?: CallOptions,
  ): Promise<readonly WireItem[]>;
  readInbox(
    name: string,
    ids: readonly string[],
    options?: CallOptions,
  ): Promise<Answer<'readInbox'>>;
  channels(options?: CallOptions): Promise<Answer<'channels'>>;
  /** The channel with its `#`. */
  joinChannel(
    channel: string,
    agent: string | undefined,
    options?: CallOptions,
  ): Promise<Answer<'joinChannel'>>;
  leaveChannel(
    channel: string,
    agent: string | undefined,
    options?: CallOptions,
  ): Promise<Answer<'leaveChannel'>>;
  setLead(name: string, options?: CallOptions): Promise<Answer<'setLead'>>;
  subscriptions(agent: string | undefined, options?: CallOptions): Promise<Answer<'subscriptions'>>;
}

/** Why, for people. */
interface ReasonOptions extends CallOptions {
  readonly reason?: string | undefined;
}

/** Of agents, goals, operations and tools; an id may be cut short where that is clear. */
interface WorkCalls {
  /** Its state once it is so; `running` when a model agent takes more than ten seconds to stop. */
  pauseAgent(name: string, options?: ReasonOptions): Promise<Answer<'pauseAgent'>>;
  killAgent(name: string, options?: ReasonOptions): Promise<Answer<'killAgent'>>;
  /** Until the goal is over, also over a restart of the daemon: no step is left out or twice. */
  followGoal(id: string, options?: FollowOptions): AsyncGenerator<GoalEvent, void, void>;
  prioritizeGoal(id: string, priority: number, options?: CallOptions): Promise<WireGoalSummary>;
  /** Of one that is worked on the answer may say so still: the agent that works on it ends it. */
  cancelGoal(id: string, options?: ReasonOptions): Promise<WireGoalSummary>;
  retryGoal(
    id: string,
    options?: CallOptions & { readonly from?: number | undefined },
  ): Promise<Answer<'retryGoal'>>;
  cancelOperation(id: string, options?: ReasonOptions): Promise<Answer<'cancelOperation'>>;
  /** Until it is over, also over a restart of the daemon: no line is left out or comes twice. */
  followOperation(id: string, options?: FollowOptions): AsyncGenerator<OperationEvent, void, void>;
  /** Calls a tool, and gives what it shows while it runs; its answer comes last. */
  streamTool(
    name: string,
    call: Body<'streamTool'>,
    options?: StreamToolOptions,
  ): AsyncGenerator<ToolEvent, void, void>;
  /** With `waitMs`, once it is over or that time has passed. */
  toolCall(
    id: string,
    options?: CallOptions & { readonly waitMs?: number | undefined },
  ): Promise<WireCall>;
  resolveCall(id: string, as: Body<'resolveCall'>['as'], options?: CallOptions): Promise<WireCall>;
}

/** Bytes are read to their end, or left with `break`. */
interface ByteCalls {
  putAttachment(
    bytes: AsyncIterable<Uint8Array>,
    options?: CallOptions,
  ): Promise<Answer<'putAttachment'>>;
  /** Lines of JSON, as bytes. */
  exportMemory(
    whose: Query<'exportMemory'>,
    options?: CallOptions,
  ): Promise<AsyncIterable<Uint8Array>>;
  importMemory(
    lines: AsyncIterable<Uint8Array>,
    whose: Query<'importMemory'>,
    options?: CallOptions,
  ): Promise<Answer<'importMemory'>>;
  /** The bytes as they are stored: sealed. Its id tells which one it is, should one of the same name have come. */
  artifactBytes(
    id: string,
    name: string,
    options?: CallOptions,
  ): Promise<{ readonly id: string | undefined; readonly stream: AsyncIterable<Uint8Array> }>;
  /** `from` is what is stored already. */
  uploadBytes(
    id: string,
    bytes: AsyncIterable<Uint8Array>,
    query: As & { readonly from: number },
    options?: CallOptions,
  ): Promise<Answer<'uploadBytes'>>;
  /** The bytes as they are stored, and how many come. */
  transferBytes(
    id: string,
    query: BytesQuery,
    options?: CallOptions,
  ): Promise<{ readonly sizeBytes: number; readonly stream: AsyncIterable<Uint8Array> }>;
}

/** A part of the bytes: from the first one to the one before `to`. */
interface BytesQuery extends As {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export function ownCalls(deps: ClientDeps, calls: RouteCalls): OwnCalls {
  return {
    ...mailCalls(calls),
    ...workCalls(deps, calls),
    ...byteCalls(deps),
    register: (name, { expires_ms, ...options } = {}) =>
      calls.register({ name, expires_ms }, options),
    renewHandle: (name, { expires_ms, ...options } = {}) =>
      calls.renewHandle(name, { expires_ms }, options),
    auditVerify: (head, options) => calls.auditVerify({ head }, options),
    secrets: (options) => allPages((after) => calls.secrets({ after }, options)),
    transferLinks: (query, options) =>
      allPages((before) => calls.transferLinks({ ...query, before }, options)),
  };
}

function mailCalls(calls: RouteCalls): MailCalls {
  const bare = (channel: string): string => channel.replace(/^#/, '');
  return {
    // A request may be slowed before it is sent: its sender hears from the daemon what became of it.
    request: (request, options) => {
      const timeoutMs = (request.timeout_ms ?? usualRequestMs) + patientMs;
      return calls.request(request, { timeoutMs, ...options });
    },
    inbox: async (name, query, options) => (await calls.inbox(name, query, options)).items,
    takeInbox: async (name, query, options) => (await calls.takeInbox(name, query, options)).items,
    readInbox: (name, read, options) => calls.readInbox(name, { ids: [...read] }, options),
    channels: (options) => allPages((after) => calls.channels({ after }, options)),
    joinChannel: (channel, agent, options) => calls.joinChannel(bare(channel), { agent }, options),
    leaveChannel: (channel, agent, options) =>
      calls.leaveChannel(bare(channel), { agent }, options),
    setLead: (name, options) => calls.setLead({ name }, options),
    subscriptions: (agent, options) =>
      allPages((after) => calls.subscriptions({ agent, after }, options)),
  };
}

/** Lists that are short, nearly always: fetched as one, a page at a time behind the scenes. */
async function allPages<T>(
  page: (
    place: string | undefined,
  ) => Promise<{ readonly items: readonly T[]; readonly next?: string | undefined }>,
): Promise<{ items: T[] }> {
  const items: T[] = [];
  for (let place: string | undefined; ; ) {
    const found = await page(place);
    items.push(...found.items);
    if (found.next === undefined) return { items };
    place = found.next;
  }
}

function workCalls(deps: ClientDeps, calls: RouteCalls): WorkCalls {
  const following = {
    ...{ clock: deps.clock, isPassing, parseJson },
    openStream: (path: string, from: FollowOptions) => openStream(deps, path, from),
  };
  return {
    pauseAgent: (name, { reason, ...options } = {}) => calls.pauseAgent(name, { reason }, options),
    killAgent: (name, { reason, ...options } = {}) => calls.killAgent(name, { reason }, options),
    followGoal: async function* (id, options) {
      // What begins with it may be several by the time that the daemon is back.
      const whole = /^[0-9a-f]{32}$/.test(id) ? id : (await calls.goal(id, options)).id;
      yield* followGoal(following, pathOf(routeTable.followGoal, whole), options);
    },
    prioritizeGoal: (id, priority, options) => calls.prioritizeGoal(id, { priority }, options),
    cancelGoal: (id, { reason, ...options } = {}) => calls.cancelGoal(id, { reason }, options),
    retryGoal: (id, { from, ...options } = {}) => calls.retryGoal(id, { from }, options),
    cancelOperation: (id, { reason, ...options } = {}) =>
      calls.cancelOperation(id, { reason }, options),
    followOperation: (id, options) =>
      followOperation(following, pathOf(routeTable.operationLogs, id), options),
    streamTool: (name, call, options) =>
      streamTool(deps, pathOf(routeTable.streamTool, name), { call, options }),
    toolCall: (id, { waitMs, ...options } = {}) => calls.call(id, { wait_ms: waitMs }, options),
    resolveCall: (id, as, options) => calls.resolveCall(id, { as }, options),
  };
}

const lines = 'application/x-ndjson';

function byteCalls(deps: ClientDeps): ByteCalls {
  return {
    putAttachment: (stream, options) =>
      uploadTo(deps, routeTable.putAttachment, { stream, options }),
    exportMemory: async (whose, options) => {
      const path = `${pathOf(routeTable.exportMemory)}${search(whose)}`;
      return (await openBytes(deps, path, { accept: lines }, options)).body;
    },
    importMemory: (stream, query, options) => {
      const headers = { 'content-type': lines };
      return uploadTo(deps, routeTable.importMemory, { stream, query, options, headers });
    },
    artifactBytes: async (id, name, options) => {
      const path = pathOf(routeTable.artifact, id, name);
      const { head, body } = await openBytes(deps, path, {}, options);
      return { id: head.headers.get('x-artifact-id'), stream: body };
    },
    uploadBytes: (id, stream, query, options) =>
      uploadTo(deps, routeTable.uploadBytes, { params: [id], stream, query, options }),
    transferBytes: async (id, { as, from = 0, to }, options) => {
      const isWhole = from === 0 && to === undefined;
      const range = `bytes=${from}-${to === undefined ? '' : to - 1}`;
      const headers: Readonly<Record<string, string>> = isWhole ? {} : { range };
      const path = `${pathOf(routeTable.transferBytes, id)}${search({ as })}`;
      const { head, body } = await openBytes(deps, path, headers, options);
      return { sizeBytes: Number(head.headers.get('content-length')), stream: body };
    },
  };
}
