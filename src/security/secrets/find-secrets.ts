/**
 * Finds secrets in a text, whole or in pieces.
 *
 * F1. What overlaps is one finding, so that of no secret a part is left over.
 * F2. In a text that goes on, nothing is let through that may be the beginning of a secret,
 *     and everything before it is.
 * F3. A place costs as many steps as the text there goes on like a secret, and there is no
 *     going back. Only a secret that repeats itself for long can be met at every place.
 */
import type { Form } from './secret-forms.ts';
import { isLead, mostBackslashes, readings, unfinished } from './spelling.ts';

/** The text with the secrets taken out. */
export interface Scan {
  readonly text: string;
  /** F2. What may be the beginning of a secret; empty when the text has ended. */
  readonly rest: string;
  /** How much of the rest belongs to a secret that was taken out already. */
  readonly covered: number;
  readonly found: number;
}

export interface ScanPlace {
  readonly covered: number;
  readonly hasEnded: boolean;
}

const codes = 128;
const leads: readonly number[] = Array.from({ length: codes }, (_, code) => code).filter(isLead);
const backslash = 0x5c;

/** The forms of many secrets by the two characters with which they begin. */
export class SecretIndex {
  readonly #forms: Form[] = [];
  readonly #byPair = new Map<number, Form[]>();
  /** Which characters forms begin with. */
  readonly #begins = new Uint8Array(codes);
  /** Whether a look is worth it where these two characters stand. */
  readonly #worthLook = new Uint8Array(codes * codes);

  constructor() {
    // What a character that can be seen begins with when it is not written as itself.
    for (const second of Buffer.from('234567')) this.#look(0x25, second);
    for (const second of Buffer.from('\\ux')) this.#look(backslash, second);
    for (const second of Buffer.from('#aglq')) this.#look(0x26, second);
  }

  get isEmpty(): boolean {
    return this.#forms.length === 0;
  }

  add(form: Form): void {
    this.#forms.push(form);
    for (const first of charactersAt(form, 0)) {
      this.#begins[first] = 1;
      this.#look(backslash, first);
      for (const lead of leads) this.#look(first, lead);
      for (const second of [...charactersAt(form, 1), ...form.gaps]) {
        this.#look(first, second);
        this.#addPair(pairOf(first, second), form);
      }
    }
  }

