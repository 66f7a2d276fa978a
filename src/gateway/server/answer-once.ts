/** Requests with an `Idempotency-Key`, between the framework and what keeps their answers. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { httpStatusOf } from '../../kernel/errors.ts';
import type { Verb } from '../../verbs/verb.ts';
import type { Caller } from './authenticate.ts';
import { type Idempotency, idempotencyKey, type KeyedOutcome, noContent } from './idempotency.ts';
import { badRequest, knownFailure, problemOf, problemType } from './problem.ts';

export interface KeyedCall {
  readonly caller: Caller;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Whether the gateway itself looks at keys there. */
export function takesKeys({ method, ownKey }: Pick<Verb, 'method' | 'ownKey'>): boolean {
  return method !== 'GET' && ownKey !== true;
}

export async function answerOnce(
  idempotency: Idempotency,
  route: Pick<Verb, 'streams' | 'secretAnswer'>,
  call: KeyedCall,
  handle: () => unknown,
): Promise<unknown> {
  const { caller, request, reply } = call;
  const key = idempotencyKey(request.headers);
  if (route.streams === true) throw noKeyForStreams();
  if (key === undefined) return handle();
  const { method, url, body } = request;
  const keyed = { principal: caller.id, key, method, url, body };
  const { kind, outcome } = await idempotency.once(keyed, () => outcomeOf(route, call, handle));
  if (kind === 'done') {
    if ('failure' in outcome) throw outcome.failure;
    return outcome.made;
  }
  const { status, answer } = outcome;
  void reply.code(status).header('idempotency-replayed', 'true');
  if (answer !== null) void reply.type(status < 400 ? jsonType : problemType);
  return reply.send(answer ?? undefined);
}

const jsonType = 'application/json; charset=utf-8';

type Ended = KeyedOutcome & ({ readonly made: unknown } | { readonly failure: unknown });

/** Throws what is not to be kept. */
async function outcomeOf(
  { secretAnswer }: Pick<Verb, 'secretAnswer'>,
  { reply }: KeyedCall,
  handle: () => unknown,
): Promise<Ended> {
  try {
    const made = await handle();
    const { statusCode: status } = reply;
    // What took the reply over has told its answer to the caller alone.
    const isKept = secretAnswer !== true && status !== noContent && made !== reply;
    return { status, answer: isKept ? JSON.stringify(made) : null, made };
  } catch (failure) {
    const known = knownFailure(failure);
    const status = known && httpStatusOf(known.code);
    if (known === undefined || status === undefined || isPassing(status)) throw failure;
    return { status, answer: JSON.stringify(problemOf(known)), failure };
  }
}

/** The same request may do better another time. */
function isPassing(status: number): boolean {
  return status >= 500 || status === 429;
}

function noKeyForStreams() {
  return badRequest(
    'A request whose body is a stream takes no Idempotency-Key',
    'Leave the key out: the same bytes are stored once, however often they come',
  );
}
