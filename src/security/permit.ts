/** What a grant says of how something may be done. */
import type { Constraints } from '../kernel/capability/capability.ts';
import type { Instant } from '../kernel/ports.ts';
import { type HeldGrant, mostBytesOf } from './grants/held-grant.ts';

/** What a grant that allows a deed says of how it may be done. */
export interface Permit {
  /** The most bytes of this use, read or written; undefined where nothing limits them. */
  readonly sizeBytes: number | undefined;
  /** How many leading parts of a path the grant names: beyond them it has a star, or ends. */
  readonly namedParts: number;
}

/** Undefined is the owner's, who needs no grant. */
export function permitOf(grant: HeldGrant | undefined): Permit {
  if (grant === undefined) return { sizeBytes: undefined, namedParts: Number.POSITIVE_INFINITY };
  const target = grant.links[0]?.capability.target;
  const segments = target?.kind === 'path' ? target.segments : [];
  const star = segments.indexOf('any');
  return {
    sizeBytes: mostBytesOf(grant),
    namedParts: star === -1 ? segments.length : star,
  };
}

/** How long something may take under these grants; undefined where none of them limits it. */
export function longestRunMs(
  grants: readonly (HeldGrant | undefined)[],
  now: Instant,
): number | undefined {
  const all = grants.filter((grant) => grant !== undefined).flatMap(constraintsOf);
  return least([
    ...all.map(({ timeoutMs }) => timeoutMs),
    ...all.map(({ expires }) => (expires === undefined ? undefined : Math.max(0, expires - now))),
  ]);
}

function constraintsOf({ links }: HeldGrant): readonly Constraints[] {
  return links.map(({ capability }) => capability.constraints);
}

function least(numbers: readonly (number | undefined)[]): number | undefined {
  const given = numbers.filter((number) => number !== undefined);
  return given.length === 0 ? undefined : Math.min(...given);
}
