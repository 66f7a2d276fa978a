/** Deeds in the spelling of capabilities. */
import { AosError } from '../errors.ts';
import type { Action, Capability, CapabilityTarget, Deed, Segment } from './capability.ts';
import { parseCapability, printCapability } from './capability-text.ts';
import { sensitiveParts } from './sensitive-path.ts';

/** For people and for events; what no capability can name is in it as it is. */
export function printDeed(deed: Deed): string {
  return printCapability(exactly(deed));
}

/** What allows this deed and no other; undefined where no capability can say that. */
export function capabilityFor(deed: Deed): Capability | undefined {
  const capability = exactly(deed);
  return canBeWritten(capability) ? capability : undefined;
}

/**
 * The narrowest that can be written and allows the deed: a star for the part of a path that
 * cannot be named. Undefined for a name that cannot: a star would be everything that there is.
 */
export function wideEnough(deed: Deed): Capability | undefined {
  const capability = exactly(deed);
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

function exactly(deed: Deed): Capability {
  const { resource, action } = deed;
  return { resource, target: targetOf(deed), actions: [action], constraints: {} };
}

function targetOf(deed: Deed): CapabilityTarget {
  if (deed.resource === 'http') {
    const { host: name, port, everyPath: below = false } = deed;
    const segments = below ? [] : deed.path;
    return { kind: 'url', host: { kind: 'exact', name }, port, segments, below };
  }
  if ('path' in deed) {
    const segments = deed.path.map((name) => ({ name }));
    return { kind: 'path', segments, subtree: deed.subtree === true };
  }
  return deed.name === '*' ? { kind: 'any' } : { kind: 'name', name: deed.name };
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

type FileDeed = Extract<Deed, { resource: 'file' }>;

/** What is done to a path, as capabilities see it. `home` is that of Agent OS, without symlinks. */
export function deedOfParts(home: string, path: readonly string[], action: Action): FileDeed {
  const mustName = sensitiveParts(path, { aosHome: partsOfPath(home) });
  return { resource: 'file', action, path, mustName };
}

/** The parts of a path that was checked before, or is our own. */
export function partsOfPath(path: string): readonly string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}
