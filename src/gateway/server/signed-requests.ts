/**
 * The way of a signed request to its route: who it is and what was signed before its body comes,
 * its body as it comes, and that it has not come before. Of others only that they are none costs
 * anything, and of those without a body not even that.
 */
import type { FastifyReply, FastifyRequest, RequestPayload } from 'fastify';
import { AosError } from '../../kernel/errors.ts';
import type { Verb } from '../../verbs/verb.ts';
import type { Admission, Admittance } from './admit.ts';
import type { Caller } from './authenticate.ts';
import { doorOf } from './connections.ts';
import { badRequest } from './problem.ts';
import type { Refusals } from './refusals.ts';
import { isSigned, signedOther } from './signed-callers.ts';

type Done = (error?: Error) => void;

interface SignedDeps {
  readonly admittance: Admittance;
  readonly refusals: Refusals;
}

export type SignedRoute = Admission & Partial<Pick<Verb, 'method'>>;

/** Undefined when it is not signed; and resolves to it while its body is still to come. */
export function beginSigned(
  admittance: Admittance,
  request: FastifyRequest,
  route: SignedRoute,
): Promise<Caller | undefined> | undefined {
  const { authorization, host = '' } = request.headers;
  const door = doorOf(request.raw.socket);
  if (door.kind !== 'tcp' || route.who === 'open' || !isSigned(authorization)) return undefined;
  if (route.streams === true) throw notSigned();
  const { method = '', url = '' } = request.raw;
  return admittance.beginSigned(door, { method, url, host, authorization }).then((signed) => {
    request.signed = signed;
    return route.method === 'GET' ? admittance.endSigned(door, signed, route) : undefined;
  });
}

/** Bytes of any number are hashed while they are stored, which is too late to refuse them. */
function notSigned(): AosError {
  return badRequest('Bytes that are streamed are not signed', 'Use a handle: POST /api/v1/tokens');
}

/** What a route with a body needs besides. */
export function signedHooks(deps: SignedDeps, route: SignedRoute) {
  if (route.method === 'GET') return {};
  return { preParsing: hashBody, preValidation: endSigned(deps, route) };
}

/** What was signed is the body as it comes, before it is parsed. */
function hashBody(
  { signed }: FastifyRequest,
  _reply: FastifyReply,
  payload: RequestPayload,
  done: (error: Error | null, payload?: RequestPayload) => void,
): void {
  if (signed !== undefined) payload.on('data', (bytes: Buffer) => signed.body.update(bytes));
  done(null, payload);
}

function endSigned({ admittance, refusals }: SignedDeps, route: SignedRoute) {
  return (request: FastifyRequest, _reply: FastifyReply, done: Done): void => {
    const { signed, raw } = request;
    if (signed === undefined) {
      done();
      return;
    }
    const door = doorOf(raw.socket);
    admittance.endSigned(door, signed, route).then(
      (caller) => {
        request.caller = caller;
        done();
      },
      (failure: unknown) => {
        if (failure instanceof AosError) refusals.add(door, failure);
        done(failure instanceof Error ? failure : new Error(String(failure)));
      },
    );
  };
}

/** Undefined where it is not tried. */
export function legacyCaller(
  admittance: Admittance,
  request: FastifyRequest,
  route: Admission,
): Promise<Caller> | undefined {
  if (route.legacySignature !== true) return undefined;
  const { signature, authorization } = request.headers;
  const door = doorOf(request.raw.socket);
  if (door.kind !== 'tcp' || authorization !== undefined || typeof signature !== 'string') {
    return undefined;
  }
  // The route has this parameter: the contract says so, and it is checked later.
  const { operation_id: operation = '' } = request.params as { readonly operation_id?: string };
  return admittance.legacy(door, { operation, signature }, route).then((caller) => {
    request.isWeak = true;
    return caller;
  });
}

/** Of a body that made no sense it matters first whether it is the one that was signed. */
export function otherBody({ signed, caller }: FastifyRequest): AosError | undefined {
  return signed !== undefined && caller === undefined ? signedOther(signed) : undefined;
}
