/** Actions in the spelling of capabilities. */

import { AosError } from '../errors.ts';
import type { Action, ActionName, Capability, CapabilityTarget, Segment } from './capability.ts';
import { parseCapability, printCapability } from './capability-text.ts';
import { sensitiveParts } from './sensitive-path.ts';

/** For people and for events; what no capability can name is in it as it is. */
export function printAction(action: Action): string {
  return printCapability(exactly(action));
}

/** What allows this action and no other; undefined where no capability can say that. */
export function capabilityFor(action: Action): Capability | undefined {
  const capability = exactly(action);
  return canBeWritten(capability) ? capability : undefined;
}

/**
 * The narrowest that can be written and allows the action: a star for the part of a path that
 * cannot be named. Undefined for a name that cannot: a star would be everything that there is.
 */
export function wideEnough(action: Action): Capability | undefined {
  const capability = exactly(action);
  if (canBeWritten(capability)) return capability;
  const { target } = capability;
  if (target.kind === 'url') {
    const first = target.segments.findIndex((name) => !canBeNamed(name));
    return {
      ...capability,
      target: { ...target, segments: target.segments.slice(0, first), below: true },
    };
  }
  if (target.kind !== 'path') return undefined;
  if (target.segments.length === 0) return { ...capability, target: { kind: 'any' } };
  const segments = target.segments.map(
    (segment): Segment => (segment !== 'any' && canBeNamed(segment.name) ? segment : 'any'),
  );
  return { ...capability, target: { ...target, segments } };
}

function exactly(action: Action): Capability {
  const { resource, action: name } = action;
  return { resource, target: targetOf(action), actions: [name], constraints: {} };
}

function targetOf(action: Action): CapabilityTarget {
  if (action.resource === 'http') {
    const { host: name, port, everyPath: below = false } = action;
    const segments = below ? [] : action.path;
    return { kind: 'url', host: { kind: 'exact', name }, port, segments, below };
  }
  if ('path' in action) {
    const segments = action.path.map((name) => ({ name }));
    return { kind: 'path', segments, subtree: action.subtree === true };
  }
  return action.name === '*' ? { kind: 'any' } : { kind: 'name', name: action.name };
}

function canBeNamed(name: string): boolean {
  if (name === '') return false;
  const target: CapabilityTarget = { kind: 'path', segments: [{ name }], subtree: false };
  return canBeWritten({ resource: 'file', target, actions: ['read'], constraints: {} });
}

function canBeWritten(capability: Capability): boolean {
  try {
    const text = printCapability(capability);
    const read = parseCapability(text);
    // A name that ends with a star would be read as the beginning of many.
    return read.target.kind === capability.target.kind && printCapability(read) === text;
  } catch (failure) {
    if (failure instanceof AosError) return false;
    throw failure;
  }
}

type FileAccess = Extract<Action, { resource: 'file' }>;

/** What is done to a path, as capabilities see it. `home` is that of Agent OS, without symlinks. */
export function pathAction(home: string, path: readonly string[], action: ActionName): FileAccess {
  const mustName = sensitiveParts(path, { aosHome: partsOfPath(home) });
  return { resource: 'file', action, path, mustName };
}

/** The parts of a path that was checked before, or is our own. */
export function partsOfPath(path: string): readonly string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}
