/** Actions as bits: whether a capability has one is asked often, and of many. */
import { type Action, actionsOf, type Capability, implies, type Resource } from './capability.ts';

/** Of every action that the capability allows. */
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
