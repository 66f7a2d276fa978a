/** Takes the values of secrets out of whatever leaves the daemon. */

import type { Ledger, NewEvent, Transaction } from '../../ledger/ledger.ts';
import {
  addToTree,
  type Branch,
  emptyTree,
  type FollowedText,
  type FormFinding,
  longestForm,
  readingsAt,
} from './follow-forms.ts';
import { type Form, formsOf, type SecretText, type Writing } from './secret-forms.ts';
import { isLead, mostBackslashes, unfinished } from './spelling.ts';

/** For parts that only scrub. */
export type Scrub = Pick<Scrubber, 'scrubText' | 'scrubJson' | 'scrubStream'>;

export class Scrubber {
  readonly #index = new SecretIndex();
  readonly #known = new Set<string>();

  /** From now on, and until the process ends. */
  add(secret: SecretText): void {
    const { name, value, prefix } = secret;
    const key = JSON.stringify([name, value, prefix]);
    if (this.#known.has(key)) return;
    this.#known.add(key);
    for (const form of formsOf(secret)) this.#index.add(form);
  }

  /** Each secret in the text, in whatever form it stands there, becomes `[secret:NAME]`. */
  scrubText(text: string): string {
    if (this.#index.isEmpty) return text;
    const { text: clean, found } = this.#index.scan(text, { covered: 0, hasEnded: true });
    return found === 0 ? text : clean;
  }

  /** Takes secrets out of all texts, numbers and keys of a JSON value. */
  scrubJson(value: unknown): unknown {
    return this.#index.isEmpty ? value : copied(value, (text) => this.scrubText(text));
  }

  /** Takes secrets out of bytes that are still coming; the rest goes through as it is. */
  async *scrubStream(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
    let held = { rest: '', covered: 0 };
    for await (const part of parts) {
      if (this.#index.isEmpty) {
        yield part;
        continue;
      }
      // A byte is a character here, so that what is no text stays what it is.
      const text = held.rest + textOf(part);
      const scan = this.#index.scan(text, { covered: held.covered, hasEnded: false });
      if (scan.text !== '') yield Buffer.from(scan.text, 'latin1');
      held = scan;
    }
    const { text } = this.#index.scan(held.rest, { covered: held.covered, hasEnded: true });
    if (text !== '') yield Buffer.from(text, 'latin1');
  }
}

function textOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
}

type Place = (value: unknown) => void;

/** By a list of what is left to do, because JSON may be nested deeper than calls may be. */
function copied(whole: unknown, scrub: (text: string) => string): unknown {
  let result: unknown;
  const copies = new Map<object, object>();
  const left: { readonly value: unknown; readonly place: Place }[] = [];
  left.push({
    value: whole,
    place: (value) => {
      result = value;
    },
  });
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { value, place } = next;
    if (typeof value !== 'object' || value === null) {
      place(scrubbed(value, scrub));
      continue;
    }
    const known = copies.get(value);
    const copy = known ?? (Array.isArray(value) ? [] : {});
    place(copy);
    if (known !== undefined) continue;
    copies.set(value, copy);
    for (const [key, inner] of Object.entries(value)) {
      const name = scrub(key);
      // Also where the key is `__proto__`, which an assignment would take for something else.
      const member = { enumerable: true, writable: true, configurable: true };
      // Now, so that the order stays.
      Object.defineProperty(copy, name, { ...member, value: undefined });
      left.push({
        value: inner,
        place: (clean) => void Object.defineProperty(copy, name, { ...member, value: clean }),
      });
    }
  }
  return result;
}

function scrubbed(value: unknown, scrub: (text: string) => string): unknown {
  if (typeof value === 'string') return scrub(value);
  if (typeof value !== 'number') return value;
  const digits = String(value);
  const clean = scrub(digits);
  return clean === digits ? value : clean;
}

// The ledger with every event scrubbed, whichever part records it: a path or an address may carry a secret.

export function scrubbedLedger(ledger: Ledger, scrubber: Pick<Scrub, 'scrubJson'>): Ledger {
  return {
    transact: (work) => ledger.transact((tx) => work(scrubbedTransaction(tx, scrubber))),
    committed: ledger.committed,
    openView: () => ledger.openView(),
    onEvents: (wake) => ledger.onEvents(wake),
    copyTo: (path) => ledger.copyTo(path),
    forget: () => ledger.forget(),
    [Symbol.asyncDispose]: () => ledger[Symbol.asyncDispose](),
  };
}

function scrubbedTransaction(tx: Transaction, scrubber: Pick<Scrub, 'scrubJson'>): Transaction {
  return {
    all: (text, parameters) => tx.all(text, parameters),
    get: (text, parameters) => tx.get(text, parameters),
    run: (text, parameters) => tx.run(text, parameters),
    bodies: tx.bodies,
    // What goes in as an event comes out as one: only its texts may change.
    record: (event) => tx.record(scrubber.scrubJson(event) as NewEvent),
  };
}

// Finds secrets in a text, whole or in pieces.
//
// F1. What overlaps is one finding, so that of no secret a part is left over.
// F2. In a text that goes on, nothing is let through that may be the beginning of a secret,
//     and everything before it is.
// F3. A place costs as many steps as there are beginnings of forms that end there, however
//     many secrets there are, and of one form that is a number with a limit.
// F4. Of a text that has ended, the last places cost nothing: no form is that short.

