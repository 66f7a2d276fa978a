/**
 * Where a request may go.
 *
 * A1. The name is held against the grants before a resolver is asked for its address.
 * A2. It is asked for once, and what was checked is what is dialled.
 * A3. An address that is not public needs a grant that names it, with no star in its place:
 *     a name can lead anywhere, whatever host it belongs to.
 */

import { printAction } from '../../kernel/capability/action-text.ts';
import {
  isLoopbackAddress,
  isPublicAddress,
  parseIpv4,
  parseIpv6,
  printIpv6,
} from '../../kernel/capability/host-text.ts';
import { AosError } from '../../kernel/errors.ts';
import type { Clock, Resolver } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import type { Permit } from '../permit.ts';
import { type HttpAction, isLocalName, literalAddress } from './fetch-action.ts';

/** Who wants to reach something, and how they are permitted to. */
export interface AddressAsker {
  /** `owner` or `agent:NAME`. */
  readonly principal: string;
  /** Throws `capability.denied`. */
  permit(action: HttpAction): Promise<Permit>;
}

/** A1. Throws `capability.denied` and `http.private-address`. */
export async function permitRequest(asker: AddressAsker, action: HttpAction): Promise<Permit> {
  if (action.mustNameHost !== true) return asker.permit(action);
  return permitPrivate(asker, action, action.host);
}

export interface CheckedPlace {
  /** In the order in which to try them. */
  readonly addresses: readonly string[];
  /** For each that is not public. */
  readonly permits: readonly Permit[];
}

/** A2, A3. Throws `http.private-address`. */
export async function checkPlace(
  resolver: Resolver,
  asker: AddressAsker,
  action: HttpAction,
  signal: AbortSignal,
): Promise<CheckedPlace> {
  const { host } = action;
  const literal = literalAddress(host);
  // The action of a literal said already that a grant has to name it.
  if (literal !== undefined) return { addresses: [literal], permits: [] };
  const addresses = [...new Set(await untilAborted(resolver.resolve(host), signal))];
  if (addresses.length === 0) throw noAddress(host);
  const permits: Permit[] = [];
  for (const address of addresses) {
    if (isPublicAddress(address)) continue;
    if (isLocalName(host) && isLoopbackAddress(address)) continue;
    const there = { ...action, host: asHost(host, address), mustNameHost: true };
    permits.push(await permitPrivate(asker, there, host));
  }
  return { addresses, permits };
}

function asHost(host: string, address: string): string {
  if (parseIpv4(address) !== undefined) return address;
  const groups = parseIpv6(address);
  if (groups !== undefined) return `[${printIpv6(groups)}]`;
  // One that holds only on one of this machine's networks, say. No grant can name it.
  throw privateAddress(host, address);
}

async function permitPrivate(
  asker: AddressAsker,
  action: HttpAction,
  host: string,
): Promise<Permit> {
  try {
    return await asker.permit(action);
  } catch (failure) {
    if (!(failure instanceof AosError) || !isMissing(failure)) throw failure;
    throw privateAddress(
      host,
      action.host,
      `aos cap grant ${principalNameOf(asker)} "${widened(action)}"`,
    );
  }
}

/** And not, say, that the caller is paused, so that no grant would help. */
function isMissing({ code, details }: AosError): boolean {
  if (code !== 'capability.denied') return false;
  const why = typeof details === 'object' && details !== null && 'why' in details && details.why;
  return why !== 'paused' && why !== 'terminated' && why !== 'asks';
}

/** Every path of the place: an owner who trusts the address rarely means one page of it. */
function widened(action: HttpAction): string {
  return printAction({ ...action, everyPath: true });
}

function principalNameOf({ principal }: AddressAsker): string {
  return principal.replace(/^agent:/, '');
}

function privateAddress(host: string, address: string, fix?: string): AosError {
  const leads = host === address ? `${quote(host)} is` : `${quote(host)} leads to ${address},`;
  return new AosError('http.private-address', {
    message: `${leads} an address of this machine or its network, which a grant has to name`,
    fix,
    details: { host, address },
  });
}

function noAddress(host: string): AosError {
  return new AosError('http.unreachable', {
    message: `The host ${quote(host)} has no address`,
    fix: 'Check how the name is written',
  });
}

// Waits that end early.

interface TimeLimit {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Undefined: as long as the signal lets it. */
  readonly timeoutMs: number | undefined;
  late(): Error;
}

/** Does work whose signal aborts at the given one, or with `late()` when the time is over. */
export async function within<T>(
  { clock, signal, timeoutMs, late }: TimeLimit,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (timeoutMs === undefined) return work(signal);
  const done = new AbortController();
  const timer = new AbortController();
  clock.sleep(timeoutMs, done.signal).then(
    () => timer.abort(late()),
    () => {
      // The work was done first.
    },
  );
  try {
    return await work(AbortSignal.any([signal, timer.signal]));
  } finally {
    done.abort();
  }
}

/** For what cannot be stopped: its outcome is no longer waited for. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    // Whichever of the two lost must not be an unhandled rejection.
    work.catch(() => undefined);
    aborted.catch(() => undefined);
  }
}
