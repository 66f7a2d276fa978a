/** `shwo me my photos`: the verb at the head of a sentence, with a letter wrong. */

import { Sentence } from '../../kernel/language/cursor.ts';
import { distance } from '../../kernel/language/spelling.ts';
import type { Token } from '../../kernel/language/tokens.ts';
import { quote } from '../../kernel/text/quote.ts';
import { typeAt } from './type-words.ts';
import { afterPoliteness, verbAt } from './verbs.ts';

const looking = ['show', 'find', 'list', 'search', 'display', 'locate', 'count', 'where', 'which'];
const changing = ['delete', 'remove', 'move', 'copy', 'rename', 'erase', 'trash', 'transfer'];
/** What a verb is followed by, and hardly any other word. */
const objects = new Set('me my the all every any for in files everything this these'.split(' '));

/** Mended where it only looks. */
export function withVerbMended(tokens: readonly Token[]): readonly Token[] {
  const at = unknownHead(tokens);
  const verb = at === undefined ? undefined : meant(tokens[at], looking);
  if (at === undefined || verb === undefined) return tokens;
  return tokens.map((token, place) => (place === at ? { ...token, fold: verb } : token));
}

/** What changes files is asked for once more. */
export function misspeltChange({ tokens }: Sentence): string | undefined {
  const at = unknownHead(tokens);
  const verb = at === undefined ? undefined : meant(tokens[at], changing);
  return verb === undefined ? undefined : `Do you mean ${quote(verb)}? Please say it once more.`;
}

function unknownHead(tokens: readonly Token[]): number | undefined {
  const sentence = new Sentence(tokens);
  const at = afterPoliteness(sentence);
  const next = tokens[at + 1];
  const isObject =
    objects.has(next?.fold ?? '') ||
    (next !== undefined && next.kind !== 'word') ||
    typeAt(sentence.cursor(at + 1)) !== undefined;
  const isKnown = [verbAt, typeAt].some((rule) => rule(sentence.cursor(at)) !== undefined);
  return isObject && !isKnown && tokens[at]?.kind === 'word' ? at : undefined;
}

function meant(token: Token | undefined, verbs: readonly string[]): string | undefined {
  const word = token?.fold ?? '';
  // "Mode" and "cope" are words.
  const isLong = word.length >= 4;
  return isLong ? verbs.find((verb) => verb !== word && distance(verb, word) === 1) : undefined;
}
