/** What somebody may do to files, as data: for where very many paths are to be looked at. */
import type { Capability, PathTarget } from '../kernel/capability/capability.ts';
import { implies } from '../kernel/capability/capability.ts';
import type { FileReach } from '../kernel/files/look.ts';
import type { Grants } from './grants/grants.ts';
import type { HeldGrant } from './grants/held-grant.ts';

export type FilePower = 'read' | 'write' | 'move' | 'delete';

export interface ReachWish {
  readonly principal: string;
  readonly power: FilePower;
  readonly aosHome: string;
  /** A human has approved it, so that grants which ask count too. */
  readonly isApproved: boolean;
}

/** At this moment: what is revoked later is to be asked for again. */
export async function fileReach(grants: Grants, wish: ReachWish): Promise<FileReach> {
  const { principal, power, aosHome, isApproved } = wish;
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
