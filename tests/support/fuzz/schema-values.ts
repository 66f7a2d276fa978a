/** Values that a schema allows. */
import fc from 'fast-check';
import type { Dice } from '../../sim/dice.ts';
import type { OpenApi, Schema } from './described-operations.ts';
import { resolved } from './described-operations.ts';

export interface Maker {
  readonly document: OpenApi;
  readonly dice: Dice;
  /** A word that means something in the field of this name; undefined for any. */
  wordFor(field: string): string | undefined;
  /** Fields that are never sent, though they may be. */
  readonly leftOut: ReadonlySet<string>;
  /** Whether texts, and what may be anything, shall be of the kind that nobody expects. */
  readonly isOdd: boolean;
  /** Whether a field is, that need not be. */
  isSent(field: string): boolean;
}

/** The schema itself, also where it only refers to it. */
export function schemaOf(document: OpenApi, schema: Schema): Schema {
  return typeof schema['$ref'] === 'string' ? resolved<Schema>(document, schema) : schema;
}

export function validValue(maker: Maker, given: Schema, field = ''): unknown {
  const { dice, document } = maker;
  const schema = schemaOf(document, given);
  if ('const' in schema) return schema['const'];
  if (Array.isArray(schema['enum'])) return dice.oneOf(schema['enum']);
  const choices = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(choices)) return validValue(maker, dice.oneOf(choices), field);
  switch (schema['type']) {
    case 'string':
      return textFor(maker, schema, field);
    case 'integer':
    case 'number':
      return numberFor(maker, schema, field);
    case 'boolean':
      return dice.chance(50);
    case 'null':
      return null;
    case 'array':
      return listFor(maker, schema, field);
    case 'object':
      return objectFor(maker, schema);
    default:
      return anyValue(maker, field);
  }
}

function textFor(maker: Maker, schema: Schema, field: string): string {
  const { dice, isOdd } = maker;
  const { pattern, maxLength = 200, minLength = 0 } = schema as TextRules;
  const waiting = waits.has(field) ? String(dice.below(20)) : undefined;
  const word = isOdd || dice.chance(10) ? undefined : maker.wordFor(field);
  const known = waiting ?? word;
  if (known !== undefined && (pattern === undefined || new RegExp(pattern).test(known))) {
    return known;
  }
  if (pattern !== undefined) return dice.pick(textsMatching(pattern));
  if (isOdd) return fitting(dice.pick(oddTexts), minLength, maxLength);
  return fitting(plainText(dice), minLength, maxLength);
}

interface TextRules {
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly minLength?: number;
}

/** Characters are counted as a schema counts them: a pair of surrogates is one. */
function fitting(text: string, least: number, most: number): string {
  const characters = [...text];
  if (characters.length > most) return characters.slice(0, most).join('');
  return text + 'x'.repeat(Math.max(0, least - characters.length));
}

function plainText(dice: Dice): string {
  const alphabet = 'abcdefghij KLMNO-_.:/0123456789äß';
  const length = dice.below(dice.chance(5) ? 3000 : 24);
  return Array.from({ length }, () => alphabet[dice.below(alphabet.length)]).join('');
}

/** Texts that have broken programs before. */
export const oddTexts: readonly [string, ...string[]] = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'x\udfff\ud800y',
  '\u202eabc',
  'e\u0301\u0327'.repeat(50),
  '\ufeffa',
  '👩‍👩‍👧‍👧',
  '\r\nSet-Cookie: a=b',
  '..',
  '../../../etc/passwd',
  '/etc/passwd\0.md',
  "'; drop table events; --",
  '%s%n%x%00',
  '{{7*7}}<%= 7 %>',
  '<script>alert(1)</script>',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'NaN',
  '-1',
  '1e309',
  '0x10',
  '９',
  'İ',
  '\u0085\u2028\u2029',
  '*',
  '#',
  '"',
  '\\',
  'x'.repeat(5000),
  '𝕏'.repeat(5000),
];

const patternTexts = new Map<string, readonly [string, ...string[]]>();

function textsMatching(pattern: string): readonly [string, ...string[]] {
  const known = patternTexts.get(pattern);
  if (known !== undefined) return known;
  const [first = '', ...rest] = fc.sample(fc.stringMatching(new RegExp(pattern)), {
    numRuns: 40,
    seed: 1,
  });
  const made = [first, ...rest] as const;
  patternTexts.set(pattern, [...made]);
  return [...made];
}