/** The text with the secrets taken out. */
interface Scan {
  readonly text: string;
  /** F2. What may be the beginning of a secret; empty when the text has ended. */
  readonly rest: string;
  /** How much of the rest belongs to a secret that was taken out already. */
  readonly covered: number;
  readonly found: number;
  /** F3. How many characters were held against forms. */
  readonly steps: number;
}

interface ScanPlace {
  readonly covered: number;
  readonly hasEnded: boolean;
}

const codes = 128;
const leads: readonly number[] = Array.from({ length: codes }, (_, code) => code).filter(isLead);
const backslash = 0x5c;

/** The forms of many secrets, and which two characters they begin with. */
export class SecretIndex {
  readonly #trees = new Map<Writing, Branch>();
  #shortest = Number.POSITIVE_INFINITY;
  /** Which characters forms begin with. */
  readonly #begins = new Uint8Array(codes);
  /** Which two. */
  readonly #pairs = new Uint8Array(codes * codes);
  /** Whether a look is worth it where these two characters stand. */
  readonly #worthLook = new Uint8Array(codes * codes);

  constructor() {
    // What a character that can be seen begins with when it is not written as itself.
    for (const second of Buffer.from('234567')) this.#look(0x25, second);
    for (const second of Buffer.from('\\ux')) this.#look(backslash, second);
    for (const second of Buffer.from('#aglq')) this.#look(0x26, second);
  }

  get isEmpty(): boolean {
    return this.#trees.size === 0;
  }

  add(form: Form): void {
    const tree = this.#trees.get(form.writing) ?? emptyTree();
    this.#trees.set(form.writing, tree);
    addToTree(tree, form);
    this.#shortest = Math.min(this.#shortest, form.codes.length);
    for (const first of charactersAt(form, 0)) {
      this.#begins[first] = 1;
      this.#look(backslash, first);
      for (const lead of leads) this.#look(first, lead);
      for (const second of [...charactersAt(form, 1), ...form.writing.gaps]) {
        this.#look(first, second);
        this.#pairs[pairOf(first, second)] = 1;
      }
    }
  }

  #look(first: number, second: number): void {
    this.#worthLook[pairOf(first, second)] = 1;
  }

  /** Of a text that goes on, `rest` has to stand before what comes next. */
  scan(text: string, { covered, hasEnded }: ScanPlace): Scan {
    const source: FollowedText = { text, hasEnded, been: new Map(), kept: 0, read: [], steps: 0 };
    const pieces: string[] = [];
    let found = 0;
    let cleanFrom = covered;
    let heldFrom = text.length;
    const places = this.#placesIn(source);
    for (let at = 0; at < places; at++) {
      if (!this.#isWorthLook(text, at) || !this.#mayBegin(source, at)) continue;
      const finding = this.#longestAt(source, at);
      if (finding.kind === 'may-follow') {
        heldFrom = at;
        break;
      }
      if (finding.kind === 'none') continue;
      // F1
      if (at >= cleanFrom) {
        pieces.push(text.slice(cleanFrom, at), `[secret:${finding.name}]`);
        found++;
      }
      cleanFrom = Math.max(cleanFrom, finding.end);
    }
    pieces.push(text.slice(cleanFrom, heldFrom));
    return {
      text: pieces.join(''),
      rest: text.slice(heldFrom),
      covered: Math.max(0, cleanFrom - heldFrom),
      found,
      steps: source.steps,
    };
  }

  // F4
  #placesIn({ text, hasEnded }: FollowedText): number {
    return hasEnded ? text.length - this.#shortest + 1 : text.length;
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

  /** Whether, however that is read, two characters stand here that a form begins with. */
  #mayBegin(source: FollowedText, at: number): boolean {
    const { text } = source;
    if (!isLead(text.charCodeAt(at)) && !isLead(text.charCodeAt(at + 1))) return true;
    for (const first of readingsAt(source, at)) {
      if (first.code === unfinished) return true;
      if (this.#begins[first.code] !== 1) continue;
      for (const { code } of readingsAt(source, first.end)) {
        if (code === unfinished) return true;
        if (code < codes && this.#pairs[pairOf(first.code, code)] === 1) return true;
      }
    }
    return false;
  }

  #longestAt(source: FollowedText, at: number): FormFinding {
    let longest: FormFinding = { kind: 'none' };
    for (const [writing, tree] of this.#trees) {
      const finding = longestForm(source, { writing, tree }, at);
      // The longer one may still come, and the shorter one would leave its end behind.
      if (finding.kind === 'may-follow') return finding;
      if (finding.kind === 'none') continue;
      if (longest.kind === 'none' || finding.end > longest.end) longest = finding;
    }
    return longest;
  }
}

function pairOf(first: number, second: number): number {
  return first * codes + second;
}

function charactersAt({ codes: row, writing }: Form, index: number): readonly number[] {
  return [...writing.takenFor.keys()].filter((code) => writing.takenFor[code] === row[index]);
}
