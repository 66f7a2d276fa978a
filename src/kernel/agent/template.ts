/** Agents that can be made when a goal needs one, and which of them a goal goes to. */
import { quote } from '../text/quote.ts';

export interface AgentTemplate {
  readonly name: string;
  /** Words that a goal for it has, such as `review * pull request`; `*` is anything. */
  readonly handles: readonly string[];
  readonly model?: string | undefined;
  readonly instructions: string;
  readonly tools?: readonly string[] | undefined;
  readonly grants: readonly string[];
  /** As kernel/agent/budget.ts reads them. */
  readonly budget: readonly string[];
  readonly max_output_tokens?: number | undefined;
}

export interface ChosenTemplate {
  readonly template: AgentTemplate;
  /** A sentence. */
  readonly because: string;
}

/** The one with the pattern that fits by most characters; of two alike the one that stands first. */
export function chooseTemplate(
  goal: string,
  templates: readonly AgentTemplate[],
): ChosenTemplate | undefined {
  const text = plain(goal);
  let best: { readonly template: AgentTemplate; readonly pattern: string } | undefined;
  for (const template of templates) {
    for (const pattern of template.handles) {
      const isBetter = best === undefined || weight(pattern) > weight(best.pattern);
      if (isBetter && fits(text, pattern)) best = { template, pattern };
    }
  }
  if (best === undefined) return undefined;
  const { template, pattern } = best;
  const because = `Template ${quote(template.name)} handles ${quote(pattern)}, which fits the goal best`;
  return { template, because };
}

/** How much of a pattern is meant as it stands. */
function weight(pattern: string): number {
  return plain(pattern).replace(/[*\s]/g, '').length;
}

/**
 * Whether the pattern stands anywhere in the text, from the border of a word to the border of
 * a word. Each piece between stars is looked for once, from where the one before it was
 * found: the earliest place leaves most room for the rest, so nothing is tried again.
 */
function fits(text: string, pattern: string): boolean {
  const pieces = piecesOf(plain(pattern));
  let from = 0;
  for (const piece of pieces) {
    const found = find(text, piece, from);
    if (found === undefined) return false;
    from = found + piece.text.length;
  }
  // An empty pattern is a slip of the pen; a star alone takes whatever no other template takes.
  return pattern.trim() !== '';
}

interface TemplatePiece {
  readonly text: string;
  /** Whether a word has to begin, or to end, there. */
  readonly startsWord: boolean;
  readonly endsWord: boolean;
}

// `fix*` goes on within the word, `fix *` behind it.
function piecesOf(pattern: string): readonly TemplatePiece[] {
  const texts = pattern.split('*');
  return texts.map((text, place) => ({
    text: text.trim(),
    startsWord: place === 0 || text.startsWith(' '),
    endsWord: place === texts.length - 1 || text.endsWith(' '),
  }));
}

function find(text: string, piece: TemplatePiece, from: number): number | undefined {
  if (piece.text === '') return from;
  let at = text.indexOf(piece.text, from);
  while (at !== -1) {
    const begins = !piece.startsWord || isBorder(text, at);
    if (begins && (!piece.endsWord || isBorder(text, at + piece.text.length))) return at;
    at = text.indexOf(piece.text, at + 1);
  }
  return undefined;
}

/** Not in the middle of a word. */
function isBorder(text: string, at: number): boolean {
  return !(isOfWord(text, at - 1) && isOfWord(text, at));
}

// A code unit is enough: beyond the basic plane are mostly pictures, which end a word.
const ofWord = /[\p{L}\p{N}\p{M}_]/u;

function isOfWord(text: string, at: number): boolean {
  return ofWord.test(text.charAt(at));
}

/** Small letters, and one space where there were several. */
function plain(text: string): string {
  return text.toLowerCase().replace(/\s+/g, ' ').trim();
}
