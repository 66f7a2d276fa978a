/**
 * What a grant has to name: a star, or a folder above, gives nobody the keys that lie below.
 *
 * S1. Names are compared as the most forgiving disk does, which takes `.SSH` for `.ssh` and
 *     does not see a character without width. To take one too many for sensitive only means
 *     that a grant has to name it.
 * S2. Our own home: all of its path, and what in it is meant, down to the folder of an agent.
 * S3. Of /proc every part: it has the memory and the environment of every process.
 * S4. What stands in /etc and /var elsewhere stands in /private of a Mac.
 * S5. `.git` itself: a file of that name, or a folder put there, leads git to other settings.
 *     What is in it, but for the places that are named, is data.
 */
import {
  secretNames,
  secretPlaces,
  sensitiveNames,
  systemPlaces,
  userPlaces,
} from './sensitive-places.ts';

/** Indexes of the parts that have to be named. */
export function sensitiveParts(
  path: readonly string[],
  homes: { readonly aosHome: readonly string[] },
): readonly number[] {
  const names = path.map(folded);
  const found = new Set<number>();
  const add = (start: number, end: number) => {
    for (let index = start; index < Math.min(end, names.length); index++) found.add(index);
  };
  add(0, partsOfHome(names, homes.aosHome.map(folded)));
  // S4
  const root = names[0] === 'private' ? 1 : 0;
  for (const place of fromRoot) if (isAt(names, root, place)) add(0, root + place.length);
  // S3
  if (names[0] === 'proc') add(0, names.length);
  for (const [start, name] of names.entries()) {
    for (const place of placesFrom(name)) {
      if (isAt(names, start, place)) add(start, start + place.length);
    }
  }
  // S5
  if (names.at(-1) === '.git') add(names.length - 1, names.length);
  return [...found].sort((one, other) => one - other);
}

const fromRoot = systemPlaces.map((place) => place.split('/'));
const anywhere = [...userPlaces, ...sensitiveNames].map((place) => place.split('/'));
const byFirstName = Map.groupBy(anywhere, ([first = '']) => (first.includes('*') ? '*' : first));

function placesFrom(name: string): readonly (readonly string[])[] {
  return [...(byFirstName.get(name) ?? []), ...(byFirstName.get('*') ?? [])];
}

function isAt(names: readonly string[], start: number, place: readonly string[]): boolean {
  return place.every((wanted, index) => isName(names[start + index] ?? '', wanted));
}

function isName(name: string, wanted: string): boolean {
  const star = wanted.indexOf('*');
  if (star < 0) return name === wanted;
  const end = wanted.slice(star + 1);
  return (
    name.length >= star + end.length && name.startsWith(wanted.slice(0, star)) && name.endsWith(end)
  );
}

// S2
function partsOfHome(names: readonly string[], home: readonly string[]): number {
  if (!home.every((name, index) => names[index] === name)) return 0;
  // agents/NAME/workspace
  return home.length + (names[home.length] === 'agents' ? 3 : 1);
}

/** S1 */
export function folded(name: string): string {
  const seen = name.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  // Up and down again: only that takes "ſ" to "s".
  return seen.toUpperCase().toLowerCase();
}

const secrets = [...secretPlaces, ...secretNames].map((place) => place.split('/'));

/** Whether the end of the path is where secrets are kept, such as `.env` or `.config/gcloud`. */
export function endsAtSecret(path: readonly string[]): boolean {
  const names = path.map(folded);
  return secrets.some((place) => isAt(names, names.length - place.length, place));
}

/** Whether folders of secrets usually lie in it, such as `.config`. */
export function isAboveSecrets(path: readonly string[]): boolean {
  const names = path.map(folded);
  return secrets.some((place) =>
    place.some((_, index) => {
      const above = place.slice(0, index);
      return above.length > 0 && isAt(names, names.length - above.length, above);
    }),
  );
}
