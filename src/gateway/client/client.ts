/** The daemon's interface as functions. It loads neither the schemas nor the server. */
import { AosError, type ErrorCode, errorCodes } from '../../kernel/errors.ts';
import type { Clock } from '../../kernel/ports.ts';
import { EventStreamParser } from '../../kernel/text/event-stream.ts';
import type {
  Answer,
  Body,
  EventQuery,
  WireAgent,
  WireEvent,
  WireSignedHead,
} from '../contract/contract.ts';
import { type MemoryCalls, memoryCalls } from './memory-calls.ts';
import { type MessageCalls, messageCalls } from './message-calls.ts';
import { type OperationCalls, operationCalls } from './operation-calls.ts';
import { type RuntimeCalls, runtimeCalls } from './runtime-calls.ts';
import type { StreamRequest } from './stream-tool.ts';
import { type ToolClientCalls, toolClientCalls } from './tool-calls.ts';
import { type TransferCalls, transferCalls } from './transfer-calls.ts';
import {
  type CallOptions,
  socketTransport,
  type Transport,
  type TransportAnswer,
  type TransportRequest,
} from './transport.ts';

export interface ClientDeps {
  readonly transport: Transport;
  readonly clock: Clock;
  /** Ours, which the daemon compares with its own. */
  readonly version: string;
}

export type FollowFilter = Omit<EventQuery, 'after' | 'before' | 'limit' | 'order'>;

export type FollowedItem =
  | { readonly kind: 'event'; readonly event: WireEvent }
  /** Events that are no longer kept. */
  | { readonly kind: 'pruned'; readonly from: number; readonly to: number };

