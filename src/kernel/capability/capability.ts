/**
 * What a principal may do: a resource, which part of it, which actions, and under which
 * constraints. The text of one is in capability-text.ts.
 */

import { AosError } from '../errors.ts';
import type { Instant } from '../ports.ts';
import { quote } from '../text/quote.ts';

/** What can be done to each resource. */
export const actionsOf = {
  file: ['read', 'write', 'move', 'delete'],
  http: ['request', 'get', 'head', 'post', 'put', 'patch', 'delete', 'options'],
  shell: ['execute'],
  agent: ['spawn', 'release', 'pause', 'resume', 'terminate', 'inspect', 'submit'],
  tool: ['call'],
  memory: ['read', 'write', 'search', 'share'],
  message: ['send'],
  transfer: ['send', 'read'],
  operation: ['start', 'read', 'cancel'],
  secret: ['use'],
} as const satisfies Record<string, readonly string[]>;

export type Resource = keyof typeof actionsOf;

/** `*` is every action of the resource, also one that is added later. */
export type ActionName = (typeof actionsOf)[Resource][number] | '*';

export interface Capability {
  readonly resource: Resource;
  readonly target: CapabilityTarget;
  /** In the order of the table, none that another implies; or `*` alone. */
  readonly actions: readonly ActionName[];
  readonly constraints: Constraints;
}

export type CapabilityTarget = PathTarget | UrlTarget | NameTarget;

/** Of `file` from the root; of `memory` from the scope, or from `of` and whose it is. */
export interface PathTarget {
  readonly kind: 'path';
  readonly segments: readonly Segment[];
  /** The path itself and everything below: `/**`. */
  readonly subtree: boolean;
}

/** `any` is one segment of any name: `*`. */
export type Segment = { readonly name: string } | 'any';

export interface UrlTarget {
  readonly kind: 'url';
  readonly host: Host;
  readonly port: number;
  /** Of the path; every path below when it ends with `/*`. */
  readonly segments: readonly string[];
  readonly below: boolean;
}

export type Host =
  | { readonly kind: 'any' }
  /** Whatever has this name behind a further label, and not the name itself. */
  | { readonly kind: 'subdomains'; readonly of: string }
  /** A name, or an address as it is written in a URL. */
  | { readonly kind: 'exact'; readonly name: string };

export type NameTarget =
  /** Of `shell` also the path of a program, which begins with a slash. */
  | { readonly kind: 'name'; readonly name: string }
  /** Names that begin so: `file.*`. */
  | { readonly kind: 'prefix'; readonly prefix: string }
  | { readonly kind: 'any' };

/** What is undefined does not limit. */
export interface Constraints {
  /** How long one use may take. */
  readonly timeoutMs?: number;
  readonly rate?: Rate;
  /** How many uses in all. */
  readonly max?: number;
  /** Of programs, for `shell`, by name or path: what is not on it is not run. */
  readonly allowlist?: readonly string[];
  /** The most bytes of one use. */
  readonly sizeBytes?: number;
  readonly expires?: Instant;
}

export interface Rate {
  readonly count: number;
  readonly per: RateUnit;
}

export const rateUnitMs = { sec: 1000, min: 60_000, hour: 3_600_000, day: 86_400_000 } as const;
export type RateUnit = keyof typeof rateUnitMs;

/** What is about to be done, to be held against capabilities. */
export type Action =
  | {
      readonly resource: 'file';
      readonly action: ActionName;
      readonly path: readonly string[];
      /** The folder with everything below it, and not just what is of that name. */
      readonly subtree?: boolean | undefined;
      /** Which parts of the path a capability has to name: a star does not stand for them. */
      readonly mustName?: readonly number[] | undefined;
    }
  | {
      readonly resource: 'memory';
      readonly action: ActionName;
      readonly path: readonly string[];
      /** As of `file`. */
      readonly subtree?: boolean | undefined;
      /** As of `file`: what belongs to another principal has to be named. */
      readonly mustName?: readonly number[] | undefined;
    }
  | {
      readonly resource: 'http';
      readonly action: ActionName;
      readonly host: string;
      readonly port: number;
      readonly path: readonly string[];
      /** A capability has to name the very host: no star stands for it. */
      readonly mustNameHost?: boolean | undefined;
      /** The whole place: no capability for a part of it covers it, and `path` means nothing. */
      readonly everyPath?: boolean | undefined;
    }
  | {
      readonly resource: Exclude<Resource, 'file' | 'memory' | 'http'>;
      readonly action: ActionName;
      readonly name: string;
    };

/** `request` is every method. */
export function implies(resource: Resource, held: ActionName, wanted: ActionName): boolean {
  if (held === '*' || held === wanted) return true;
  return resource === 'http' && held === 'request' && wanted !== '*';
}

/**
 * The actions that a capability allows, as bits: whether it has one is asked often, and of many.
 */
