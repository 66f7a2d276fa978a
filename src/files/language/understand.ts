/**
 * A sentence in English, made into a request without a model.
 *
 * U1. What changes files is only understood where every word that could matter was made use of.
 *     Everything else asks back: a question costs less than a file.
 * U2. What only looks is read leniently: words that mean nothing else are looked for.
 * U3. Quoted texts and names of files are data. No word in them says what is to be done.
 * U4. A negated verb, or two verbs, never lead to either of them.
 */
import type { SentenceWorld, Understanding } from '../../kernel/files/understanding.ts';
import { Sentence } from '../../kernel/language/cursor.ts';
import { tokensOf } from '../../kernel/language/tokens.ts';
import { doubtOf } from './doubts.ts';
import { type SaidOptions, takeDryRun, takeOptions } from './options.ts';
import { readingOf } from './reading.ts';
import { bareNameOf, requestOf } from './request.ts';
import { outOfScope } from './scope.ts';
import { type Slots, slotsOf } from './slots.ts';
import {
  archiveVerb,
  negatedVerb,
  takeReassurance,
  unclearVerb,
  withVerbMended,
} from './unclear.ts';
import { afterPoliteness, isChange, secondVerb, takeVerb, type VerbFound } from './verbs.ts';
import { overwritingAt, understandWriting } from './writing.ts';

const mostCharacters = 2000;
/** A quoted text counts as one. */
const mostWords = 200;

/** With the name of a file that has to be looked for, where the sentence leaves its folder open. */
export type SentenceRead = Understanding & { readonly bareName?: string };

export function understand(sentence: string, world: SentenceWorld): SentenceRead {
  if (sentence.length > mostCharacters) {
    return asking('The sentence is too long', {
      question: `Please say it in less than ${mostCharacters} characters, one thing at a time.`,
    });
  }
  const words = new Sentence(withVerbMended(tokensOf(sentence)));
  if (words.tokens.length > mostWords) {
    return asking('The sentence is too long', {
      question: `Please say it in less than ${mostWords} words; put a text that is to be written in quotes.`,
    });
  }
  if (words.tokens.length === 0) {
    return asking('Nothing was said', {
      question: 'What shall I do? For example: find PDFs from last week.',
    });
  }
  const isDryRun = takeDryRun(words);
  if (!isDryRun) takeReassurance(words);
  const options = takeOptions(words);
  return (
    refusedOrNegated(words, world) ??
    understandWriting(words, world, { isDryRun }) ??
    understandVerb(words, world, { isDryRun, options })
  );
}

function refusedOrNegated(words: Sentence, world: SentenceWorld): Understanding | undefined {
  // U4
  const negated = negatedVerb(words);
  if (negated !== undefined) {
    return asking(`Do not ${negated}`, {
      question: `I will not ${negated} anything. Tell me what I shall do instead, without "not".`,
    });
  }
  const start = afterPoliteness(words);
  const refusal = outOfScope(words, start, world);
  if (refusal !== undefined) {
    return { kind: 'refused', reading: refusal.message, confidence: 0.9, unused: [], ...refusal };
  }
  const archived = archiveVerb(words, start, world);
  if (archived !== undefined) return archived;
  if (overwritingAt(words, start) !== undefined) return undefined;
  const vague = unclearVerb(words, start);
  return vague === undefined ? undefined : asking('Not clear what to do', { question: vague });
}

function understandVerb(
  words: Sentence,
  world: SentenceWorld,
  { isDryRun, options }: { readonly isDryRun: boolean; readonly options: SaidOptions },
): SentenceRead {
  const verb = chosenVerb(words);
  if (verb === 'two') {
    return asking('Two things at once', {
      question: 'That is more than one thing to do. Please tell me one at a time.',
    });
  }
  const slots = slotsOf(words, { verb, options }, world);
  const request = requestOf(slots, world, { isDryRun });
  const reading = readingOf(request, slots, world);
  const unused = slots.left.map(({ text }) => text);
  const doubt = doubtOf(slots, request);
  if (doubt !== undefined) {
    return { kind: 'asks-back', reading, confidence: 0.3, unused, question: doubt, request };
  }
  const isSearch = request.action === 'search_files';
  const bareName = bareNameOf(slots, request);
  return {
    ...{ kind: 'understood', reading, confidence: confidenceOf(slots), request },
    unused: isSearch ? [] : unused,
    ...(bareName === undefined ? {} : { bareName }),
  };
}

/** Without any verb it is something to look for. */
function chosenVerb(words: Sentence): VerbFound | 'two' {
  const first = takeVerb(words) ?? { verb: 'find', said: '', at: 0, next: 0 };
  const second = secondVerb(words, first.next);
  if (second === undefined) return first;
  // "Find the logs and delete them" is one thing.
  const after = words.tokens[second.next];
  const isSame = ['them', 'it', 'those', 'these', 'all'].includes(after?.fold ?? '');
  const isLooking = first.verb === 'find' || first.verb === 'list';
  if ((isLooking || first.said === 'take') && isSame && isChange(second.verb)) {
    words.use(second.at - 1, second.next + 1);
    return second;
  }
  if (first.verb === second.verb && !isChange(first.verb)) return first;
  if (first.verb === 'read' && !isChange(second.verb) && saysNoMore(words, second.next)) {
    words.use(second.at - 1, words.tokens.length);
    return first;
  }
  if (first.verb === 'rename' && second.verb === 'rename') return first;
  // "Copy it there and call it b.txt" is one thing: the name is taken with the place.
  const isNamed = second.verb === 'rename' && after?.fold === 'it';
  if (isNamed && (first.verb === 'move' || first.verb === 'copy')) return first;
  if (isLooking && !isChange(second.verb)) {
    words.use(second.at, second.next);
    return first;
  }
  return 'two';
}

/** `open a.txt and show me what it says`. */
function saysNoMore({ tokens }: Sentence, from: number): boolean {
  const more = ['me', 'what', 'is', 'in', 'it', 'inside', 'says', 'say', 'to', 'the', 'contents'];
  return tokens.slice(from).every(({ kind, fold }) => kind === 'word' && more.includes(fold));
}

function confidenceOf(slots: Slots): number {
  const isGuessed = slots.folders.some(({ how }) => how !== 'exact');
  const isUnsure =
    slots.folders.some(({ others }) => others.length > 0) || slots.dates?.isAmbiguous === true;
  const isNew = slots.destination?.kind === 'folder' && slots.destination.folder.how === 'new';
  const words = Math.min(3, slots.left.length) * 0.05;
  const verb = slots.verb.said === '' ? 0.2 : 0;
  return Number(
    (
      0.95 -
      (isGuessed ? 0.25 : 0) -
      (isUnsure ? 0.2 : 0) -
      (isNew ? 0.1 : 0) -
      words -
      verb
    ).toFixed(2),
  );
}

function asking(reading: string, { question }: { readonly question: string }): Understanding {
  return { kind: 'asks-back', reading, confidence: 0.2, unused: [], question };
}