export interface FollowOptions {
  /** The number of the event behind which to begin; now when it is not given. */
  readonly after?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Client
  extends MessageCalls,
    ToolClientCalls,
    MemoryCalls,
    RuntimeCalls,
    TransferCalls,
    OperationCalls {
  status(options?: CallOptions): Promise<Answer<'status'>>;
  shutdown(options?: CallOptions): Promise<Answer<'shutdown'>>;
  register(name: string, options?: HandleOptions): Promise<Answer<'register'>>;
  renewHandle(name: string, options?: HandleOptions): Promise<Answer<'renewHandle'>>;
  agent(name: string, options?: CallOptions): Promise<WireAgent>;
  /** All agents, a page at a time behind the scenes. */
  agents(options?: CallOptions): AsyncGenerator<WireAgent, void, void>;
  /** Events that have happened, a page at a time behind the scenes; `limit` bounds them all. */
  events(query: EventsQuery, options?: CallOptions): AsyncGenerator<WireEvent, void, void>;
  /** Events as they happen, over restarts of the daemon: none is left out, none comes twice. */
  follow(filter: FollowFilter, options?: FollowOptions): AsyncGenerator<FollowedItem, void, void>;
  auditHead(options?: CallOptions): Promise<Answer<'auditHead'>>;
  auditVerify(head?: WireSignedHead, options?: CallOptions): Promise<Answer<'auditVerify'>>;
  backup(request: Body<'backup'>, options?: CallOptions): Promise<Answer<'backup'>>;
  usage(options?: CallOptions): Promise<Answer<'usage'>>;
  gc(request: Body<'gc'>, options?: CallOptions): Promise<Answer<'gc'>>;
  /** Reads all that is stored. */
  verifyBlobs(options?: CallOptions): Promise<Answer<'verifyBlobs'>>;
}

/** How long the handle is good; for ever where nothing is said. */
export interface HandleOptions extends CallOptions {
  readonly expires_ms?: number | undefined;
}

export type EventsQuery = Omit<EventQuery, 'limit'> & { readonly limit?: number | undefined };

const defaultTimeoutMs = 10_000;
const longTimeoutMs = 10 * 60_000;
// A store may have terabytes, and nothing is said before the last of them was read.
const wholeStoreMs = 24 * 3_600_000;
// Three heartbeats.
const feedSilenceMs = 45_000;
const largestAnswerBytes = 64 * 1024 * 1024;
const pageSize = 1000;
const noContent = 204;

/** A client of the daemon behind that socket file. */
export function connectTo(
  { clock, version }: Pick<ClientDeps, 'clock' | 'version'>,
  socketPath: string,
): Client {
  return createClient({ clock, version, transport: socketTransport(clock, socketPath) });
}

export function createClient(deps: ClientDeps): Client {
  const get = <T>(path: string, options?: CallOptions) => call<T>(deps, 'GET', path, { options });
  const post = <T>(
    path: string,
    body: unknown,
    options?: CallOptions,
    headers?: Readonly<Record<string, string>>,
  ) => call<T>(deps, 'POST', path, { body, options, headers });
  const long = (options?: CallOptions): CallOptions => ({ timeoutMs: longTimeoutMs, ...options });
  const find = <T>(path: string, query: object = {}, options?: CallOptions) =>
    get<T>(`${path}${search(query)}`, options);
  const upload = <T>(
    path: string,
    stream: AsyncIterable<Uint8Array>,
    options?: CallOptions,
    headers?: Readonly<Record<string, string>>,
  ) => call<T>(deps, 'POST', path, { stream, options, headers });
  return {
    ...messageCalls({ get: find, post, upload }),
    ...transferCalls({
      ...{ get: find, post, upload, search },
      openBytes: (path, headers, options) => openBytes(deps, path, headers, options),
    }),
    ...toolClientCalls({
      ...{ get: find, post, parseJson },
      postStream: (path, request) => postStream(deps, path, request),
      problemError: (content) => problemError(0, content),
    }),
    ...memoryCalls({
      ...{ get: find, post, upload, search },
      openBytes: (path, headers, options) => openBytes(deps, path, headers, options),
    }),
    ...runtimeCalls({
      ...{ clock: deps.clock, get: find, post, isPassing, parseJson },
      openStream: (path, from) => openStream(deps, path, from),
    }),
    ...operationCalls({
      ...{ clock: deps.clock, get: find, post, isPassing, parseJson },
      remove: (path, options) => call(deps, 'DELETE', path, { options }),
      openBytes: (path, options) => openBytes(deps, path, {}, options),
      openStream: (path, from) => openStream(deps, path, from),
    }),
    status: (options) => get('/api/v1/status', options),
    shutdown: (options) => post('/api/v1/shutdown', {}, options),
    register: (name, { expires_ms, ...options } = {}) =>
      post('/api/v1/agents', { name, expires_ms }, options),
    renewHandle: (name, { expires_ms, ...options } = {}) =>
      post(`/api/v1/agents/${encodeURIComponent(name)}/handle`, { expires_ms }, options),
    agent: (name, options) => get(`/api/v1/agents/${encodeURIComponent(name)}`, options),
    agents: (options) => allAgents(deps, options),
    events: (query, options) => allEvents(deps, query, options),
    follow: (filter, options) => follow(deps, filter, options),
    auditHead: (options) => get('/api/v1/audit/head', options),
    auditVerify: (head, options) => post('/api/v1/audit/verify', { head }, long(options)),
    backup: (request, options) => post('/api/v1/backup', request, long(options)),
    usage: (options) => get('/api/v1/usage', long(options)),
    gc: (request, options) => post('/api/v1/gc', request, long(options)),
    verifyBlobs: (options) =>
      post('/api/v1/blobs/verify', {}, { timeoutMs: wholeStoreMs, ...options }),
  };
}

interface CallContent {
  readonly body?: unknown;
  /** Instead of a body: bytes, as they come. */
  readonly stream?: AsyncIterable<Uint8Array>;
  readonly options?: CallOptions | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

async function call<T>(
  { transport, version }: ClientDeps,
  method: TransportRequest['method'],
  path: string,
  { body, stream, options = {}, headers = {} }: CallContent,
): Promise<T> {
  const answer = await transport.send({
    method,
    path,
    headers: { accept: 'application/json', 'x-aos-client': version, ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
    stream,
    timeoutMs: options.timeoutMs ?? defaultTimeoutMs,
    signal: options.signal,
  });
  const text = await wholeText(answer);
  const content = answer.head.status === noContent ? undefined : parseJson(text);
  if (answer.head.status >= 400) throw problemError(answer.head.status, content);
  // The daemon and this client agree on their contract: their versions were compared.
  return content as T;
}

async function wholeText({ body }: TransportAnswer): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let sizeBytes = 0;
  for await (const bytes of body) {
    sizeBytes += bytes.length;
    if (sizeBytes > largestAnswerBytes) throw strangeAnswer('it is too long');
    text += decoder.decode(bytes, { stream: true });
  }
  return text + decoder.decode();
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw strangeAnswer('it is not JSON', cause);
  }
}

/** The error that the daemon threw, thrown again on this side. */
export function problemError(status: number, content: unknown): AosError {
  if (typeof content !== 'object' || content === null) return strangeAnswer(`status ${status}`);
  const { code, detail, fix, details } = { ...noProblem, ...content };
  const message = typeof detail === 'string' ? detail : `status ${status}`;
  if (!isErrorCode(code)) return strangeAnswer(message);
  return new AosError(code, { message, fix: typeof fix === 'string' ? fix : undefined, details });
}

const noProblem: Readonly<Record<'code' | 'detail' | 'fix' | 'details', unknown>> = {
  code: undefined,
  detail: undefined,
  fix: undefined,
  details: undefined,
};

function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(errorCodes, code);
}

function strangeAnswer(what: string, cause?: unknown): AosError {
  return new AosError('gateway.strange-answer', {
    message: `The daemon's answer cannot be understood: ${what}`,
    fix: 'aos down && aos up --detach',
    cause,
  });
}

async function* allAgents(
  deps: ClientDeps,
  options: CallOptions | undefined,
): AsyncGenerator<WireAgent, void, void> {
  let after: string | null | undefined;
  do {
    const query = search({ after: after ?? undefined, limit: String(pageSize) });
    const page: Answer<'agents'> = await call(deps, 'GET', `/api/v1/agents${query}`, { options });
    yield* page.items;
    after = page.next;
  } while (after !== null);
}

