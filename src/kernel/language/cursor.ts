/** A place in a sentence that rules move on from, and the marks of what has been made use of. */
import type { Phrases } from './phrases.ts';
import type { Token } from './tokens.ts';

const mostSkipped = 12;

/** `world` is what its words may speak of, for rules that know more than words. */
export class Sentence<World = unknown> {
  readonly tokens: readonly Token[];
  readonly world: World;
  readonly #used: boolean[];
  #text: string | undefined;

  constructor(tokens: readonly Token[], world: World) {
    this.tokens = tokens;
    this.world = world;
    this.#used = tokens.map(() => false);
  }

  isFree(at: number): boolean {
    return this.#used[at] === false;
  }

  /** The word at this place, folded; '' beyond the ends, and of what is quoted. */
  word(at: number): string {
    const token = this.tokens[at];
    return token === undefined || token.kind === 'quoted' ? '' : token.fold;
  }

  /** Whether a comma, a full stop or the like stands behind the word at this place. */
  isEnd(at: number): boolean {
    return this.tokens[at]?.isEnd === true;
  }

  /**
   * All of it, folded, with a space before and behind each word, for patterns over several of
   * them. What is quoted is data, and only its mark is there.
   */
  get text(): string {
    this.#text ??= ` ${this.tokens
      .map(({ kind, fold }) => (kind === 'quoted' ? '"' : fold))
      .join(' ')} `;
    return this.#text;
  }

  use(from: number, to = from + 1): void {
    this.#used.fill(true, from, to);
  }

  cursor(at: number): Cursor<World> {
    return new Cursor(this, at);
  }

  /** What nothing was made of. */
  free(): { readonly token: Token; readonly at: number }[] {
    return [...this.tokens.entries()]
      .filter(([at]) => this.isFree(at))
      .map(([at, token]) => ({ token, at }));
  }

  /** Tries the rules at every place in turn; the first that fits is used up. */
  take<Found>(...rules: readonly Rule<World, Found>[]): Found | undefined {
    return this.#taken(rules, 0)?.found;
  }

  takeAll<Found>(...rules: readonly Rule<World, Found>[]): Found[] {
    const all: Found[] = [];
    // What did not fit before the last place does not fit now: less is free than it was.
    for (let taken = this.#taken(rules, 0); taken !== undefined; ) {
      all.push(taken.found);
      taken = this.#taken(rules, taken.next);
    }
    return all;
  }

  /** Whether one of them is there; it is used up. */
  takePhrase(...wanted: readonly (string | Phrases)[]): boolean {
    return this.take((cursor) => cursor.take(...wanted)) !== undefined;
  }

  #taken<Found>(rules: readonly Rule<World, Found>[], from: number) {
    for (let at = from; at < this.tokens.length; at++) {
      if (!this.isFree(at)) continue;
      const cursor = this.cursor(at);
      const found = cursor.first(...rules);
      if (found === undefined || cursor.at === at) continue;
      this.use(at, cursor.at);
      return { found, next: cursor.at };
    }
    return undefined;
  }
}

/** Moves the cursor on where it fits. */
export type Rule<World, Found> = (cursor: Cursor<World>) => Found | undefined;

/** Passes over nothing: what is used already ends every rule. */
export class Cursor<World = unknown> {
  readonly sentence: Sentence<World>;
  at: number;

  constructor(sentence: Sentence<World>, at: number) {
    this.sentence = sentence;
    this.at = at;
  }

  /** The token here, where it is free. */
  get token(): Token | undefined {
    return this.sentence.isFree(this.at) ? this.sentence.tokens[this.at] : undefined;
  }

  /** The word here, where it is a plain one. */
  get word(): string | undefined {
    return this.token?.kind === 'word' ? this.token.fold : undefined;
  }

  /** Moves on over one of these; `older than` is two words. Longer ones have to come first. */
  take(...wanted: readonly (string | Phrases)[]): string | undefined {
    const { word } = this;
    if (word === undefined) return undefined;
    for (const each of wanted) {
      if (typeof each === 'string') {
        if (each.startsWith(word) && this.#takePhrase(each.split(' '))) return each;
        continue;
      }
      const found = each.from(word).find((words) => this.#takePhrase(words));
      if (found !== undefined) return found.join(' ');
    }
    return undefined;
  }

  /** Over any of these; a sentence of nothing else is not walked through at every place. */
  skip(...wanted: readonly (string | Phrases)[]): void {
    for (let left = mostSkipped; left > 0 && this.take(...wanted) !== undefined; left--);
  }

  /** Goes back where the rule does not fit. */
  try<Found>(rule: Rule<World, Found>): Found | undefined {
    const start = this.at;
    const found = rule(this);
    if (found === undefined) this.at = start;
    return found;
  }

  /** What the first of the rules that fits has found. */
  first<Found>(...rules: readonly Rule<World, Found>[]): Found | undefined {
    for (const rule of rules) {
      const found = this.try(rule);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #takePhrase(words: readonly string[]): boolean {
    const start = this.at;
    for (const word of words) {
      if (this.word !== word) {
        this.at = start;
        return false;
      }
      this.at++;
    }
    return true;
  }
}
