/** Which memory is meant, from what a caller says of it. */
import { AosError } from '../errors.ts';
import { type MemoryKey, type MemoryScope, sharedOwner } from './memory.ts';

export interface PlaceSaid {
  readonly scope: MemoryScope;
  /** Whose: the name of an agent, or `owner`. One's own where nothing is said. */
  readonly of?: string | undefined;
  readonly key: string;
}

export function placeOf(principal: string, { scope, of, key }: PlaceSaid): MemoryKey {
  if (scope !== 'shared') {
    return { owner: of === undefined ? principal : principalNamed(of), scope, key };
  }
  if (of !== undefined) {
    throw new AosError('memory.bad-value', {
      message: 'What is shared is nobody’s own, so it cannot be of somebody',
      fix: 'Leave out whose it is; the first part of the key names the space',
    });
  }
  return { owner: sharedOwner, scope, key };
}

export function principalNamed(name: string): string {
  return name === 'owner' ? 'owner' : `agent:${name}`;
}
