/**
 * http.fetch: one request, and those to which its answer sends on.
 *
 * F1. Each of them is permitted, resolved, checked and dialled by itself (check-address.ts).
 * F2. Secrets are put in last, for the place that was dialled (secret-headers.ts), and all
 *     that comes back is scrubbed before the caller sees it.
 * F3. The connection ends with the call: when it returns, fails, or is aborted.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { printRequestUrl } from '../../kernel/capability/url-text.ts';
import { AosError } from '../../kernel/errors.ts';
import { checkPlace, permitRequest, within } from '../../security/egress/check-address.ts';
import { dial, plainFailure, tooLarge, unreachable } from '../../security/egress/dial.ts';
import type { Permit } from '../../security/permit.ts';
import { type Tool, type ToolCall, toolOf } from '../../tools/tool.ts';
import {
  actionFor,
  type FetchArgs,
  fetchVerb,
  type OutgoingRequest,
  outgoingOf,
} from '../../verbs/http.ts';
import { actionOnFile } from '../../verbs/verb.ts';
import { type WrittenFile, writeFileWithin } from '../file/write.ts';
import { allOf, collect, readBody } from './answer-body.ts';
import { exchange } from './exchange.ts';
import type { HttpDeps, HttpScrubber } from './http-deps.ts';
import { nextRequest } from './redirect.ts';
import { headOf, resultOf } from './result.ts';
import { fillHeaders } from './secret-headers.ts';

export function httpFetch(deps: HttpDeps): Tool {
  return toolOf(fetchVerb, deps.files, { run: (args, call) => run(deps, args, call) });
}

async function run(deps: HttpDeps, args: FetchArgs, call: ToolCall): Promise<unknown> {
  const { clock, secrets } = deps;
  const outgoing = outgoingOf(args);
  const late = () =>
    unreachable(
      outgoing.url,
      `has not answered in full within ${args.timeout_ms} ms`,
      'Ask with a higher timeout_ms',
    );
  const limit = { clock, signal: call.signal, timeoutMs: args.timeout_ms, late };
  try {
    return await within(limit, (signal) => follow({ deps, args, call, signal }, outgoing));
  } catch (failure) {
    throw scrubbed(secrets.scrubber, failure);
  }
}

interface Running {
  readonly deps: HttpDeps;
  readonly args: FetchArgs;
  readonly call: ToolCall;
  /** Aborts with the call's, or when the caller's own time is over. */
  readonly signal: AbortSignal;
}

/** F1 */
async function follow(running: Running, first: OutgoingRequest): Promise<unknown> {
  const { args, call } = running;
  const { scrubber } = running.deps.secrets;
  const redirects: string[] = [];
  let outgoing = first;
  let permit = call.permits[0] ?? (await permitRequest(call, actionFor(first)));
  for (;;) {
    const hop = await ask(running, outgoing, permit);
    try {
      const next = args.max_redirects === 0 ? undefined : nextRequest(scrubber, hop, hop.answer);
      if (next === undefined) return await finish(running, hop, redirects);
      if (redirects.length === args.max_redirects) throw tooManyRedirects(args.max_redirects);
      permit = await permitRequest(call, actionFor(next));
      redirects.push(printRequestUrl(next.url));
      outgoing = next;
    } finally {
      // F3
      hop.socket.destroy();
    }
  }
}

interface Hop {
  readonly outgoing: OutgoingRequest;
  readonly answer: IncomingMessage;
  readonly socket: Socket;
  readonly secret: ReadonlySet<string>;
  /** The most bytes that a grant lets this request have; infinite where none says. */
  readonly sizeBytes: number;
}

async function ask(
  { deps, call, signal }: Running,
  outgoing: OutgoingRequest,
  permit: Permit,
): Promise<Hop> {
  const place = await checkPlace(deps.resolver, call, actionFor(outgoing), signal);
  const sizeBytes = smallest([permit, ...place.permits]);
  if ((outgoing.body?.length ?? 0) > sizeBytes) {
    throw tooLarge(outgoing.url, 'The body for', sizeBytes);
  }
  // F2
  const { headers, secret } = await fillHeaders(deps.secrets, call, outgoing, place.addresses);
  try {
    const socket = await dial(deps, outgoing.url, place.addresses, signal);
    const answer = await exchange(socket, { ...outgoing, headers }, signal);
    return { outgoing, answer, socket, secret, sizeBytes };
  } catch (failure) {
    throw signal.aborted ? signal.reason : plainFailure(outgoing.url, failure);
  }
}

function smallest(permits: readonly Permit[]): number {
  return Math.min(...permits.map(({ sizeBytes = Number.POSITIVE_INFINITY }) => sizeBytes));
}

async function finish(running: Running, hop: Hop, redirects: readonly string[]): Promise<unknown> {
  const { deps, args, call, signal } = running;
  const { answer, outgoing, sizeBytes } = hop;
  const { url } = outgoing;
  const { scrubber } = deps.secrets;
  const head = headOf(scrubber, answer, printRequestUrl(url), redirects);
  const body = readBody(scrubber, { url, answer, signal });
  // What went wrong is told, and not put in the place of what was wanted.
  if (args.save_to !== undefined && head.status >= 200 && head.status < 300) {
    const saved = await save(running, args.save_to, hop, body);
    return { ...head, saved_to: saved.path, bytes: saved.bytes };
  }
  const limitBytes = Math.min(args.max_bytes ?? call.outputBytes, call.outputBytes, sizeBytes);
  return resultOf(head, await collect(body, limitBytes), call.outputBytes);
}

const savedBytes = 100 * 1024 * 1024;

async function save(
  { deps: { files }, args, call }: Running,
  path: string,
  { outgoing: { url }, answer, sizeBytes }: Hop,
  body: AsyncIterable<Uint8Array>,
): Promise<WrittenFile> {
  const limitBytes = Math.min(args.max_bytes ?? savedBytes, sizeBytes);
  // Before anything is written, where it is told; packed it would only be longer.
  if (Number(answer.headers['content-length'] ?? 0) > limitBytes) {
    throw tooLarge(url, 'The answer of', limitBytes);
  }
  const permit = call.permits[1] ?? (await call.permit(actionOnFile(files.home, path, 'write')));
  const file = { path, ifExists: args.if_exists, permit };
  return writeFileWithin(files, call, file, allOf(url, body, limitBytes));
}

function tooManyRedirects(most: number): AosError {
  return new AosError('http.too-many-redirects', {
    message: `The answer sends on for more than ${most} times`,
    fix: 'Ask for the last address itself, or raise max_redirects',
  });
}

/** F2. Words of ours rarely quote the answer, but those of a redirect do. */
function scrubbed(scrubber: HttpScrubber, failure: unknown): unknown {
  if (!(failure instanceof AosError)) return failure;
  const message = scrubber.scrubText(failure.message);
  if (message === failure.message) return failure;
  const { code, details } = failure;
  return new AosError(code, { message, details });
}
