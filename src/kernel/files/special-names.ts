/**
 * Which names in a walk may be one of the tables of sensitive-places.ts, told without comparing
 * each name with each of them. It may say yes too often, and never no wrongly.
 */
import { folded } from '../capability/sensitive-path.ts';
import {
  secretNames,
  secretPlaces,
  sensitiveNames,
  userPlaces,
} from '../capability/sensitive-places.ts';

const places = [...userPlaces, ...sensitiveNames, ...secretPlaces, ...secretNames].map((place) =>
  place.split('/'),
);

/** Of a name anywhere but in a folder that continues a place: see below. */
export function specialNames(aosHome: readonly string[]): (name: string) => boolean {
  const starts = places.map(([first = '']) => first).filter((name) => !name.startsWith('.'));
  const patterns = [...new Set([...starts, ...aosHome.map((name) => name.toLowerCase())])];
  // What begins with a dot is few, and mostly in the tables. What is no plain ASCII may be
  // folded to one of them.
  const special = new RegExp(`^\\.|[^\\x00-\\x7f]|${patterns.map(ofName).join('|')}`, 'i');
  return (name) => special.test(name);
}

function ofName(pattern: string): string {
  const star = pattern.indexOf('*');
  if (star === -1) return `^${RegExp.escape(pattern)}$`;
  // Where it has a beginning, that alone tells enough.
  if (star > 0) return `^${RegExp.escape(pattern.slice(0, star))}`;
  return `${RegExp.escape(pattern.slice(1))}$`;
}

const middles = new Set(places.flatMap((place) => place.slice(0, -1)));
const [middleStarts, middleNames] = [
  [...middles].filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1)),
  [...middles].filter((name) => !name.endsWith('*')),
];

/** From the root: what is in these may be a place of the system, up to so deep. */
const systemFolders = new Set([undefined, 'etc', 'var', 'usr', 'private', 'run', 'sys', 'dev']);
const deepestSystemPlace = 5;

/**
 * Whether what a name stands for in this folder depends on the folder: it is inside our own home,
 * in a folder of the system, or behind the beginning of a place such as `.config`.
 */
export function continuesPlace(parts: readonly string[], aosHome: readonly string[]): boolean {
  const first = parts[0] === undefined ? undefined : folded(parts[0]);
  if (first === 'proc') return true;
  if (systemFolders.has(first) && parts.length <= deepestSystemPlace) return true;
  if (aosHome.every((name, index) => folded(name) === folded(parts[index] ?? ''))) return true;
  const name = folded(parts.at(-1) ?? '');
  return middleNames.includes(name) || middleStarts.some((start) => name.startsWith(start));
}
