/**
 * One use of the network by a sandbox: a request, or a tunnel.
 *
 * W1. It rests on the grants that allowed it. When a link of one is revoked it ends, at once,
 *     whatever flows; also when the time of one is over.
 * W2. What ended it so is on record.
 * W3. Refusals are on record too, but no faster than `proxyLimits.refusals`: a program can
 *     ask for more in a second than anybody wants to read.
 */

import { AosError } from '../../kernel/errors.ts';
import { early } from '../../kernel/turns.ts';
import {
  longestRunMs,
  type Permit,
  permitOf,
  permitUse,
  wouldPermit,
} from '../../security/authorize.ts';
import type { Asker } from '../../security/egress/check-address.ts';
import type { HttpDeed, Place } from '../../security/egress/fetch-deed.ts';
import type { HeldGrant } from '../../security/grants/held-grant.ts';
import type { ProxyDeps } from './proxy-deps.ts';
import { Refusal } from './refusal.ts';

/** What all passages of one sandbox have in common. */
export interface PassageOwner {
  readonly principal: string;
  /** W3 */
  mayRecordRefusal(): boolean;
  /** Does work that outlives the passage, such as its last event. */
  afterwards(work: Promise<void>): void;
}

export class Passage implements Asker, Disposable {
  readonly principal: string;
  readonly #deps: ProxyDeps;
  readonly #owner: PassageOwner;
  readonly #controller = new AbortController();
  /** Aborts when it is over: no deadline is waited for any more. */
  readonly #over = new AbortController();
  readonly #grants: HeldGrant[] = [];
  #place: Place | undefined;

  constructor(deps: ProxyDeps, owner: PassageOwner) {
    this.#deps = deps;
    this.#owner = owner;
    this.principal = owner.principal;
  }

  /** Where it leads, for the event. */
  leadsTo(place: Place): void {
    this.#place = place;
  }

  /** The reason is a Refusal or an AosError. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  async permit(deed: HttpDeed): Promise<Permit> {
    this.signal.throwIfAborted();
    const wish = { principal: this.principal, deed };
    // W3. A look, which writes nothing.
    const { grants, ledger } = this.#deps;
    const isPermitted = await wouldPermit(grants, ledger.committed, wish);
    if (!isPermitted && !this.#owner.mayRecordRefusal()) throw tooManyRefusals();
    const decision = await permitUse(this.#deps, wish, { via: 'sandbox' });
    if (decision.kind === 'denied') throw decision.error;
    if (decision.grant !== undefined) this.#restOn(decision.grant);
    this.signal.throwIfAborted();
    return permitOf(decision.grant);
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

function timeOver(grant: string): Refusal {
  const name = grant.slice(0, 16);
  return new Refusal(504, `The time is over for which grant ${name} allows this connection`);
}

function tooManyRefusals(): Refusal {
  return new Refusal(429, 'Too much was refused within a second\nAsk for less at a time');
}
