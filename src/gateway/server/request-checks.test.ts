import { expect, test } from 'vitest';
import * as z from 'zod';
import { routes } from '../contract/contract.ts';
import { ContractSchema, requestSchema, schemaCompiler } from './request-head.ts';

const where = { method: 'POST', url: '/' } as const;

test('every schema of the contract can be compiled', () => {
  const compile = schemaCompiler();

  for (const route of Object.values(routes)) {
    for (const [httpPart, schema] of Object.entries(requestSchema(route))) {
      const check = compile({ schema, httpPart, ...where });
      expect(() => check({}), `${httpPart} of ${route.method} ${route.path}`).not.toThrow();
    }
  }
});

test('a schema becomes JSON Schema at the first value that is checked, and only then', () => {
  let made = 0;
  class Counted extends ContractSchema {
    override toJsonSchema() {
      made++;
      return super.toJsonSchema();
    }
  }
  const schema = new Counted(z.strictObject({ name: z.string() }));
  const check = schemaCompiler()({ schema, httpPart: 'body', ...where });
  const before = made;

  const results = [check({ name: 'jean' }), check({ name: 7 }), check({ name: 'sam' })];

  expect({ before, results, made }).toEqual({ before: 0, results: [true, false, true], made: 1 });
});

test('what is wrong with a value stands where the framework looks for it', () => {
  const schema = new ContractSchema(z.strictObject({ name: z.string() }));
  const check = schemaCompiler()({ schema, httpPart: 'body', ...where });

  check({ name: 7 });

  expect(check.errors).toMatchObject([{ instancePath: '/name', keyword: 'type' }]);
});