async function* allEvents(
  deps: ClientDeps,
  { limit = Number.POSITIVE_INFINITY, ...query }: EventsQuery,
  options: CallOptions | undefined,
): AsyncGenerator<WireEvent, void, void> {
  const cursor = query.order === 'newest-first' ? 'before' : 'after';
  let next: string | undefined = query[cursor];
  for (let left = limit; left > 0; ) {
    const asked = { ...query, [cursor]: next, limit: String(Math.min(left, pageSize)) };
    const path = `/api/v1/events${search(asked)}`;
    const page: Answer<'events'> = await call(deps, 'GET', path, { options });
    yield* page.items;
    left -= page.items.length;
    if (page.next === null) return;
    next = String(page.next);
  }
}

function search(query: object): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  if (given.length === 0) return '';
  return `?${given.map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`).join('&')}`;
}

const firstPauseMs = 100;
const longestPauseMs = 5000;

/**
 * The place in the stream is kept here and told with every connection. Only what comes
 * behind it is handed out, so that neither a restart nor a repeated page shows twice.
 */
async function* follow(
  deps: ClientDeps,
  filter: FollowFilter,
  { after, signal }: FollowOptions = {},
): AsyncGenerator<FollowedItem, void, void> {
  let place = after;
  let pauseMs = firstPauseMs;
  for (;;) {
    try {
      for await (const { item, position } of readStream(deps, filter, { after: place, signal })) {
        pauseMs = firstPauseMs;
        const isNew = place === undefined || position > place;
        place = isNew ? position : place;
        if (isNew && item !== undefined) yield item;
      }
    } catch (failure) {
      signal?.throwIfAborted();
      if (!isPassing(failure)) throw failure;
    }
    await deps.clock.sleep(pauseMs, signal);
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
  }
}

interface StreamPlace {
  readonly position: number;
  /** Undefined when only the place has moved. */
  readonly item: FollowedItem | undefined;
}

async function* readStream(
  deps: ClientDeps,
  filter: FollowFilter,
  from: FollowOptions,
): AsyncGenerator<StreamPlace, void, void> {
  const answer = await openStream(deps, `/api/v1/events${search(filter)}`, from);
  const parser = new EventStreamParser();
  for await (const bytes of answer.body) {
    for (const { event, data, id } of parser.push(bytes)) {
      yield { position: placeOf(id), item: itemOf(event, data) };
    }
    if (parser.lastId !== undefined) yield { position: placeOf(parser.lastId), item: undefined };
  }
}

/** Bytes, however many: read as they come. */
async function openBytes(
  { transport, version }: ClientDeps,
  path: string,
  headers: Readonly<Record<string, string>>,
  { timeoutMs = feedSilenceMs, signal }: CallOptions = {},
): Promise<TransportAnswer> {
  const common = { accept: 'application/octet-stream', 'x-aos-client': version };
  const answer = await transport.send({
    ...{ method: 'GET', path, headers: { ...common, ...headers }, timeoutMs, signal },
  });
  const { status } = answer.head;
  if (status >= 400) throw problemError(status, parseJson(await wholeText(answer)));
  return answer;
}

function openStream(
  deps: ClientDeps,
  path: string,
  { after, signal }: FollowOptions,
): Promise<TransportAnswer> {
  const headers = after === undefined ? {} : { 'last-event-id': String(after) };
  return streamOf(deps, { method: 'GET', path, headers, signal });
}

function postStream(
  deps: ClientDeps,
  path: string,
  { body, headers, signal }: StreamRequest,
): Promise<TransportAnswer> {
  return streamOf(deps, { method: 'POST', path, headers, body: JSON.stringify(body), signal });
}

async function streamOf(
  { transport, version }: ClientDeps,
  request: Omit<TransportRequest, 'timeoutMs'>,
): Promise<TransportAnswer> {
  const common = { accept: 'text/event-stream', 'x-aos-client': version };
  const answer = await transport.send({
    ...request,
    headers: { ...common, ...request.headers },
    timeoutMs: feedSilenceMs,
  });
  const { status } = answer.head;
  if (status !== 200) throw problemError(status, parseJson(await wholeText(answer)));
  return answer;
}

function placeOf(id: string | undefined): number {
  const position = Number(id);
  if (Number.isSafeInteger(position)) return position;
  throw strangeAnswer('an event has no number');
}

function itemOf(event: string, data: string): FollowedItem {
  // The versions were compared, as for every answer.
  if (event !== 'pruned') return { kind: 'event', event: parseJson(data) as WireEvent };
  const { from, to } = parseJson(data) as { readonly from: number; readonly to: number };
  return { kind: 'pruned', from, to };
}

/** What a daemon that stops, starts or is busy answers: trying again is right. */
const passing: ReadonlySet<ErrorCode> = new Set([
  'daemon.down',
  'daemon.silent',
  'gateway.not-ready',
  'gateway.too-many',
  'ledger.closed',
] as const);

function isPassing(failure: unknown): boolean {
  return failure instanceof AosError && passing.has(failure.code);
}
