/** Whether capabilities allow a deed. Who holds them, and how often they were used, is not known here. */
import type { Instant } from '../ports.ts';
import {
  type Capability,
  type Deed,
  type Host,
  implies,
  type NameTarget,
  type PathTarget,
  type Rate,
  rateUnitMs,
  type UrlTarget,
} from './capability.ts';

/** A grant with everything above it, from itself up to the one that was not delegated. */
export interface GrantChain {
  readonly id: string;
  readonly links: readonly GrantLink[];
}

export interface GrantLink {
  readonly id: string;
  readonly capability: Capability;
  readonly revoked: boolean;
}

export type CapabilityVerdict =
  | { readonly kind: 'allowed'; readonly chain: GrantChain }
  /** The grant that comes nearest, to explain the refusal; undefined where nothing is near. */
  | { readonly kind: 'denied'; readonly nearest: NearMiss | undefined };

export interface NearMiss {
  readonly grant: string;
  readonly why: 'action' | 'target' | 'revoked' | 'expired';
}

/** The first chain of which every link allows the deed. */
export function decide(chains: Iterable<GrantChain>, deed: Deed, now: Instant): CapabilityVerdict {
  let nearest: NearMiss | undefined;
  for (const chain of chains) {
    const miss = whyNot(chain, deed, now);
    if (miss === undefined) return { kind: 'allowed', chain };
    if (nearest === undefined || nearness[miss.why] > nearness[nearest.why]) nearest = miss;
  }
  return { kind: 'denied', nearest };
}

const nearness = { target: 0, action: 1, expired: 2, revoked: 3 } as const;

/** Which link does not allow the deed; undefined when every one does. */
export function whyNot(chain: GrantChain, deed: Deed, now: Instant): NearMiss | undefined {
  for (const { id, capability, revoked } of chain.links) {
    const why = missOfLink(capability, revoked, deed, now);
    if (why !== undefined) return { grant: id, why };
  }
  return undefined;
}

function missOfLink(
  capability: Capability,
  revoked: boolean,
  deed: Deed,
  now: Instant,
): NearMiss['why'] | undefined {
  if (!coversTarget(capability, deed)) return 'target';
  if (!coversAction(capability, deed)) return 'action';
  const { expires } = capability.constraints;
  if (expires !== undefined && expires <= now) return 'expired';
  return revoked ? 'revoked' : undefined;
}

/** Whether the capability by itself, its time aside, allows the deed. */
export function covers(capability: Capability, deed: Deed): boolean {
  return coversTarget(capability, deed) && coversAction(capability, deed);
}

function coversAction({ resource, actions }: Capability, { action }: Deed): boolean {
  return actions.some((held) => implies(resource, held, action));
}

function coversTarget({ resource, target, constraints }: Capability, deed: Deed): boolean {
  if (resource !== deed.resource) return false;
  if (deed.resource === 'shell' && constraints.allowlist?.includes(deed.name) === false) {
    return false;
  }
  if (target.kind === 'any') return !hasToBeNamed(deed);
  if (deed.resource === 'http') return target.kind === 'url' && coversUrl(target, deed);
  if ('path' in deed) return target.kind === 'path' && coversPath(target, deed);
  return target.kind !== 'path' && target.kind !== 'url' && coversName(target, deed.name);
}

/** Whether there is a part of it for which no star stands. */
export function hasToBeNamed(deed: Deed): boolean {
  return 'mustName' in deed && (deed.mustName?.length ?? 0) > 0;
}

/** Whether the target by itself covers the path, with what has to be named. */
export function coversPath(
  { segments, subtree }: PathTarget,
  { path, ...deed }: Extract<Deed, { resource: 'file' | 'memory' }>,
): boolean {
  if (subtree ? path.length < segments.length : path.length !== segments.length) return false;
  if (deed.subtree === true && !subtree) return false;
  const isNamed = (index: number) => (segments[index] ?? 'any') !== 'any';
  if (deed.mustName?.every(isNamed) === false) return false;
  return segments.every((segment, index) => segment === 'any' || segment.name === path[index]);
}

function coversUrl(
  { host, port, segments, below }: UrlTarget,
  deed: Extract<Deed, { resource: 'http' }>,
): boolean {
  if (port !== deed.port || !coversHost(host, deed.host)) return false;
  if (deed.mustNameHost === true && host.kind !== 'exact') return false;
  if (deed.everyPath === true) return below && segments.length === 0;
  if (below ? deed.path.length < segments.length : deed.path.length !== segments.length) {
    return false;
  }
  return segments.every((name, index) => name === deed.path[index]);
}

function coversHost(host: Host, name: string): boolean {
  if (host.kind === 'any') return true;
  if (host.kind === 'exact') return host.name === name;
  return name.endsWith(`.${host.of}`);
}

function coversName(target: NameTarget, name: string): boolean {
  if (target.kind === 'any') return true;
  return target.kind === 'name' ? target.name === name : name.startsWith(target.prefix);
}

// How often something was used lately. Uses are counted in sixtieths of the rate's stretch of
// time, and a use is let go only when its whole sixtieth lies further back than the stretch:
// so in no stretch of that length, wherever it begins, are there more uses than the rate says.

/** The beginning of each sixtieth that had uses, and how many; the oldest first. */
export type RecentUses = readonly (readonly [start: Instant, count: number])[];

const parts = 60;

/** Those that still count. What lies ahead was counted by a clock that has been put back. */
export function stillCounting(recent: RecentUses, rate: Rate, now: Instant): RecentUses {
  const stretchMs = rateUnitMs[rate.per];
  const partMs = stretchMs / parts;
  return recent.filter(([start]) => start + partMs > now - stretchMs);
}

/** Whether there is no room for so many more. */
export function isSpent(recent: RecentUses, rate: Rate, now: Instant, more = 1): boolean {
  const counted = stillCounting(recent, rate, now);
  return counted.reduce((sum, [, count]) => sum + count, more) > rate.count;
}

export function withMore(recent: RecentUses, rate: Rate, now: Instant, more = 1): RecentUses {
  const partMs = rateUnitMs[rate.per] / parts;
  const start = Math.floor(now / partMs) * partMs;
  const counted = stillCounting(recent, rate, now);
  const last = counted.at(-1);
  if (last !== undefined && last[0] >= start)
    return [...counted.slice(0, -1), [last[0], last[1] + more]];
  return [...counted, [start, more]];
}
