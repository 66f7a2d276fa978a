/**
 * `{{goal}}`, `{{last}}` and `{{result 2}}` in the texts of a script, with pipes behind them:
 * `{{result 1 | json items.0.name | first 20}}`.
 */
import { quote } from '../../kernel/text/quote.ts';
import { isObject } from '../failure.ts';

/** What a conversation holds that a template can ask for. */
export interface Facts {
  readonly goal: string;
  /** The last tool result or user message. */
  readonly last: string;
  /** Every tool result so far. */
  readonly results: readonly string[];
}

/** A template that cannot be filled in, with the reason. */
export class TemplateFault extends Error {}

type Pipe = (value: unknown) => unknown;
interface Template {
  readonly source: (facts: Facts) => string;
  readonly pipes: readonly Pipe[];
}

const anyTemplate = /\{\{([^{}]*)\}\}/g;
const onlyTemplate = /^\{\{([^{}]*)\}\}$/;

/** What is wrong with the templates of a text; undefined when they can be understood. */
export function badTemplate(text: string): string | undefined {
  if (text.replaceAll(anyTemplate, '').includes('{{')) return 'a "{{" has no "}}" to it';
  try {
    for (const [, inside = ''] of text.matchAll(anyTemplate)) parseTemplate(inside);
    return undefined;
  } catch (error) {
    if (error instanceof TemplateFault) return error.message;
    throw error;
  }
}

export function fillText(text: string, facts: Facts): string {
  if (!text.includes('{{')) return text;
  return text.replaceAll(anyTemplate, (_whole, inside: string) => asText(meaningOf(inside, facts)));
}

/**
 * Like fillText(), for arguments: a string that is one template keeps the type of what it stands
 * for.
 */
export function fillValue(value: unknown, facts: Facts): unknown {
  if (typeof value === 'string') {
    const inside = onlyTemplate.exec(value)?.[1];
    return inside === undefined ? fillText(value, facts) : meaningOf(inside, facts);
  }
  if (Array.isArray(value)) return value.map((item) => fillValue(item, facts));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, fillValue(item, facts)]),
  );
}

function meaningOf(inside: string, facts: Facts): unknown {
  const { source, pipes } = parseTemplate(inside);
  return pipes.reduce<unknown>((value, pipe) => pipe(value), source(facts));
}

function parseTemplate(inside: string): Template {
  const [source = '', ...pipes] = inside.split('|').map((piece) => piece.trim());
  return { source: parseSource(source), pipes: pipes.map(parsePipe) };
}

function parseSource(text: string): Template['source'] {
  if (text === 'goal') return ({ goal }) => goal;
  if (text === 'last') return ({ last }) => last;
  const number = /^result\s+([1-9]\d{0,6})$/.exec(text)?.[1];
  if (number === undefined) {
    throw new TemplateFault(
      `there is no template ${quote(text)}; there are goal, last and result N`,
    );
  }
  return ({ results }) => {
    const result = results[Number(number) - 1];
    if (result !== undefined) return result;
    throw new TemplateFault(`there is no result ${number}: ${results.length} came so far`);
  };
}

function parsePipe(text: string): Pipe {
  const [, name = '', argument = ''] = /^(\S*)\s*(.*)$/s.exec(text) ?? [];
  if (name === 'json') return (value) => at(parseJson(asText(value)), argument);
  if (name === 'first' && /^\d{1,9}$/.test(argument)) {
    return (value) => [...asText(value)].slice(0, Number(argument)).join('');
  }
  const simple = argument === '' ? simplePipes.get(name) : undefined;
  if (simple !== undefined) return (value) => simple(asText(value));
  throw new TemplateFault(
    `there is no pipe ${quote(text)}; there are json PATH, lines, words, bytes, first N and trim`,
  );
}

const simplePipes = new Map<string, (text: string) => number | string>([
  ['lines', (text) => (text === '' ? 0 : text.replace(/\n$/, '').split('\n').length)],
  ['words', (text) => text.split(/\s+/).filter((word) => word !== '').length],
  ['bytes', (text) => Buffer.byteLength(text)],
  ['trim', (text) => text.trim()],
]);

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new TemplateFault(`this is no JSON: ${quote(text.slice(0, 60))}`);
  }
}

function at(value: unknown, path: string): unknown {
  if (path === '') return value;
  let found = value;
  for (const key of path.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) {
      throw new TemplateFault(`there is no ${quote(path)} in the JSON`);
    }
    // An object or an array by the line before; either is read by its keys.
    found = (found as Readonly<Record<string, unknown>>)[key];
  }
  return found;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
