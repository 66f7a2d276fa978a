/** What of a memory is searched by, and what the ranking knows of it. */
import { isStopWord } from './stop-words.ts';
import { folded, spaced, wordsOf } from './words.ts';

export interface Searchable {
  readonly text: string;
  /** What it says more than once. */
  readonly again: string;
  /** What it is called. */
  readonly label: string;
}

export function searchableOf(memory: {
  readonly text: string;
  readonly key: string;
  readonly tags: readonly string[];
}): Searchable {
  const { text, key, tags } = memory;
  return { text: spaced(text), again: saidAgain(text), label: spaced([key, ...tags].join(' ')) };
}

function saidAgain(text: string): string {
  const [once, again] = [new Set<string>(), new Set<string>()];
  for (const word of wordsOf(text)) {
    const fold = folded(word);
    if (once.has(fold)) again.add(fold);
    else once.add(fold);
  }
  return [...again].filter((word) => !isStopWord(word)).join(' ');
}

const named = /^\s*(\p{L}[\p{L}\p{M}\p{N} .'’_-]{0,59}):\s/u;

/** Who speaks, where the text of a conversation says so: `Jean: I am here`. */
export function speakerOf(text: string): string | undefined {
  const name = named.exec(text)?.[1];
  return name === undefined ? undefined : folded(name.trim());
}

/** Whether it ends with a question; what stands in brackets behind it belongs to no sentence. */
export function isQuestion(text: string): boolean {
  const end = text.slice(-400).trimEnd();
  return /\?["'”’»)\]]*$/.test(end.replace(/\([^()]*\)$/, '').trimEnd());
}
