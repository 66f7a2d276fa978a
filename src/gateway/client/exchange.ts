/** One exchange with the daemon: a route is called with JSON, bytes or a stream, and answered. */

import { AosError, type ErrorCode, errorCodes } from '../../kernel/errors.ts';
import { must } from '../../kernel/must.ts';
import type { Clock } from '../../kernel/ports.ts';
import type { CallOptions, Transport, TransportAnswer, TransportRequest } from './transport.ts';

export interface ClientDeps {
  readonly transport: Transport;
  readonly clock: Clock;
  /** Ours, which the daemon compares with its own. */
  readonly version: string;
}

/** What the client knows of a route; route-table.ts has all of them. */
export interface ClientRoute {
  readonly method: TransportRequest['method'];
  /** `{name}` stands for a parameter. */
  readonly path: string;
  /** What its function takes behind the parameters. */
  readonly takes?: 'input' | 'query';
  /** Where it is not the usual. */
  readonly timeoutMs?: number;
}

/** Of calls that change something. */
export interface WriteOptions extends CallOptions {
  /** The same key is the same call, however often it is made. */
  readonly key?: string | undefined;
}

/** Of calls of tools. */
export interface ActingOptions extends WriteOptions {
  /** For the owner: which agent to act for. */
  readonly as?: string | undefined;
}

/** A query travels as text; these of its fields may be given as numbers. */
export type Numbered<Query, Fields extends keyof Query> = Omit<Query, Fields> & {
  readonly [Field in Fields]?: number | string | undefined;
};

const defaultTimeoutMs = 10_000;
// Three heartbeats.
const feedSilenceMs = 45_000;
const largestAnswerBytes = 64 * 1024 * 1024;
const noContent = 204;

/** Calls a route with what its function was given: parameters, content, options. */
export function callRoute(
  deps: ClientDeps,
  route: ClientRoute,
  given: readonly unknown[],
): Promise<unknown> {
  const names = route.path.match(/\{\w+\}/g) ?? [];
  const params = given.slice(0, names.length).map(String);
  const rest = given.slice(names.length);
  // The generated types say what stands where.
  const content = (route.takes === undefined ? {} : (rest.shift() ?? {})) as RouteContent;
  const { as, key, ...options } = (rest[0] ?? {}) as ActingOptions;
  const query = route.takes === 'query' ? { ...content, as: content.as ?? as } : { as };
  return exchange(deps, route.method, `${pathOf(route, ...params)}${search(query)}`, {
    body: route.method === 'POST' ? (route.takes === 'input' ? content : {}) : undefined,
    options: { timeoutMs: patienceFor(route, content), ...options },
    headers: key === undefined ? {} : { 'idempotency-key': key },
  });
}

interface RouteContent {
  readonly wait_ms?: number | string | undefined;
  readonly as?: string | undefined;
}

function patienceFor({ timeoutMs = defaultTimeoutMs }: ClientRoute, { wait_ms }: RouteContent) {
  return timeoutMs + Number(wait_ms ?? 0);
}

/** The path of a route with its parameters in their places. */
export function pathOf({ path }: Pick<ClientRoute, 'path'>, ...params: readonly string[]): string {
  const left = [...params];
  return path.replaceAll(/\{\w+\}/g, () =>
    encodeURIComponent(must(left.shift(), 'A parameter of a path')),
  );
}

interface CallContent {
  readonly body?: unknown;
  readonly options?: CallOptions | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Sends bytes, as they come. */
export function uploadTo<T>(
  deps: ClientDeps,
  route: ClientRoute,
  {
    params = [],
    query = {},
    ...content
  }: Omit<CallContent, 'body'> & {
    readonly stream: AsyncIterable<Uint8Array>;
    readonly params?: readonly string[];
    readonly query?: object;
  },
): Promise<T> {
  const path = `${pathOf(route, ...params)}${search(query)}`;
  const options = { timeoutMs: route.timeoutMs, ...content.options };
  return exchange(deps, 'POST', path, { ...content, options });
}

async function exchange<T>(
  { transport, version }: ClientDeps,
  method: TransportRequest['method'],
  path: string,
  {
    body,
    stream,
    options = {},
    headers = {},
  }: CallContent & { readonly stream?: AsyncIterable<Uint8Array> },
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

/** Bytes, however many: read as they come. */
export async function openBytes(
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

export function openStream(
  deps: ClientDeps,
  path: string,
  {
    after,
    signal,
  }: { readonly after?: number | undefined; readonly signal?: AbortSignal | undefined },
): Promise<TransportAnswer> {
  const headers = after === undefined ? {} : { 'last-event-id': String(after) };
  return streamOf(deps, { method: 'GET', path, headers, signal });
}

export function postStream(
  deps: ClientDeps,
  path: string,
  {
    body,
    headers,
    signal,
  }: {
    readonly body: unknown;
    readonly headers: Readonly<Record<string, string>>;
    readonly signal?: AbortSignal | undefined;
  },
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

export function parseJson(text: string): unknown {
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

export function strangeAnswer(what: string, cause?: unknown): AosError {
  return new AosError('gateway.strange-answer', {
    message: `The daemon's answer cannot be understood: ${what}`,
    fix: 'aos down && aos up --detach',
    cause,
  });
}

export function search(query: object): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  if (given.length === 0) return '';
  return `?${given.map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`).join('&')}`;
}

/** What a daemon that stops, starts or is busy answers: trying again is right. */
const passing: ReadonlySet<ErrorCode> = new Set([
  'daemon.down',
  'daemon.silent',
  'gateway.not-ready',
  'gateway.too-many',
  'ledger.closed',
] as const);

export function isPassing(failure: unknown): boolean {
  return failure instanceof AosError && passing.has(failure.code);
}
