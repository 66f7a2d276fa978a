/** The home that the sentences speak of, on a Sunday in November. */
import { openTimeZone } from '../../src/engines/time-zone.ts';
import type { NamedFolder, SentenceWorld } from '../../src/kernel/files/understanding.ts';

const known = ['Downloads', 'Documents', 'Pictures', 'Music', 'Videos', 'Desktop'];
const others = [
  'Archive',
  'Projects',
  'Documents/Work',
  'Documents/Invoices',
  'Documents/Taxes',
  'Pictures/Holiday 2026',
  'Pictures/Screenshots',
  'Projects/shop',
  'Music/Band',
];

function folder(path: string, isKnown: boolean): NamedFolder {
  return { names: [path.slice(path.lastIndexOf('/') + 1)], path: `~/${path}`, isKnown };
}

/** A home, with the folders that every home has and those of its owner. */
export function worldOf(home: string, here: string, folders: readonly string[]): SentenceWorld {
  const root = `/home/${home}`;
  return {
    now: Date.parse('2026-11-15T11:00:00Z'),
    zone: openTimeZone('Europe/Berlin'),
    root,
    here: here === '' ? root : `${root}/${here}`,
    folders: [
      ...known.map((path) => folder(path, true)),
      ...folders.map((path) => folder(path, false)),
    ],
  };
}

export const sentenceWorld = worldOf('mary', 'Projects/shop', others);
