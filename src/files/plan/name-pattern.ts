/** New names made of old ones: `{taken}{ext}`, `holiday-{nnn}`, `draft-{name}{ext}`. */
import { AosError } from '../../kernel/errors.ts';
import { dayInName, momentInName } from '../../kernel/files/words.ts';
import type { TimeZone } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import { bytesOnDisk } from '../paths.ts';

export interface NamedThing {
  readonly name: string;
  readonly isFolder: boolean;
  /** From 1. */
  readonly number: number;
  readonly modifiedAt: number;
  readonly takenAt?: number | undefined;
}

type Part = (thing: NamedThing, zone: TimeZone) => string;

const parts: Readonly<Record<string, Part>> = {
  name: (thing) => stemOf(thing),
  name_lower: (thing) => stemOf(thing).toLowerCase(),
  name_upper: (thing) => stemOf(thing).toUpperCase(),
  name_underscored: (thing) => stemOf(thing).replaceAll(' ', '_'),
  ext: (thing) => endingOf(thing),
  n: ({ number }) => String(number),
  nn: ({ number }) => String(number).padStart(2, '0'),
  nnn: ({ number }) => String(number).padStart(3, '0'),
  // Where a photo does not say when it was taken, it is when it was changed.
  taken: ({ takenAt, modifiedAt }, zone) => momentInName(zone, takenAt ?? modifiedAt),
  taken_date: ({ takenAt, modifiedAt }, zone) => dayInName(zone, takenAt ?? modifiedAt),
  modified: ({ modifiedAt }, zone) => momentInName(zone, modifiedAt),
  modified_date: ({ modifiedAt }, zone) => dayInName(zone, modifiedAt),
};

export function isNamePattern(text: string): boolean {
  return /\{[a-z_]+\}/.test(text);
}

/** Without an ending in the pattern, the old one stays. Throws `files.invalid-input`. */
export function newName(pattern: string, thing: NamedThing, zone: TimeZone): string {
  const whole = isNamePattern(pattern) && !pattern.includes('.') && !pattern.includes('{ext}');
  const name = `${pattern}${whole ? '{ext}' : ''}`.replace(/\{([a-z_]+)\}/g, (_, word: string) => {
    const part = parts[word];
    if (part === undefined) throw unknownPart(word);
    return part(thing, zone);
  });
  if (name !== '' && name !== '.' && name !== '..' && bytesOnDisk(name) <= 255) return name;
  throw new AosError('files.invalid-path', {
    message: `${quote(name.slice(0, 100))} is no name that a file can have`,
    fix: 'Choose another one, of at most 255 bytes',
  });
}

/** `report (2).pdf`. */
export function numberedName(name: string, number: number, isFolder: boolean): string {
  const thing = { name, isFolder };
  return `${stemOf(thing)} (${number})${endingOf(thing)}`;
}

function endingOf({ name, isFolder }: Pick<NamedThing, 'name' | 'isFolder'>): string {
  const dot = name.lastIndexOf('.');
  return isFolder || dot <= 0 ? '' : name.slice(dot);
}

function stemOf(thing: Pick<NamedThing, 'name' | 'isFolder'>): string {
  return thing.name.slice(0, thing.name.length - endingOf(thing).length);
}

function unknownPart(word: string): AosError {
  return new AosError('files.invalid-input', {
    message: `A new name cannot have {${word}} in it`,
    fix: `It can have ${Object.keys(parts)
      .map((part) => `{${part}}`)
      .join(' ')}`,
  });
}
