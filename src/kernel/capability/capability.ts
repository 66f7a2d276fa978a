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
export type Action = (typeof actionsOf)[Resource][number] | '*';

export interface Capability {
  readonly resource: Resource;
  readonly target: CapabilityTarget;
  /** In the order of the table, none that another implies; or `*` alone. */
  readonly actions: readonly Action[];
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
export type Deed =
  | {
      readonly resource: 'file';
      readonly action: Action;
      readonly path: readonly string[];
      /** The folder with everything below it, and not just what is of that name. */
      readonly subtree?: boolean | undefined;
      /** Which parts of the path a capability has to name: a star does not stand for them. */
      readonly mustName?: readonly number[] | undefined;
    }
  | {
      readonly resource: 'memory';
      readonly action: Action;
      readonly path: readonly string[];
      /** As of `file`. */
      readonly subtree?: boolean | undefined;
      /** As of `file`: what belongs to another principal has to be named. */
      readonly mustName?: readonly number[] | undefined;
    }
  | {
      readonly resource: 'http';
      readonly action: Action;
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
      readonly action: Action;
      readonly name: string;
    };

/** `request` is every method. */
export function implies(resource: Resource, held: Action, wanted: Action): boolean {
  if (held === '*' || held === wanted) return true;
  return resource === 'http' && held === 'request' && wanted !== '*';
}

/**
 * The actions that a capability allows, as bits: whether it has one is asked often, and of many.
 */
export function bitsOf({ resource, actions }: Pick<Capability, 'resource' | 'actions'>): number {
  const all: readonly Action[] = actionsOf[resource];
  return all.reduce(
    (bits, action, index) =>
      actions.some((held) => implies(resource, held, action)) ? bits | (1 << index) : bits,
    0,
  );
}

/** Of one action; nothing where the resource has none of that name. */
export function bitOf(resource: Resource, action: Action): number {
  const all: readonly Action[] = actionsOf[resource];
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