  #look(first: number, second: number): void {
    this.#worthLook[pairOf(first, second)] = 1;
  }

  #addPair(pair: number, form: Form): void {
    const forms = this.#byPair.get(pair);
    if (forms === undefined) this.#byPair.set(pair, [form]);
    else forms.push(form);
  }

  /** Of a text that goes on, `rest` has to stand before what comes next. */
  scan(text: string, { covered, hasEnded }: ScanPlace): Scan {
    const pieces: string[] = [];
    let found = 0;
    let cleanFrom = covered;
    let heldFrom = text.length;
    for (let at = 0; at < text.length; at++) {
      if (!this.#isWorthLook(text, at)) continue;
      const { end, name } = this.#longestAt({ text, hasEnded }, at);
      if (end === mayFollow) {
        heldFrom = at;
        break;
      }
      if (end < 0) continue;
      // F1
      if (at >= cleanFrom) {
        pieces.push(text.slice(cleanFrom, at), `[secret:${name}]`);
        found++;
      }
      cleanFrom = Math.max(cleanFrom, end);
    }
    pieces.push(text.slice(cleanFrom, heldFrom));
    return {
      text: pieces.join(''),
      rest: text.slice(heldFrom),
      covered: Math.max(0, cleanFrom - heldFrom),
      found,
    };
  }

  #isWorthLook(text: string, at: number): boolean {
    const first = text.charCodeAt(at);
    if (at === text.length - 1) return isLead(first) || this.#begins[first] === 1;
    const second = text.charCodeAt(at + 1);
    if ((first | second) >= codes || this.#worthLook[pairOf(first, second)] === 0) return false;
    return first !== backslash || second !== backslash || !this.#isWithinRun(text, at);
  }

  /**
   * Of many backslashes only the first, and the last ones that can be read as a whole, may
   * begin a character that is none: the others need no look.
   */
  #isWithinRun(text: string, at: number): boolean {
    if (this.#begins[backslash] === 1 || at === 0) return false;
    return (
      text.charCodeAt(at - 1) === backslash && text.charCodeAt(at + mostBackslashes) === backslash
    );
  }

  #longestAt(source: Source, at: number): { readonly end: number; readonly name: string } {
    let longest = { end: noForm, name: '' };
    for (const form of this.#formsAt(source.text, at)) {
      const end = endOfForm(source, form, at);
      // The longer one may still come, and the shorter one would leave its end behind.
      if (end === mayFollow) return { end, name: form.name };
      if (end > longest.end) longest = { end, name: form.name };
    }
    return longest;
  }

  #formsAt(text: string, at: number): readonly Form[] {
    const first = text.charCodeAt(at);
    const second = text.charCodeAt(at + 1);
    if (at === text.length - 1) return this.#forms;
    if (!isLead(first) && !isLead(second)) return this.#byPair.get(pairOf(first, second)) ?? [];
    const forms: Form[] = [];
    for (const one of readings(text, at)) {
      if (one.code === unfinished) return this.#forms;
      if (this.#begins[one.code] !== 1) continue;
      for (const two of readings(text, one.end)) {
        if (two.code === unfinished) return this.#forms;
        if (two.code < codes) forms.push(...(this.#byPair.get(pairOf(one.code, two.code)) ?? []));
      }
    }
    return forms;
  }
}

function pairOf(first: number, second: number): number {
  return first * codes + second;
}

function charactersAt({ either, or }: Form, index: number): ReadonlySet<number> {
  return new Set([...either.subarray(index, index + 1), ...or.subarray(index, index + 1)]);
}

const noForm = -1;
const mayFollow = -2;

interface Source {
  readonly text: string;
  readonly hasEnded: boolean;
}

/** Where the form that begins here ends; `mayFollow` when what has come so far does not tell. */
function endOfForm(source: Source, form: Form, start: number): number {
  const { text } = source;
  const { either, or, gaps } = form;
  let at = start;
  // Nearly always a character stands for itself.
  for (let index = 0; index < either.length; index++, at++) {
    const code = text.charCodeAt(at);
    if (!isLead(code) && (code === either[index] || code === or[index])) continue;
    const isMore = at >= text.length || isLead(code) || (index > 0 && gaps.has(code));
    return isMore ? endOfSpelt(source, form, { index, at }) : noForm;
  }
  return at;
}

interface FormPlace {
  readonly index: number;
  readonly at: number;
}

/** F3. The same where a character can be read in several ways: all of them are followed at once. */
function endOfSpelt({ text, hasEnded }: Source, form: Form, from: FormPlace): number {
  let places: readonly number[] = [from.at];
  let isCut = false;
  for (let index = from.index; index < form.either.length && places.length > 0; index++) {
    const next = new Set<number>();
    for (const place of index === 0 ? places : beyondGaps(text, form, places)) {
      for (const { code, end } of readings(text, place)) {
        if (code === unfinished) isCut = true;
        if (code === form.either[index] || code === form.or[index]) next.add(end);
      }
    }
    places = [...next];
  }
  if (isCut && !hasEnded) return mayFollow;
  return places.length > 0 ? Math.max(...places) : noForm;
}

// A carriage return and a line feed.
const mostGaps = 2;

function beyondGaps(text: string, { gaps }: Form, places: readonly number[]): Iterable<number> {
  if (gaps.size === 0) return places;
  const all = new Set(places);
  let last: Iterable<number> = places;
  for (let count = 0; count < mostGaps; count++) {
    const next = new Set<number>();
    for (const place of last) {
      for (const { code, end } of readings(text, place)) if (gaps.has(code)) next.add(end);
    }
    for (const place of next) all.add(place);
    last = next;
  }
  return all;
}
