/** What no index has: places of secrets, our own home, and what is passed over. */
import { partsOfPath } from '../../../kernel/capability/deed-text.ts';
import { endsAtSecret } from '../../../kernel/capability/sensitive-path.ts';
import { continuesPlace, specialNames } from '../../../kernel/files/names.ts';

export interface IndexSettings {
  readonly aosHome: string;
  readonly passOver: readonly string[];
}

/** Whether a name, in a folder below the base, is to be in the index. */
export function keptIn(base: string, { aosHome, passOver }: IndexSettings) {
  const home = partsOfPath(aosHome);
  const left = new Set([aosHome, ...passOver]);
  const isSpecial = specialNames(home);
  const start = base === '/' ? '' : base;
  // Names come folder by folder.
  let last: { readonly folders: readonly string[]; readonly isPlace: boolean } | undefined;
  return (folders: readonly string[], name: string): boolean => {
    if (last?.folders !== folders) {
      last = { folders, isPlace: continuesPlace([...partsOfPath(base), ...folders], home) };
    }
    // Most names are nothing special, and then they are not compared with each of the tables.
    const mayBeSecret = isSpecial(name) || last.isPlace;
    if (mayBeSecret && endsAtSecret([...partsOfPath(base), ...folders, name])) return false;
    return !left.has(`${start}/${[...folders, name].join('/')}`);
  };
}

/** Whether the folder lies in a place of secrets, or in our own home. */
export function isSecretBase(base: string, { aosHome }: Pick<IndexSettings, 'aosHome'>): boolean {
  const parts = partsOfPath(base);
  const home = partsOfPath(aosHome);
  const isInHome = home.every((name, index) => parts[index] === name);
  return isInHome || parts.some((_, index) => endsAtSecret(parts.slice(0, index + 1)));
}
