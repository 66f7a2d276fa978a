/** The way of every request to its route: its version, who it is, how often, whether it may. */
import type { IncomingHttpHeaders } from 'node:http';
import { AosError } from '../../kernel/errors.ts';
import type { Clock } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import type { Verb } from '../../verbs/verb.ts';
import { type Authenticator, type Caller, owner } from './authenticate.ts';
import type { Door } from './connections.ts';
import type { ArrivedRequest, SignedCall, SignedCallers } from './signed-callers.ts';
import { Throttle, type ThrottleRate, tooMany } from './throttle.ts';

export interface AdmitDeps {
  readonly authenticator: Authenticator;
  readonly signed: SignedCallers;
  readonly clock: Clock;
  readonly version: string;
  readonly rate: ThrottleRate;
  /** Told of every caller that may call. */
  readonly heardFrom?: (name: string) => void;
}

export type Admission = Pick<Verb, 'who' | 'anyVersion' | 'streams' | 'legacySignature'>;

export class Admittance {
  readonly #deps: AdmitDeps;
  readonly #requests: Throttle;
  readonly #failures: Throttle;

  constructor(deps: AdmitDeps) {
    this.#deps = deps;
    this.#requests = new Throttle(deps.clock, deps.rate);
    this.#failures = new Throttle(deps.clock, deps.rate);
  }

  /** Who may go on, at once when that is known; throws when the caller may not. */
  admit(door: Door, headers: IncomingHttpHeaders, route: Admission): Caller | Promise<Caller> {
    const client = headers['x-aos-client'];
    if (client !== undefined && client !== this.#deps.version && route.anyVersion !== true) {
      checkVersion(String(client), this.#deps.version);
    }
    // An open route answers every caller alike, so who it is does not matter.
    if (route.who === 'open' || door.kind === 'owner') return owner;
    try {
      const caller = this.#deps.authenticator.identify(door, headers);
      if (!(caller instanceof Promise)) return this.#pass(caller, route);
      return caller.then(
        (found) => this.#pass(found, route),
        (failure: unknown) => this.#refuse(door, failure),
      );
    } catch (failure) {
      return this.#refuse(door, failure);
    }
  }

  /** Whether a connection that is open may go on; throws when it may not. */
  recheck(door: Door, headers: IncomingHttpHeaders): Caller | Promise<Caller> {
    return this.#deps.authenticator.identify(door, headers);
  }

  /** One more of what this caller does over a connection that is open already. */
  again(caller: Caller): void {
    const waitMs = this.#requests.take(caller.id);
    if (waitMs > 0) throw tooMany(waitMs);
    if (caller.kind === 'agent') this.#deps.heardFrom?.(caller.name);
  }

  /** One that is signed: what there is to see before its body comes. Throws when it is not good. */
  async beginSigned(door: Door, request: ArrivedRequest): Promise<SignedCall> {
    try {
      return await this.#deps.signed.begin(door, request);
    } catch (failure) {
      return this.#refuse(door, failure);
    }
  }

  /** Like admit(), for a signed request whose body has come. */
  async endSigned(door: Door, call: SignedCall, route: Admission): Promise<Caller> {
    let caller: Caller;
    try {
      caller = await this.#deps.signed.end(call);
    } catch (failure) {
      return this.#refuse(door, failure);
    }
    return this.#pass(caller, route);
  }

  /** A caller that signed the name of an operation and nothing else, where that is allowed. */
  async legacy(
    door: Door,
    signed: { readonly operation: string; readonly signature: string },
    route: Admission,
  ): Promise<Caller> {
    let caller: Caller;
    try {
      caller = await this.#deps.signed.legacy(signed);
    } catch (failure) {
      return this.#refuse(door, failure);
    }
    return this.#pass(caller, route);
  }

  #pass(caller: Caller, { who }: Admission): Caller {
    this.again(caller);
    if (who === 'owner' && caller.kind !== 'owner') throw ownerOnly(caller);
    if (who === 'any' && caller.kind === 'grantee') throw notForOutsiders(caller);
    return caller;
  }

  // Over TCP every user of the machine can try; all of them share one bucket.
  #refuse(door: Door, failure: unknown): never {
    const waitMs = door.kind === 'tcp' ? this.#failures.take('tcp') : 0;
    throw waitMs > 0 ? tooMany(waitMs) : failure;
  }
}

function ownerOnly(caller: Caller): AosError {
  return new AosError('gateway.owner-only', {
    message: `Only the owner may do this, and ${quote(caller.id)} is not`,
    fix: "Use the owner's socket or handle",
    details: caller.kind === 'agent' ? { agent: caller.name } : undefined,
  });
}

function notForOutsiders(caller: Caller): AosError {
  return new AosError('gateway.owner-only', {
    message: `Only the owner and agents of this home may do this, and ${quote(caller.id)} is neither`,
    fix: 'Outsiders have /api/v1/operations, and what is said of it at /docs',
  });
}

function checkVersion(client: string, daemon: string): void {
  const [ours, theirs] = [releaseOf(daemon), releaseOf(client)];
  if (ours === theirs) return;
  const clientIsOlder = theirs !== undefined && ours !== undefined && theirs < ours;
  const older = clientIsOlder ? 'the client is the older one' : 'the daemon is the older one';
  throw new AosError('gateway.version', {
    message:
      theirs === undefined
        ? `The client says that its version is ${quote(client.slice(0, 50))}, which is none`
        : `The client is ${client} and the daemon is ${daemon}: ${older}`,
    fix: clientIsOlder
      ? `Start the client again as version ${daemon}`
      : 'aos down && aos up --detach',
    details: { client: client.slice(0, 50), daemon },
  });
}

const minorsPerMajor = 1_000_000;

/** What must be equal for two to understand each other: the major, and before 1.0 the minor. */
function releaseOf(version: string): number | undefined {
  const parts = /^(\d{1,6})\.(\d{1,6})\.\d{1,6}(?:[-+][\w.+-]{0,40})?$/.exec(version);
  if (parts === null) return undefined;
  const [major, minor] = [Number(parts[1]), Number(parts[2])];
  return major === 0 ? minor : major * minorsPerMajor;
}
