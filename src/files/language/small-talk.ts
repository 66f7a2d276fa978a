/** Turns of speech that say nothing of which files are meant; only where something is looked at. */
import type { Sentence } from '../../kernel/language/cursor.ts';

const phrases = [
  ...['at the moment', 'at this moment', 'at present', 'as of now', 'right now', 'right away'],
  ...['these days', 'so far', 'by any chance', 'by the way', 'for some reason', 'at all', 'if any'],
  ...['in total', 'all in all', 'in general', 'as well', 'all together', 'to me', 'for me'],
  ...['in a list', 'as a list', 'in one go', 'one by one', 'if you can', 'if possible'],
  ...['a handful of', 'a number of', 'an overview of', 'a summary of', 'a selection of'],
  ...['can you find', 'can you see', 'could you find', 'you can find', 'do you see', 'do you find'],
  ...['could i get rid of', 'can i get rid of', 'should i get rid of', 'to get rid of'],
  ...['if there is', 'if there are', 'whether there is', 'whether there are', 'if i have'],
  ...[
    'whether i have',
    'whether i still have',
    'if i still have',
    'lying around',
    'floating around',
  ],
  ...[
    'no matter where',
    'no matter how old',
    'no matter what',
    'as soon as you can',
    'in question',
  ],
  // Nothing is in the order of its kind: it is left as it is.
  ...['sorted by type', 'sorted by kind', 'sort by type', 'grouped by type', 'by type', 'by kind'],
  ...['that i no longer need', 'i no longer need', 'that i no longer use', 'i no longer use'],
  ...['one more time', 'once more', 'once again', 'first of all', 'to be honest', 'of course'],
  ...[
    'just list them',
    'list them',
    'show them to me',
    'a quick look at',
    'with their sizes',
    'with sizes',
    'with their dates',
    'with details',
  ],
  ...['along with their sizes', 'and their sizes', 'and how big they are', 'if there are any'],
  ...['a full list of', 'a complete list of', 'the full list of', 'the list of', 'a list of'],
].toSorted((a, b) => b.length - a.length);

export function takeSmallTalk(sentence: Sentence): void {
  sentence.takeAll((cursor) => cursor.take(...phrases));
}

const gatherings = new Set(['collection', 'collections', 'library', 'format', 'formats']);

/** `my music collection`, `files in PDF format`: behind a kind of files it says no more. */
export function takeGatherings(sentence: Sentence): void {
  sentence.takeAll((cursor) => {
    const isBehind = cursor.at > 0 && !sentence.isFree(cursor.at - 1);
    if (!isBehind || !gatherings.has(cursor.word ?? '')) return undefined;
    cursor.at++;
    return true;
  });
}
