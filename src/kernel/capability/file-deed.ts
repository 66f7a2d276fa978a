import type { Action, Deed } from './capability.ts';
import { sensitiveParts } from './sensitive-path.ts';

export type FileDeed = Extract<Deed, { resource: 'file' }>;

/** What is done to a path, as capabilities see it. `home` is that of Agent OS, without symlinks. */
export function deedOfParts(home: string, path: readonly string[], action: Action): FileDeed {
  const mustName = sensitiveParts(path, { aosHome: partsOfPath(home) });
  return { resource: 'file', action, path, mustName };
}

/** The parts of a path that was checked before, or is our own. */
export function partsOfPath(path: string): readonly string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}
