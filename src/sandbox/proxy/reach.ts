/** From what is wanted to a connection to there: permitted, resolved once, checked, dialled. */
import type { Socket } from 'node:net';
import { hostAndPort } from '../../kernel/capability/url-text.ts';
import type { Permit } from '../../security/authorize.ts';
import { checkPlace, permitRequest, within } from '../../security/egress/check-address.ts';
import { dial, plainFailure } from '../../security/egress/dial.ts';
import type { HttpDeed, Place } from '../../security/egress/fetch-deed.ts';
import type { Passage } from './passage.ts';
import { type ProxyDeps, proxyLimits } from './proxy-deps.ts';
import { Refusal } from './refusal.ts';

export interface Reached {
  readonly upstream: Socket;
  /** The most that may flow each way; infinite where no grant says. */
  readonly sizeBytes: number;
}

export async function reach(
  deps: ProxyDeps,
  passage: Passage,
  place: Place,
  deed: HttpDeed,
): Promise<Reached> {
  passage.leadsTo(place);
  const permit = await permitRequest(passage, deed);
  const { clock, resolver } = deps;
  const late = () => tooSlow(place, `could not be reached within ${proxyLimits.reachMs} ms`);
  const limit = { clock, signal: passage.signal, timeoutMs: proxyLimits.reachMs, late };
  return within(limit, async (signal) => {
    try {
      const { addresses, permits } = await checkPlace(resolver, passage, deed, signal);
      const upstream = await dial({ clock }, place, addresses, signal);
      return { upstream, sizeBytes: smallest([permit, ...permits]) };
    } catch (failure) {
      throw signal.aborted ? signal.reason : asRefusal(place, failure);
    }
  });
}

/** What comes from the network as what a client is told; a refusal of ours stays. */
export function asRefusal(place: Place, failure: unknown): Error {
  return failure instanceof Refusal ? failure : plainFailure(place, failure);
}

export function tooSlow(place: Place, why: string): Refusal {
  return new Refusal(504, `${hostAndPort(place)} ${why}`);
}

export function tooLarge(place: Place, limitBytes: number): Refusal {
  return new Refusal(
    413,
    `More than ${limitBytes} bytes, which the grant for ${hostAndPort(place)} does not allow`,
  );
}

function smallest(permits: readonly Permit[]): number {
  return Math.min(...permits.map(({ sizeBytes = Number.POSITIVE_INFINITY }) => sizeBytes));
}
