/**
 * A write that comes with an `Idempotency-Key` is done once, however often it comes.
 *
 * I1. The row is on disk before the action, and how it ended before that is answered.
 * I2. In one process no two requests of one key are between the two.
 * I3. What failed by our fault (5xx), or is to come again later (429), frees its key.
 * I4. A row without an end that is not worked on here was left behind: the process died, or its
 *     disk failed. What became of it is not known, so it is never done again by itself.
 * I5. Digests are made with a key that is not in the ledger: bodies may have a passphrase in
 *     them, and a reader of a copy of the ledger must not be able to try some.
 */
import { createHash, createHmac } from 'node:crypto';
import { AosError } from '../../kernel/errors.ts';
import type { Clock } from '../../kernel/ports.ts';
import { canonicalJson, quote } from '../../kernel/text/quote.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import {
  beginRequest,
  countRequestsOf,
  deleteRequestsBefore,
  endRequest,
  findRequest,
  freeRequest,
  type IdempotentRequest,
  type RequestKey,
} from '../../ledger/security/seen-requests.ts';
import type { GatewayLog } from './deps.ts';
import { badRequest } from './problem.ts';

export interface IdempotencyDeps {
  readonly ledger: Pick<Ledger, 'transact' | 'committed'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: GatewayLog;
  readonly epoch: number;
  /** Always the same for the same text: I5. */
  readonly owner: { sign(text: string): string };
}

export interface KeyedRequest extends RequestKey {
  readonly method: string;
  /** As it was sent. */
  readonly url: string;
  /** As JSON was read; undefined where there was none. */
  readonly body: unknown;
}

export interface KeyedOutcome {
  readonly status: number;
  /** JSON; null where there is none, or it must not be kept. */
  readonly answer: string | null;
}

export type Once<T extends KeyedOutcome> =
  | { readonly kind: 'done'; readonly outcome: T }
  | { readonly kind: 'replayed'; readonly outcome: KeyedOutcome };

export const mostKeys = 10_000;
export const longestAnswerBytes = 64 * 1024;
const keptKeysMs = 24 * 3_600_000;
// How often forgetOldKeys() is called.
const sweepMs = 3_600_000;
// One transaction must not hold up those who call.
const batchRows = 200;

/** Keys are good for a day. */
export async function forgetOldKeys({
  ledger,
  clock,
}: Pick<IdempotencyDeps, 'ledger' | 'clock'>): Promise<void> {
  const before = clock.now() - keptKeysMs;
  for (;;) {
    const gone = await ledger.transact((tx) => deleteRequestsBefore(tx, before, batchRows));
    if (gone < batchRows) return;
  }
}

export class Idempotency {
  readonly #deps: IdempotencyDeps;
  /** The digests of what is under way here. */
  readonly #running = new Map<string, string>();
  #digestKey: Uint8Array | undefined;

  constructor(deps: IdempotencyDeps) {
    this.#deps = deps;
  }

  /** Does the work, or tells what came of it before. What the work throws has not happened: I3. */
  async once<T extends KeyedOutcome>(
    request: KeyedRequest,
    work: () => Promise<T>,
  ): Promise<Once<T>> {
    const digest = this.#digestOf(request);
    const place = canonicalJson([request.principal, request.key]);
    this.#refuseRunning(place, digest);
    const known = await findRequest(this.#deps.ledger.committed, request);
    // I2: a request that was let in meanwhile is found here, and nothing is awaited from here on.
    this.#refuseRunning(place, digest);
    if (known !== undefined) return { kind: 'replayed', outcome: outcomeOf(known, digest) };
    this.#running.set(place, digest);
    try {
      await this.#begin(request, digest);
      return { kind: 'done', outcome: await this.#run(request, work) };
    } finally {
      this.#running.delete(place);
    }
  }

  #refuseRunning(place: string, digest: string): void {
    const running = this.#running.get(place);
    if (running !== undefined) throw running === digest ? underWay() : otherRequest();
  }

  async #begin({ principal, key }: RequestKey, digest: string): Promise<void> {
    const { ledger, clock, epoch } = this.#deps;
    const isFull = await ledger.transact(async (tx) => {
      if ((await countRequestsOf(tx, principal)) >= mostKeys) return true;
      const begun = await beginRequest(tx, { principal, key, digest, epoch, at: clock.now() });
      if (!begun) throw new Error('a key was taken by nobody of this process');
      return false;
    });
    if (isFull) throw tooManyKeys(principal);
  }

