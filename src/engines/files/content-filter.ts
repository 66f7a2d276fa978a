/**
 * Filters that need a look into the file: its type by content, and when a photo was taken.
 *
 * C1. Of so many files each is looked into, whatever it is called. Of more, only those whose name
 *     fits or says nothing. Where endings alone are asked for, the name decides.
 * C2. What does not say when it was taken counts as taken when it was changed.
 */
import type { Listing, LookFilters, SeenFile } from '../../kernel/files/look.ts';
import {
  extensionOf,
  holdsType,
  isExtension,
  isOfType,
  mayBeOfType,
  typeOfExtension,
  unknownType,
} from '../../kernel/files/types.ts';
import type { TimeZone } from '../../kernel/ports.ts';
import { contentType } from './file-content.ts';
import { isPhotoType, readPhoto } from './photo.ts';

/** What only its content says. */
export type ContentFacts = Pick<SeenFile, 'type' | 'takenAt' | 'isTakenGuessed'>;

/** C1 */
const mostLookedInto = 5000;

export interface ContentFilterOptions {
  readonly filters: LookFilters;
  readonly needsTaken: boolean;
  readonly zone: TimeZone;
}

export class ContentFilter {
  readonly #options: ContentFilterOptions;
  #candidates = 0;

  constructor(options: ContentFilterOptions) {
    this.#options = options;
  }

  get typesBy(): Listing['typesBy'] {
    if (this.#options.filters.types === undefined) return 'none';
    return this.#isByName || this.#candidates > mostLookedInto ? 'name' : 'content';
  }

  get #isByName(): boolean {
    return this.#options.filters.types?.every(isExtension) === true;
  }

  /** What the file says, where it fits. */
  async factsOf(
    heldPath: string,
    name: string,
    modifiedAt: number,
  ): Promise<ContentFacts | undefined> {
    const type = await this.#typeOf(heldPath, name);
    if (type === 'other' || (await this.#isExcepted(heldPath, name))) return undefined;
    if (!this.#options.needsTaken) return { type };
    const taken = await this.#takenAt(`${heldPath}/${name}`, type ?? typeByName(name));
    const { takenAfter = -Infinity, takenBefore = Infinity } = this.#options.filters;
    // C2
    const takenAt = taken ?? modifiedAt;
    if (takenAt < takenAfter || takenAt >= takenBefore) return undefined;
    return { type, takenAt, isTakenGuessed: taken === undefined };
  }

  /** Undefined where no type was asked for. */
  async #typeOf(heldPath: string, name: string): Promise<string | undefined> {
    const { types } = this.#options.filters;
    if (types === undefined) return undefined;
    this.#candidates++;
    const isLikely = types.some((wanted) => mayBeOfType(wanted, name));
    const isSettled = this.#isByName || this.#candidates > mostLookedInto;
    if (isSettled && !isLikely) return 'other';
    const type = await contentType(heldPath, name);
    const fits = types.some((wanted) => isOfType(wanted, type ?? unknownType, name));
    return fits ? type : 'other';
  }

  /** Whatever their number: it is asked where something is to be changed. */
  async #isExcepted(heldPath: string, name: string): Promise<boolean> {
    const { exceptTypes } = this.#options.filters;
    if (exceptTypes === undefined) return false;
    const type = await contentType(heldPath, name);
    return type !== undefined && exceptTypes.some((one) => holdsType(one, type));
  }

  async #takenAt(path: string, type: string | undefined): Promise<number | undefined> {
    if (type !== undefined && !isPhotoType(type)) return undefined;
    return (await readPhoto(path, this.#options.zone)).takenAt;
  }
}

function typeByName(name: string): string | undefined {
  return typeOfExtension(extensionOf(name))?.type;
}
