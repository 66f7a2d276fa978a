/**
 * Sentences and what is expected of them, as text: a line with the sentence, and an indented one
 * with the action, the path and the rest; where more than one answer is right, a line for each.
 * Dates are those of the place that the sentences are spoken in. `type_has docx` is any list of
 * types with that one in it.
 *
 *   Find all PDFs in Downloads older than 30 days
 *     list_files ~/Downloads; type pdf; modified_before 2026-10-16T13:00; recursive
 */
import { fileActions } from '../../src/kernel/files/request.ts';
import type { SentenceWorld } from '../../src/kernel/files/understanding.ts';
import type { TimeZone } from '../../src/kernel/ports.ts';

export type Expected =
  | { readonly kind: 'understood'; readonly request: Readonly<Record<string, unknown>> }
  | { readonly kind: 'asks-back' }
  /** `nobody`: no agent does that; `any`: whoever it is. */
  | { readonly kind: 'refused'; readonly agent: string };

export interface Row {
  readonly sentence: string;
  /** Each of them is right. */
  readonly expected: readonly Expected[];
  /** Where it is said; `sentenceWorld` unless told. */
  readonly world?: SentenceWorld;
}

export function rowsOf(text: string, zone: TimeZone): Row[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.flatMap((line, index) => {
    if (line.startsWith(' ')) return [];
    const end = lines.findIndex((other, at) => at > index && !other.startsWith(' '));
    const answers = lines.slice(index + 1, end === -1 ? lines.length : end);
    if (answers.length === 0) throw new Error(`nothing is expected of: ${line}`);
    return [{ sentence: line, expected: answers.map((each) => expectedOf(each.trim(), zone)) }];
  });
}

function expectedOf(text: string, zone: TimeZone): Expected {
  const [head = '', ...fields] = text.split('; ');
  const [word = '', rest = ''] = cut(head);
  if (word === 'asks') return { kind: 'asks-back' };
  if (word === 'refused') return { kind: 'refused', agent: rest };
  if (!fileActions.some((action) => action === word)) throw new Error(`no action: ${text}`);
  const request: Record<string, unknown> = { action: word, path: rest };
  const groups: Record<string, Record<string, unknown>> = {};
  for (const [key = '', value = ''] of fields.map(cut)) {
    const group = groupOf(key);
    if (group === undefined) request[key] = value;
    else groups[group] = { ...groups[group], [key]: readValue(key, value, zone) };
  }
  return { kind: 'understood', request: { ...request, ...groups } };
}

function cut(text: string): readonly string[] {
  const space = text.indexOf(' ');
  return space === -1 ? [text, ''] : [text.slice(0, space), text.slice(space + 1)];
}

const inOptions =
  'recursive dry_run limit sort order hidden search_in exact on_conflict permanent'.split(' ');

function groupOf(key: string): 'filters' | 'options' | undefined {
  if (['destination', 'query', 'query_has', 'content'].includes(key)) return undefined;
  return inOptions.includes(key) ? 'options' : 'filters';
}

function readValue(key: string, value: string, zone: TimeZone): unknown {
  if (key === 'exclude') return value.split(', ');
  if (['size_gt', 'size_lt', 'limit'].includes(key)) return Number(value);
  if (/_(?:after|before)$/.test(key)) return momentOf(value, zone);
  if (value === '' || value === 'no') return value === '';
  return value;
}

function momentOf(value: string, zone: TimeZone): string {
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0] = value.split(/[-T:]/).map(Number);
  return new Date(zone.instantOf({ year, month, day, hour, minute, second: 0 })).toISOString();
}