  async #run<T extends KeyedOutcome>(request: KeyedRequest, work: () => Promise<T>): Promise<T> {
    const { ledger, log } = this.#deps;
    let outcome: T;
    try {
      outcome = await work();
    } catch (failure) {
      await ledger
        .transact((tx) => freeRequest(tx, request))
        // I4. What failed first is what the caller has to hear of.
        .catch((error: unknown) => log.warn({ err: error }, 'a key was not freed'));
      throw failure;
    }
    const { status } = outcome;
    const answer = isShort(outcome.answer) ? outcome.answer : null;
    await ledger.transact((tx) => endRequest(tx, request, { status, answer }));
    return outcome;
  }

  #digestOf(request: Pick<KeyedRequest, 'method' | 'url' | 'body'>): string {
    this.#digestKey ??= digestKeyOf(this.#deps.owner);
    return requestDigest(this.#digestKey, request);
  }
}

/** I5 */
export function digestKeyOf(owner: IdempotencyDeps['owner']): Uint8Array {
  return createHash('sha256').update(owner.sign(digestPurpose)).digest();
}

export function requestDigest(
  key: Uint8Array,
  { method, url, body }: Pick<KeyedRequest, 'method' | 'url' | 'body'>,
): string {
  return createHmac('sha256', key)
    .update(`${method} ${url}\n${bodyText(body)}`)
    .digest('hex');
}

const digestPurpose = 'The key of digests of requests with an Idempotency-Key';

function bodyText(body: unknown): string {
  if (body === undefined) return '';
  try {
    return canonicalJson(body);
  } catch (failure) {
    if (failure instanceof RangeError) throw badRequest('The body is nested too deep');
    throw failure;
  }
}

function isShort(answer: string | null): boolean {
  return answer !== null && Buffer.byteLength(answer) <= longestAnswerBytes;
}

/** The one answer that is whole without a body. */
export const noContent = 204;

function outcomeOf(
  { digest: before, status, answer }: IdempotentRequest,
  digest: string,
): KeyedOutcome {
  if (before !== digest) throw otherRequest();
  if (status === null) throw leftBehind();
  if (answer === null && status !== noContent) throw notKept(status);
  return { status, answer };
}

function otherRequest(): AosError {
  return new AosError('gateway.key-reused', {
    message: 'This Idempotency-Key came before, with another request',
    fix: 'Use a new key for a new request',
    details: { state: 'other-request' },
  });
}

function notKept(status: number): AosError {
  return new AosError('gateway.key-reused', {
    message: `The request with this Idempotency-Key was done already, with status ${status}; its answer is not kept`,
    fix: 'Look at what it has made; use a new key to do it again',
    details: { state: 'done', status },
  });
}

function underWay(): AosError {
  return new AosError('gateway.key-busy', {
    message: 'The request with this Idempotency-Key is still under way',
    fix: 'Send it again in a moment, with the same key',
    details: { state: 'running' },
  });
}

function leftBehind(): AosError {
  return new AosError('gateway.key-busy', {
    message:
      'The request with this Idempotency-Key was under way when the daemon broke off; whether it was done is unknown',
    fix: 'Look whether it was done; use a new key to do it again',
    details: { state: 'unknown' },
  });
}

function tooManyKeys(principal: string): AosError {
  return new AosError('gateway.too-many', {
    message: `${quote(principal)} has used ${mostKeys} Idempotency-Keys within a day, which is as many as may be`,
    fix: 'Send a key only with what must not be done twice',
    details: { retry_after_ms: sweepMs },
  });
}

const lawful = /^[\x20-\x7e]{1,200}$/;

/** The header of that name: the same key of the same caller is the same request. */
export function idempotencyKey(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): string | undefined {
  const header = headers['idempotency-key'];
  if (header === undefined) return undefined;
  if (typeof header === 'string' && lawful.test(header)) return header;
  throw badRequest('An Idempotency-Key has 1 to 200 plain characters');
}