export function bitsOf({ resource, actions }: Pick<Capability, 'resource' | 'actions'>): number {
  const all: readonly ActionName[] = actionsOf[resource];
  return all.reduce(
    (bits, action, index) =>
      actions.some((held) => implies(resource, held, action)) ? bits | (1 << index) : bits,
    0,
  );
}

/** Of one action; nothing where the resource has none of that name. */
export function bitOf(resource: Resource, action: ActionName): number {
  const all: readonly ActionName[] = actionsOf[resource];
  const index = all.indexOf(action);
  return index === -1 ? 0 : 1 << index;
}

const longestShown = 120;

/** Why a text is no capability, with what would be one. */
export function badCapability(text: string, rule: string, fix: string): AosError {
  const shown = text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
  return new AosError('capability.bad', {
    message: `${quote(shown)} is no capability: ${rule}`,
    fix,
  });
}

/** A rule that a part of the text breaks; the parser of the whole text makes the fault of it. */
export class BrokenRule extends Error {
  readonly fix: string;

  constructor(rule: string, fix = 'Write it as resource:target:action, such as file:/data/*:read') {
    super(rule);
    this.fix = fix;
  }
}

// Whether capabilities allow an action. Who holds them, and how often they were used, is not known here.

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

type CapabilityVerdict =
  | { readonly kind: 'allowed'; readonly chain: GrantChain }
  /** The grant that comes nearest, to explain the refusal; undefined where nothing is near. */
  | { readonly kind: 'denied'; readonly nearest: NearMiss | undefined };

export interface NearMiss {
  readonly grant: string;
  readonly why: 'action' | 'target' | 'revoked' | 'expired';
}

/** The first chain of which every link allows the action. */
export function decide(
  chains: Iterable<GrantChain>,
  action: Action,
  now: Instant,
): CapabilityVerdict {
  let nearest: NearMiss | undefined;
  for (const chain of chains) {
    const miss = whyNot(chain, action, now);
    if (miss === undefined) return { kind: 'allowed', chain };
    if (nearest === undefined || nearness[miss.why] > nearness[nearest.why]) nearest = miss;
  }
  return { kind: 'denied', nearest };
}

const nearness = { target: 0, action: 1, expired: 2, revoked: 3 } as const;

/** Which link does not allow the action; undefined when every one does. */
export function whyNot(chain: GrantChain, action: Action, now: Instant): NearMiss | undefined {
  for (const { id, capability, revoked } of chain.links) {
    const why = missOfLink(capability, revoked, action, now);
    if (why !== undefined) return { grant: id, why };
  }
  return undefined;
}

function missOfLink(
  capability: Capability,
  revoked: boolean,
  action: Action,
  now: Instant,
): NearMiss['why'] | undefined {
  if (!coversTarget(capability, action)) return 'target';
  if (!coversAction(capability, action)) return 'action';
  const { expires } = capability.constraints;
  if (expires !== undefined && expires <= now) return 'expired';
  return revoked ? 'revoked' : undefined;
}

/** Whether the capability by itself, its time aside, allows the action. */
export function covers(capability: Capability, action: Action): boolean {
  return coversTarget(capability, action) && coversAction(capability, action);
}

function coversAction({ resource, actions }: Capability, { action }: Action): boolean {
  return actions.some((held) => implies(resource, held, action));
}

function coversTarget({ resource, target, constraints }: Capability, action: Action): boolean {
  if (resource !== action.resource) return false;
  if (action.resource === 'shell' && constraints.allowlist?.includes(action.name) === false) {
    return false;
  }
  if (target.kind === 'any') return !hasToBeNamed(action);
  if (action.resource === 'http') return target.kind === 'url' && coversUrl(target, action);
  if ('path' in action) return target.kind === 'path' && coversPath(target, action);
  return target.kind !== 'path' && target.kind !== 'url' && coversName(target, action.name);
}

/** Whether there is a part of it for which no star stands. */
export function hasToBeNamed(action: Action): boolean {
  return 'mustName' in action && (action.mustName?.length ?? 0) > 0;
}

/** Whether the target by itself covers the path, with what has to be named. */
export function coversPath(
  { segments, subtree }: PathTarget,
  { path, ...action }: Extract<Action, { resource: 'file' | 'memory' }>,
): boolean {
  if (subtree ? path.length < segments.length : path.length !== segments.length) return false;
  if (action.subtree === true && !subtree) return false;
  const isNamed = (index: number) => (segments[index] ?? 'any') !== 'any';
  if (action.mustName?.every(isNamed) === false) return false;
  return segments.every((segment, index) => segment === 'any' || segment.name === path[index]);
}

function coversUrl(
  { host, port, segments, below }: UrlTarget,
  action: Extract<Action, { resource: 'http' }>,
): boolean {
  if (port !== action.port || !coversHost(host, action.host)) return false;
  if (action.mustNameHost === true && host.kind !== 'exact') return false;
  if (action.everyPath === true) return below && segments.length === 0;
  if (below ? action.path.length < segments.length : action.path.length !== segments.length) {
    return false;
  }
  return segments.every((name, index) => name === action.path[index]);
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
