/**
 * The labels of invariants (R1, G5), read off the comments: each that a comment cites is defined.
 *
 * A label is defined once in a file, by a line `R1. …` of the comment with which the file begins,
 * or of one that has an empty line above its list. It is cited by its name anywhere else. The
 * citation may name the file: `R1 to R6 of home-lock.ts`, or `home-lock.ts, R1`. Without a name it
 * means the file it stands in, or else the one that the first comment of its file names for the
 * same label.
 */
import { basename, dirname, posix } from 'node:path';
import { commentsOf, type SourceFile } from './source-rules.ts';

interface Citation {
  readonly label: string;
  /** As it was written; undefined where no file was named. */
  readonly file: string | undefined;
}

/** Each label that is defined twice, or cited and not defined where it should be. */
export function undefinedLabels(sources: readonly SourceFile[]): string[] {
  const definitions = new Map(
    sources.map(({ path, code }) => [path, new Set(labelsDefinedIn(code))]),
  );
  return sources.flatMap(({ path, code }) => {
    const defined = labelsDefinedIn(code);
    const twice = defined.filter((label, place) => defined.indexOf(label) !== place);
    const comments = commentsOf(code).map(({ text }) => plainText(text));
    const named = new Map(
      citationsIn(comments[0] ?? '').flatMap(({ label, file }) => (file ? [[label, file]] : [])),
    );
    const own = definitions.get(path) ?? new Set();
    const wrong = comments.flatMap(citationsIn).flatMap(({ label, file: written }) => {
      const file = written ?? (own.has(label) ? undefined : named.get(label));
      if (file === undefined) {
        return own.has(label) || otherMeanings.has(label) ? [] : [`${path}: ${label}`];
      }
      const meant = filesNamed(file, path, [...definitions.keys()]);
      const isDefined = meant.some((target) => definitions.get(target)?.has(label) === true);
      return isDefined ? [] : [`${path}: ${label} of ${file}`];
    });
    return [...twice.map((label) => `${path}: ${label}, twice`), ...new Set(wrong)];
  });
}

/** The store of Amazon and the engine in Node, which look like labels. */
const otherMeanings = new Set(['S3', 'V8']);

function labelsDefinedIn(code: string): string[] {
  return commentsOf(code).flatMap(({ text, at }) => {
    const [intro = '', ...rest] = text.split(/^ *(?:\*|\/\/)$/m);
    const lists = at === 0 ? [intro, ...rest] : rest;
    return lists.flatMap((list) =>
      [...list.matchAll(/^ *(?:\*|\/\/) ([A-Z]\d\d?)\. /gm)].map((match) => match[1] ?? ''),
    );
  });
}

/** Without the marks of the comment, and without what it quotes but names of files. */
function plainText(comment: string): string {
  return comment
    .replace(/^\/[/*]*|\*\/$/g, '')
    .replace(/\n *(?:\*|\/\/)? */g, ' ')
    .replace(/`([^`]*)`/g, (_all, quoted: string) => (quoted.endsWith('.ts') ? quoted : '…'));
}

const label = '\\b[A-Z]\\d\\d?\\b';
const labels = `${label}(?:(?:,| and|, and| or| to) ${label})*`;
const file = '[\\w./-]+\\.ts';
const citation = new RegExp(
  `(?:(${file})(?:,|:| \\() ?)?(${labels})(?: (?:of|in) (${file}))?`,
  'g',
);

function citationsIn(text: string): Citation[] {
  return [...text.matchAll(citation)].flatMap(([, before, cited = '', after]) =>
    labelsIn(cited).map((name) => ({ label: name, file: after ?? before })),
  );
}

/** `R1 to R3` are three. */
function labelsIn(cited: string): string[] {
  const range = /^([A-Z])(\d+) to \1(\d+)$/.exec(cited);
  if (range === null) return cited.match(/[A-Z]\d+/g) ?? [];
  const [, letter, first, last] = range;
  const length = Number(last) - Number(first) + 1;
  return Array.from({ length }, (_, index) => `${letter}${Number(first) + index}`);
}

/** The file beside the one that names it, else all whose path ends with the name. */
function filesNamed(name: string, from: string, paths: readonly string[]): string[] {
  const beside = posix.join(dirname(from), name);
  if (paths.includes(beside)) return [beside];
  return paths.filter(
    (path) => path.endsWith(`/${name}`) || path === name || basename(path) === name,
  );
}
