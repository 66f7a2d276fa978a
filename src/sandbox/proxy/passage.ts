/**
 * One use of the network by a sandbox: a request, or a tunnel.
 *
 * W1. It rests on the grants that allowed it. When a link of one is revoked it ends, at once,
 *     whatever flows; also when the time of one is over.
 * W2. What ended it so is on record.
 * W3. Refusals are on record too, but no faster than `proxyLimits.refusals`: a program can ask for
 *     more in a second than a person wants to read.
 */

import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { AosError, httpStatusOf } from '../../kernel/errors.ts';
import type { Clock, Resolver } from '../../kernel/ports.ts';
import { oneLine } from '../../kernel/text/quote.ts';
import { early } from '../../kernel/turns.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { AddressAsker } from '../../security/egress/check-address.ts';
import type { FetchPlace, HttpAction } from '../../security/egress/fetch-action.ts';
import type { Grants } from '../../security/grants/grants.ts';
import type { HeldGrant } from '../../security/grants/shelf.ts';
import {
  longestRunMs,
  type Permit,
  permitOf,
  permitUse,
  wouldPermit,
} from '../../security/permit.ts';

/** What all passages of one sandbox have in common. */
export interface PassageOwner {
  readonly principal: string;
  /** W3 */
  mayRecordRefusal(): boolean;
  /** Does work that outlives the passage, such as its last event. */
  afterwards(work: Promise<void>): void;
}

export class Passage implements AddressAsker, Disposable {
  readonly principal: string;
  readonly #deps: ProxyDeps;
  readonly #owner: PassageOwner;
  readonly #controller = new AbortController();
  /** Aborts when it is over: no deadline is waited for any more. */
  readonly #over = new AbortController();
  readonly #grants: HeldGrant[] = [];
  #place: FetchPlace | undefined;

  constructor(deps: ProxyDeps, owner: PassageOwner) {
    this.#deps = deps;
    this.#owner = owner;
    this.principal = owner.principal;
  }

  /** Where it leads, for the event. */
  leadsTo(place: FetchPlace): void {
    this.#place = place;
  }

  /** The reason is a Refusal or an AosError. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  async permit(action: HttpAction): Promise<Permit> {
    this.signal.throwIfAborted();
    const request = { principal: this.principal, action };
    // W3: a look, which writes nothing.
    const { grants, ledger } = this.#deps;
    const isPermitted = await wouldPermit(grants, ledger.committed, request);
    if (!isPermitted && !this.#owner.mayRecordRefusal()) throw tooManyRefusals();
    const grant = await permitUse(this.#deps, request, { via: 'sandbox' });
    if (grant !== undefined) this.#restOn(grant);
    this.signal.throwIfAborted();
    return permitOf(grant);
  }

  /** Nothing happens when it has ended already. */
  end(why: Error): void {
    this.#controller.abort(why);
  }

  /** W1 */
  endIfRevoked(): void {
    for (const { links } of this.#grants) {
      // The uppermost: those below were revoked with it.
      const revoked = links.findLast((link) => link.revoked);
      if (revoked !== undefined) this.#endOnRecord('revoked', revoked.id, revokedError(revoked.id));
    }
  }

  [Symbol.dispose](): void {
    this.#over.abort(early);
  }

  #restOn(grant: HeldGrant): void {
    this.#grants.push(grant);
    // It may have been revoked between the decision and this moment.
    this.endIfRevoked();
    const { clock } = this.#deps;
    const longestMs = longestRunMs([grant], clock.now());
    if (longestMs === undefined) return;
    clock.sleep(longestMs, this.#over.signal).then(
      () => this.#endOnRecord('time-over', grant.id, timeOver(grant.id)),
      () => {
        // It was over before.
      },
    );
  }

  #endOnRecord(why: 'revoked' | 'time-over', grant: string, reason: Error): void {
    if (this.signal.aborted || this.#over.signal.aborted) return;
    this.end(reason);
    this.#owner.afterwards(this.#recordEnd(why, grant));
  }

  /** W2 */
  async #recordEnd(why: 'revoked' | 'time-over', grant: string): Promise<void> {
    const { host, port } = this.#place ?? {};
    const data = { host, port, why, grant };
    await this.#deps.ledger.transact((tx) =>
      tx.record({
        ...{ actor: 'system', kind: 'sandbox.connection-closed' },
        ...{ subject: this.principal, data },
      }),
    );
  }
}

function revokedError(grant: string): AosError {
  return new AosError('capability.revoked', {
    message: `Grant ${grant.slice(0, 16)} was revoked, so the connection was ended`,
    fix: 'Ask the owner, then try again',
    details: { grant },
  });
}

function timeOver(grant: string): ProxyRefusal {
  const name = grant.slice(0, 16);
  return new ProxyRefusal(504, `The time is over for which grant ${name} allows this connection`);
}

function tooManyRefusals(): ProxyRefusal {
  return new ProxyRefusal(429, 'Too much was refused within a second\nAsk for less at a time');
}

export interface ProxyDeps {
  readonly clock: Clock;
  readonly resolver: Resolver;
  readonly ledger: Pick<Ledger, 'transact' | 'committed'>;
  readonly grants: Grants;
  readonly log: { error(facts: object, words: string): void };
}

/** Of one sandbox. */
export const proxyLimits = {
  /** At once; the next is closed unread. */
  connections: 64,
  /** Until the whole head of a request is there; also between one answer and the next request. */
  headMs: 10_000,
  headBytes: 16 * 1024,
  /** For the name and the connection, over all addresses. */
  reachMs: 30_000,
  /** From the last byte of the request on. */
  answerHeadMs: 60_000,
  answerHeadBytes: 32 * 1024,
  /** Without a byte either way. */
  idleMs: 5 * 60_000,
  requests: { perSecond: 100, burst: 400 },
  /** Those that are on record. */
  refusals: { perSecond: 20, burst: 20 },
} as const;

/**
 * What the proxy answers instead of doing what it was asked: a status, and a sentence for the
 * program in the sandbox.
 */
export class ProxyRefusal extends Error {
  readonly status: number;

  constructor(status: number, sentence: string) {
    super(sentence);
    this.status = status;
  }
}

/** The answer is that of another server, not ours: a gateway's statuses. */
const asGateway: ReadonlySet<string> = new Set(['http.unreachable', 'http.bad-answer']);

/** Undefined for a failure that was not planned for. */
export function refusalOf(failure: unknown): ProxyRefusal | undefined {
  if (failure instanceof ProxyRefusal) return failure;
  if (!(failure instanceof AosError)) return undefined;
  const { code, message, fix } = failure;
  const status = asGateway.has(code) ? 502 : (httpStatusOf(code) ?? 500);
  return new ProxyRefusal(status, fix === undefined ? message : `${message}\n${fix}`);
}

export function refuse(response: ServerResponse, { status, message }: ProxyRefusal): void {
  const body = bodyOf(message);
  response.writeHead(status, headersOf(body));
  response.end(body);
}

/** On a connection that no server holds any more. */
export function refuseRaw(socket: Socket, { status, message }: ProxyRefusal): void {
  const body = bodyOf(message);
  const headers = Object.entries({ ...headersOf(body), connection: 'close' });
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Refused'}\r\n${lines}\r\n`);
  socket.write(body);
  socket.destroySoon();
}

function bodyOf(message: string): Buffer {
  return Buffer.from(`${message.split('\n').map(oneLine).join('\n')}\n`);
}

function headersOf(body: Buffer): Record<string, string> {
  return {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': String(body.length),
  };
}
