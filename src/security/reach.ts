/** What a principal may do to files, as data: for where very many paths are to be looked at. */
import {
  type ActionName,
  type Capability,
  implies,
  type PathTarget,
} from '../kernel/capability/capability.ts';
import type { FileReach } from '../kernel/files/look.ts';
import type { MemoryReach } from '../kernel/memory/index-port.ts';
import { headOf, type MemoryScope, memoryScopes, sharedOwner } from '../kernel/memory/memory.ts';
import type { Grants } from './grants/grants.ts';
import type { HeldGrant } from './grants/shelf.ts';

export type FilePower = 'read' | 'write' | 'move' | 'delete';

export interface ReachRequest {
  readonly principal: string;
  readonly power: FilePower;
  readonly aosHome: string;
  /** A human has approved it, so that grants which ask count too. */
  readonly isApproved: boolean;
}

/** At this moment: what is revoked later is to be asked for again. */
export async function fileReach(grants: Grants, request: ReachRequest): Promise<FileReach> {
  const { principal, power, aosHome, isApproved } = request;
  if (principal === 'owner') return { kind: 'all', aosHome, passOverSecrets: power !== 'read' };
  const held = await grants.heldBy(principal);
  const chains = held
    .filter(({ asks }) => isApproved || !asks)
    .flatMap((grant) => chainOf(grant, power) ?? []);
  return { kind: 'granted', aosHome, chains };
}

/** What both may do. */
export function bothReach(one: FileReach, other: FileReach): FileReach {
  if (one.kind === 'all') return other.kind === 'all' ? one : other;
  if (other.kind === 'all') return one;
  const chains = one.chains.flatMap((links) => other.chains.map((more) => [...links, ...more]));
  return { ...one, chains };
}

/** In a list, so that nothing is added where it allows nothing. */
function chainOf({ links }: HeldGrant, power: FilePower): [readonly PathTarget[]] | undefined {
  const targets: PathTarget[] = [];
  for (const { capability } of links) {
    const target = targetOf(capability, power);
    if (target === undefined) return undefined;
    targets.push(target);
  }
  return [targets];
}

function targetOf({ resource, actions, target }: Capability, power: FilePower) {
  if (resource !== 'file' || target.kind !== 'path') return undefined;
  return actions.some((held) => implies('file', held, power)) ? target : undefined;
}

// Which memories a principal may do something to, as data: for where very many are searched.

interface Whose {
  readonly owner: string;
  readonly scope: MemoryScope;
}

/** At this moment: what is revoked later is to be asked for again. */
export async function memoryReach(
  grants: Grants,
  principal: string,
  action: ActionName,
): Promise<readonly MemoryReach[]> {
  const own = ownPlaces(principal);
  if (principal === 'owner') return own.map((place) => ({ ...place, chains: 'all' }));
  const held = (await grants.usableBy(principal)).filter(({ asks }) => !asks);
  const rights = await rightsOfGivers(grants, held);
  const places = [...own, ...held.flatMap(namedPlaces)];
  return distinct(places).flatMap((place) => {
    const chains = held.flatMap((grant) =>
      (chainIn(grant, { principal, place, action }) ?? []).flatMap((chain) =>
        stillShared(chain, { grant, place, rights }),
      ),
    );
    return chains.length === 0 ? [] : { ...place, chains };
  });
}

export function ownPlaces(principal: string): readonly Whose[] {
  return memoryScopes.map((scope) => ({
    owner: scope === 'shared' ? sharedOwner : principal,
    scope,
  }));
}

/** Whose memories a grant names: `of/NAME/…`. */
function namedPlaces({ links }: HeldGrant): readonly Whose[] {
  return links.flatMap(({ capability: { resource, target } }) => {
    if (resource !== 'memory' || target.kind !== 'path') return [];
    const [of, name] = target.segments;
    if (of === 'any' || of?.name !== 'of' || name === undefined || name === 'any') return [];
    const owner = name.name === 'owner' ? 'owner' : `agent:${name.name}`;
    return memoryScopes.filter((scope) => scope !== 'shared').map((scope) => ({ owner, scope }));
  });
}

function distinct(places: readonly Whose[]): readonly Whose[] {
  return [...new Map(places.map((place) => [`${place.scope} ${place.owner}`, place])).values()];
}

interface ChainRequest {
  readonly principal: string;
  readonly place: Whose;
  readonly action: ActionName;
}

/** In a list, so that nothing is added where it allows nothing. */
function chainIn({ links }: HeldGrant, request: ChainRequest): [readonly PathTarget[]] | undefined {
  const targets: PathTarget[] = [];
  for (const { capability } of links) {
    const { resource, actions, target } = capability;
    if (resource !== 'memory' || !actions.some((held) => implies('memory', held, request.action))) {
      return undefined;
    }
    const rest = restOf(target.kind === 'any' ? everything : target, request);
    if (rest === undefined) return undefined;
    targets.push(rest);
  }
  return [targets];
}

type GiverRights = ReadonlyMap<string, readonly HeldGrant[] | 'paused'>;

/** What the agents hold that have shared something. */
async function rightsOfGivers(grants: Grants, held: readonly HeldGrant[]): Promise<GiverRights> {
  const rights = new Map<string, readonly HeldGrant[] | 'paused'>();
  for (const grant of held) {
    const giver = giverOf(grant);
    if (giver === undefined || rights.has(giver)) continue;
    rights.set(giver, grants.isPaused(giver) ? 'paused' : await grants.heldBy(giver));
  }
  return rights;
}

/** Of a grant that was not delegated, who gave it: a share, where that is an agent. */
function giverOf({ links }: HeldGrant): string | undefined {
  return links.at(-1)?.giver;
}

interface Sharing {
  readonly grant: HeldGrant;
  readonly place: Whose;
  readonly rights: GiverRights;
}

/**
 * As seen.ts decides it, memory by memory: a share reaches as far as its giver may share.
 * Who is put on hold has taken nothing back.
 */
function stillShared(
  chain: readonly PathTarget[],
  { grant, place, rights }: Sharing,
): readonly (readonly PathTarget[])[] {
  const giver = giverOf(grant);
  if (giver === undefined || (place.scope !== 'shared' && place.owner !== giver)) return [chain];
  const held = rights.get(giver) ?? [];
  if (held === 'paused') return [chain];
  const request = { principal: giver, place, action: 'share' } as const;
  const shareable = held.flatMap((right) => chainIn(right, request) ?? []);
  if (shareable.some((each) => each.every(isEverything))) return [chain];
  return shareable.map((each) => [...chain, ...each]);
}

function isEverything({ segments, subtree }: PathTarget): boolean {
  return subtree && segments.length === 0;
}

const everything: PathTarget = { kind: 'path', segments: [], subtree: true };

/** What is left of the target for the key, where it covers what stands before that. */
function restOf(target: { readonly kind: string }, request: ChainRequest): PathTarget | undefined {
  if (!isPath(target)) return undefined;
  const { segments, subtree } = target;
  const { head, mustName } = headOf(request.principal, request.place);
  for (const [index, name] of head.entries()) {
    const segment = segments[index];
    const isStar = segment === undefined ? subtree : segment === 'any';
    if (
      isStar ? mustName.includes(index) : segment === undefined || segmentName(segment) !== name
    ) {
      return undefined;
    }
  }
  return { kind: 'path', segments: segments.slice(head.length), subtree };
}

function segmentName(segment: PathTarget['segments'][number]): string | undefined {
  return segment === 'any' ? undefined : segment.name;
}

function isPath(target: { readonly kind: string }): target is PathTarget {
  return target.kind === 'path';
}
