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

export const sentenceWorld: SentenceWorld = {
  now: Date.parse('2026-11-15T11:00:00Z'),
  zone: openTimeZone('Europe/Berlin'),
  root: '/home/mary',
  here: '/home/mary/Projects/shop',
  folders: [
    ...known.map((path) => folder(path, true)),
    ...others.map((path) => folder(path, false)),
  ],
};
