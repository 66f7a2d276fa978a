/** A value that a schema allows, with one rule of it broken. */
import type { Dice } from '../../sim/dice.ts';
import type { OpenApi, Schema } from './described-operations.ts';
import { define, schemaOf } from './schema-values.ts';

export interface Fault {
  /** What was broken, and where: "too long at .goal". */
  readonly words: string;
  readonly value: unknown;
}

interface Site {
  readonly words: string;
  /** Makes the value with the fault. */
  make(): unknown;
}

// Longer ones are refused for their size before anybody looks at the schema.
const longestFault = 400_000;

/** Undefined where the schema has no rule that could be broken. */
export function withFault(
  document: OpenApi,
  dice: Dice,
  schema: Schema,
  value: unknown,
): Fault | undefined {
  const site = dice.oneOf([...sites(document, dice, schema, value, '')]);
  return site && { words: site.words, value: site.make() };
}

function* sites(
  document: OpenApi,
  dice: Dice,
  given: Schema,
  value: unknown,
  at: string,
): Iterable<Site> {
  const schema = schemaOf(document, given);
  const type = schema['type'];
  if (typeof type === 'string' || 'const' in schema || 'enum' in schema) {
    yield { words: `wrong type at ${at}`, make: () => ofAnotherType(dice, value) };
  }
  if (typeof value === 'string') yield* textSites(schema, at);
  if (typeof value === 'number') yield* numberSites(schema, at);
  if (Array.isArray(value)) yield* listSites(document, dice, schema, value, at);
  else if (typeof value === 'object' && value !== null) {
    yield* objectSites(document, dice, schema, value as Record<string, unknown>, at);
  }
}

function ofAnotherType(dice: Dice, value: unknown): unknown {
  const others = [null, true, 7, 'text', [], {}, [value], { a: 1 }, 1.5];
  const kind = kindOf(value);
  return dice.oneOf(others.filter((one) => kindOf(one) !== kind));
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function* textSites(schema: Schema, at: string): Iterable<Site> {
  const most = Number(schema['maxLength'] ?? Number.POSITIVE_INFINITY);
  if (most < longestFault) {
    yield { words: `too long at ${at}`, make: () => 'x'.repeat(most + 1) };
  }
  if (Number(schema['minLength'] ?? 0) > 0) {
    yield { words: `too short at ${at}`, make: () => '' };
  }
  if ('pattern' in schema || 'enum' in schema || 'const' in schema) {
    yield { words: `no such text at ${at}`, make: () => '\u0000~no' };
  }
}

function* numberSites(schema: Schema, at: string): Iterable<Site> {
  const least = schema['minimum'] ?? schema['exclusiveMinimum'];
  const most = schema['maximum'] ?? schema['exclusiveMaximum'];
  if (typeof least === 'number') yield { words: `too small at ${at}`, make: () => least - 1 };
  if (typeof most === 'number') {
    yield { words: `too large at ${at}`, make: () => Math.max(most + 1, most * 2) };
    yield { words: `far too large at ${at}`, make: () => 1e300 };
  }
  if (schema['type'] === 'integer') yield { words: `a fraction at ${at}`, make: () => 1.5 };
}

function* listSites(
  document: OpenApi,
  dice: Dice,
  schema: Schema,
  value: readonly unknown[],
  at: string,
): Iterable<Site> {
  const most = Number(schema['maxItems'] ?? Number.POSITIVE_INFINITY);
  if (most <= 1000) {
    const one = value[0] ?? 'x';
    yield { words: `too many at ${at}`, make: () => Array.from({ length: most + 1 }, () => one) };
  }
  if (Number(schema['minItems'] ?? 0) > 0) yield { words: `too few at ${at}`, make: () => [] };
  for (const [index, item] of value.entries()) {
    const inner = sites(document, dice, (schema['items'] ?? {}) as Schema, item, `${at}[${index}]`);
    for (const { words, make } of inner) yield { words, make: () => value.with(index, make()) };
  }
}

function* objectSites(
  document: OpenApi,
  dice: Dice,
  schema: Schema,
  value: Record<string, unknown>,
  at: string,
): Iterable<Site> {
  for (const name of (schema['required'] ?? []) as readonly string[]) {
    yield { words: `missing ${at}.${name}`, make: () => without(value, name) };
  }
  if (schema['additionalProperties'] === false) {
    for (const name of ['no_such_field', '__proto__', 'constructor', '', '\ud800']) {
      yield {
        words: `extra ${JSON.stringify(name)} in ${at}`,
        make: () => withOne(value, name, 1),
      };
    }
  }
  const properties = (schema['properties'] ?? {}) as Record<string, Schema>;
  for (const [name, property] of Object.entries(properties)) {
    if (!Object.hasOwn(value, name)) continue;
    for (const { words, make } of sites(document, dice, property, value[name], `${at}.${name}`)) {
      yield { words, make: () => withOne(value, name, make()) };
    }
  }
}

function without(value: Readonly<Record<string, unknown>>, name: string): unknown {
  const { [name]: _gone, ...rest } = value;
  return rest;
}

function withOne(value: Readonly<Record<string, unknown>>, name: string, one: unknown): unknown {
  const copy = { ...value };
  define(copy, name, one);
  return copy;
}
