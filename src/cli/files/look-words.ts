/** What the file agent has found, as a person reads it. */
import type { FileAnswer } from '../../kernel/files/request.ts';
import { countWords, thousands } from '../../kernel/files/words.ts';
import { must } from '../../kernel/must.ts';
import { oneLine } from '../../kernel/text/quote.ts';
import { table } from '../core/words.ts';
import { folderOf, type ShowPath } from './path.ts';

export interface LookView {
  /** The data. */
  readonly text: string;
  /** What else there is to know, a line each. */
  readonly notes: readonly string[];
}

interface File {
  readonly name: string;
  readonly path: string;
  readonly size: string;
  readonly type: string;
  readonly modified: string;
  readonly taken?: string;
  readonly taken_guessed?: true;
  readonly why?: readonly string[];
  readonly line?: { readonly number: number; readonly text: string };
}

interface Found {
  readonly files?: readonly File[] | number;
  readonly duplicates?: readonly { readonly size: string; readonly files: readonly File[] }[];
  readonly by_folder?: readonly { readonly path: string; readonly size: string }[];
  readonly by_type?: readonly {
    readonly type: string;
    readonly files: number;
    readonly size: string;
  }[];
  readonly total?: number;
  readonly truncated?: boolean;
  readonly skipped?: readonly { readonly path: string; readonly why: string }[];
  readonly skipped_total?: number;
  readonly denied_total?: number;
}

interface ViewOptions {
  readonly show: ShowPath;
  /** Where no more than that was asked for. */
  readonly limit: number | undefined;
}

/** Of any look but `read_file`. */
export function lookWords(answer: FileAnswer, { show, limit }: ViewOptions): LookView {
  // What the file agent of this version answers.
  const found = answer.result as Found;
  const { files, duplicates, by_folder } = found;
  const done = oneLine(answer.action_performed);
  if (duplicates !== undefined) {
    return {
      text: groupsText(duplicates, show),
      notes: [done, ...notesOf(found, { show, limit })],
    };
  }
  if (Array.isArray(files)) {
    return { text: filesText(files, show), notes: [done, ...notesOf(found, { show, limit })] };
  }
  if (by_folder !== undefined && typeof files === 'number') {
    return { text: usageText(found, { done, show }), notes: notesOf(found, { show, limit }) };
  }
  return { text: fieldsText(found, show), notes: [] };
}

function filesText(files: readonly File[], show: ShowPath): string {
  if (files.length === 0) return 'Nothing fits.';
  const lines = table(files.map((file) => row(file, show))).split('\n');
  return files
    .flatMap((file, index) => [must(lines[index], 'the line of a file'), ...whyLines(file)])
    .join('\n');
}

function row(file: File, show: ShowPath): readonly string[] {
  const { name, size, type, modified, path, taken, taken_guessed } = file;
  const when = taken === undefined || taken_guessed === true ? modified : `taken ${taken}`;
  return [oneLine(name), size, oneLine(type), when, show(folderOf(path))];
}

function whyLines({ why = [], line }: File): readonly string[] {
  const found = line === undefined ? [] : [`line ${line.number}: ${line.text.trim()}`];
  const all = [...why, ...found].map(oneLine);
  return all.length === 0 ? [] : [`  ${all.join('; ')}`];
}

function groupsText(groups: NonNullable<Found['duplicates']>, show: ShowPath): string {
  if (groups.length === 0) return 'No file is there more than once.';
  return groups
    .map(({ size, files }) => {
      const paths = files.map(({ path }) => `  ${show(path)}`);
      return [`${countWords(files.length, 'file')} of ${size} each`, ...paths].join('\n');
    })
    .join('\n');
}

function usageText(
  { by_folder = [], by_type = [] }: Found,
  { done, show }: { readonly done: string; readonly show: ShowPath },
): string {
  const folders = by_folder.map(({ path, size }) => [size.padStart(9), show(path)]);
  const types = by_type.map(({ type, files, size }) => [
    ...[size.padStart(9), oneLine(type), countWords(files, 'file')],
  ]);
  const parts = [
    done,
    ...(folders.length > 0 ? [table(folders)] : []),
    ...(types.length > 0 ? [table(types)] : []),
  ];
  return parts.join('\n\n');
}

/** Everything that is known of one file, a line each. */
function fieldsText(facts: object, show: ShowPath): string {
  const isSized = !('size' in facts) || facts.size !== '';
  const fields = Object.entries(facts).filter(([key]) => isSized || key !== 'size_bytes');
  return table(fields.flatMap(([key, value]) => fieldRows(key, value, show)));
}

// They say the same in other words, for programs; or nothing, of a folder.
const forPrograms: ReadonlySet<string> = new Set([
  ...['modified_at', 'taken_at', 'contains apparent_bytes', 'contains allocated_bytes'],
  ...['contains skipped_total', 'contains denied_total'],
]);

function fieldRows(key: string, value: unknown, show: ShowPath): string[][] {
  if (value === '' || forPrograms.has(key)) return [];
  if (typeof value === 'object' && value !== null) {
    const inside: [string, unknown][] = Object.entries(value);
    return inside
      .filter(([, inner]) => typeof inner !== 'object')
      .flatMap(([inner, it]) => fieldRows(`${key} ${inner}`, it, show));
  }
  const text = key === 'path' ? show(String(value)) : oneLine(String(value));
  return [[key.replaceAll('_', ' '), text]];
}

/** That it is not all, and why. */
function notesOf(found: Found, { show, limit }: ViewOptions): readonly string[] {
  const { truncated, total = 0, skipped = [], skipped_total = 0, denied_total = 0 } = found;
  const [first] = skipped;
  const parts = [
    ...(truncated === true && limit === undefined
      ? [`Not all ${thousands(total)} are shown: --limit N shows more.`]
      : []),
    ...(skipped_total > 0 && first !== undefined
      ? [
          `${countWords(skipped_total, 'thing')} could not be looked at, as ${show(first.path)} (${first.why}).`,
        ]
      : []),
    ...(denied_total > 0 ? ['There is more that may not be seen.'] : []),
  ];
  return parts.length === 0 ? [] : [parts.join(' ')];
}
