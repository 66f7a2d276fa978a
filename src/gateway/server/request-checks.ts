/**
 * The checks of requests against the contract. A check is compiled when the first request needs
 * it: there are some three hundred, and compiling all was more than a third of the daemon's start.
 */
import AjvCompiler from '@fastify/ajv-compiler';
import type { FastifySchemaCompiler } from 'fastify';
import * as z from 'zod';
import type { Verb } from '../../verbs/verb.ts';

/** A schema of the contract that becomes JSON Schema only when it is compiled. */
export class ContractSchema {
  readonly schema: z.ZodType;

  constructor(schema: z.ZodType) {
    this.schema = schema;
  }

  toJsonSchema(): Record<string, unknown> {
    return { ...z.toJSONSchema(this.schema, { target: 'draft-7', io: 'input' }) };
  }
}

/** What the framework is told of a route's query, parameters and body. */
export function requestSchema(route: Verb): Record<string, unknown> {
  const schema = {
    querystring: new ContractSchema(route.query),
    params: new ContractSchema(route.params),
  };
  // Without fields a body is not looked at, so that none need be sent.
  const isChecked = route.method === 'POST' && route.ownBodyCheck !== true;
  return isChecked && hasFields(route.input)
    ? { ...schema, body: new ContractSchema(route.input) }
    : schema;
}

function hasFields(schema: z.ZodType): boolean {
  return schema instanceof z.ZodObject && Object.keys(schema.shape).length > 0;
}

const customOptions = { coerceTypes: false, removeAdditional: false, useDefaults: false };

type Compile = FastifySchemaCompiler<unknown>;
type Check = ReturnType<Compile>;

const compile: Compile = AjvCompiler()({}, { customOptions });
/** Of the contract, which is the same for every gateway of this process. */
const checks = new WeakMap<z.ZodType, Check>();

/** Compiles a ContractSchema at its first use, and any other schema at once. */
export function schemaCompiler(): Compile {
  return ({ schema, ...rest }) => {
    if (!(schema instanceof ContractSchema)) return compile({ schema, ...rest });
    const known = checks.get(schema.schema);
    if (known !== undefined) return known;
    const check = compiledOnce(() => compile({ schema: schema.toJsonSchema(), ...rest }));
    checks.set(schema.schema, check);
    return check;
  };
}

function compiledOnce(compileNow: () => Check): Check {
  let compiled: Check | undefined;
  const check: Check = (value) => {
    compiled ??= compileNow();
    const result = compiled(value);
    // Where the framework looks for what is wrong.
    check.errors = compiled.errors ?? null;
    return result;
  };
  return check;
}