// Whoever waits as long as it may would take the whole time of the test.
const waits: ReadonlySet<string> = new Set(['wait_ms', 'timeout_ms']);

function numberFor({ dice }: Maker, schema: Schema, field: string): number {
  const least = Number(schema['minimum'] ?? -1000);
  const most = Number(schema['maximum'] ?? 1000);
  if (waits.has(field)) return Math.max(least, dice.below(20));
  // So that a goal is still there when others are about it.
  if (field === 'delay_ms' && dice.chance(80)) return dice.pick([1000, 60_000, 3_600_000]);
  if (dice.chance(10)) return least;
  if (dice.chance(10)) return most;
  return Math.min(most, least + dice.below(Math.min(most - least, 50) + 1));
}

function listFor(maker: Maker, schema: Schema, field: string): unknown[] {
  const least = Number(schema['minItems'] ?? 0);
  const most = Math.min(Number(schema['maxItems'] ?? 4), least + 3);
  const length = least + maker.dice.below(most - least + 1);
  const items = (schema['items'] ?? {}) as Schema;
  return Array.from({ length }, () => validValue(maker, items, field));
}

function objectFor(maker: Maker, schema: Schema): Record<string, unknown> {
  const { dice, leftOut } = maker;
  const required = new Set((schema['required'] ?? []) as readonly string[]);
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>);
  const made: Record<string, unknown> = {};
  for (const [name, property] of properties) {
    const isSent = required.has(name) || waits.has(name) || maker.isSent(name);
    if (isSent && !leftOut.has(name)) made[name] = validValue(maker, property, name);
  }
  const more = schema['additionalProperties'];
  if (typeof more === 'object' && more !== null && dice.chance(60)) {
    const names = maker.isOdd ? oddKeys : plainKeys;
    for (let left = dice.below(3); left >= 0; left--) {
      // As JSON.parse does it: "__proto__" becomes a field like others.
      define(made, dice.pick(names), validValue(maker, more as Schema));
    }
  }
  return made;
}

const plainKeys = ['a', 'X-Topic', 'month'] as const;
const oddKeys = ['__proto__', 'constructor', '', '\0', '\ud800', 'ä', 'a b', 'x:y'] as const;

export function define(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, {
    ...{ value, enumerable: true, configurable: true, writable: true },
  });
}

const usualArguments = [
  {},
  { path: '/etc/hostname' },
  { path: '/srv/a' },
  { to: 'bob', body: 'a' },
  { name: 'ada' },
] as const;

function anyValue(maker: Maker, field: string): unknown {
  const { dice, isOdd } = maker;
  if (!isOdd && field === 'args' && dice.chance(80)) return dice.pick(usualArguments);
  if (!isOdd) return dice.pick([null, 1, 'a', true, { path: '/srv/a' }, [], {}, { name: 'ada' }]);
  return dice.pick<() => unknown>([
    () => rawJson(deep(dice.pick([50, 2000, 20_000, 100_000]))),
    () => rawJson(dice.pick(['1e400', '-1e400', '1e-400', '123456789012345678901234567890'])),
    () => -0,
    () => Number.MAX_SAFE_INTEGER + 2,
    () => dice.pick(oddTexts),
    () => ({ [dice.pick(oddKeys)]: dice.pick(oddTexts) }),
    () => JSON.parse('{"__proto__":{"a":1},"constructor":{"prototype":{"b":2}}}'),
    () => Array.from({ length: 2000 }, () => 0),
  ])();
}

const rawMark = /"@raw@([^"]*)@"/g;

/** What JSON.stringify cannot write, or not so: stands for the text in `jsonText`. */
function rawJson(text: string): string {
  return `@raw@${Buffer.from(text).toString('base64')}@`;
}

export function jsonText(value: unknown): string {
  return JSON.stringify(value).replace(rawMark, (_mark, text: string) =>
    Buffer.from(text, 'base64').toString(),
  );
}

function deep(depth: number): string {
  return `${'[{"a":'.repeat(depth)}1${'}]'.repeat(depth)}`;
}
