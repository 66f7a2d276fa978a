/** The schemas of the contract as JSON Schema, with those that have a name told once. */
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface NamedSchemas {
  /** What comes in. */
  input(schema: z.ZodType): JsonSchema;
  /** What goes out. */
  answer(schema: z.ZodType): JsonSchema;
  /** All names that were referred to so far, in alphabetical order. */
  components(): Readonly<Record<string, JsonSchema>>;
}

export function namedSchemas(): NamedSchemas {
  const named = new Map<string, JsonSchema>();
  const add = (name: string, schema: JsonSchema): void => {
    const known = named.get(name);
    // A name that means two things would be wrong for whoever reads the other one.
    if (known !== undefined && !isDeepStrictEqual(known, schema)) {
      throw new Error(`two schemas of the contract are called ${name}`);
    }
    named.set(name, schema);
  };
  const take = (schema: z.ZodType, io: 'input' | 'output'): JsonSchema => {
    const { $schema: _mark, $defs = {}, ...rest } = referring(z.toJSONSchema(schema, { io }));
    // z.toJSONSchema puts there what has a name.
    for (const [name, one] of Object.entries($defs as Record<string, JsonSchema>)) add(name, one);
    return rest;
  };
  return {
    input: (schema) => take(schema, 'input'),
    answer: (schema) => take(schema, 'output'),
    components: () => Object.fromEntries([...named].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

export function reference(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

function referring(schema: object): JsonSchema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
}
