/** The fuzz of the gateway is only worth something if it makes what it says, and finds what is wrong. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { Dice } from '../sim/dice.ts';
import { describedOperations, type OpenApi } from './fuzz/described-operations.ts';
import type { FuzzRequest, PrincipalName } from './fuzz/fuzz-world.ts';
import type { RawAnswer } from './fuzz/kept-connection.ts';
import { withFault } from './fuzz/schema-faults.ts';
import { type Maker, validValue } from './fuzz/schema-values.ts';
import { faultOf } from './fuzz/verdict.ts';

const path = join(import.meta.dirname, '..', '..', 'docs', 'openapi.json');
// Ours, and held against the contract elsewhere.
const document = JSON.parse(readFileSync(path, 'utf8')) as OpenApi;
const operations = describedOperations(document);
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema({ ...document, $id: 'document' });

const deps = {
  check: (pointer: string) => {
    const check = ajv.getSchema(`document#${pointer}`);
    if (check === undefined) throw new Error(`there is no schema at ${pointer}`);
    return check;
  },
  loggedOf: () => 'a stack',
  refuseInAnswer: { runFiles: 'its answer has a status' },
};

describe('of the values that are made of a schema', () => {
  const bodies = operations.flatMap(({ id, body }) =>
    body.kind === 'json' ? [{ id, ...body }] : [],
  );
  const makerOf = (seed: number, isOdd: boolean): Maker => {
    const dice = new Dice(seed);
    const isSent = (): boolean => dice.chance(50);
    return { document, dice, isSent, isOdd, wordFor: () => undefined, leftOut: new Set() };
  };

  test.each(bodies)('those for $id fit, also the odd ones', ({ schema, pointer }) => {
    const check = deps.check(pointer);

    for (let seed = 1; seed <= 40; seed++) {
      const value = validValue(makerOf(seed, seed % 2 === 0), schema);
      expect(check(value), JSON.stringify(check.errors)).toBe(true);
    }
  });

  test.each(bodies)('those for $id with a fault do not', ({ schema, pointer }) => {
    const check = deps.check(pointer);

    for (let seed = 1; seed <= 40; seed++) {
      const maker = makerOf(seed, false);
      const fault = withFault(document, maker.dice, schema, validValue(maker, schema));
      expect(fault).toBeDefined();
      expect(check(fault?.value), fault?.words).toBe(false);
    }
  });
});

describe('of an answer', () => {
  const asked = (
    id: string,
    party: PrincipalName,
    choices: Partial<FuzzRequest> = {},
  ): FuzzRequest => {
    const operation = operations.find((one) => one.id === id);
    if (operation === undefined) throw new Error(`there is no operation ${id}`);
    const raw = { method: operation.method, target: operation.path, headers: [] };
    return { operation, party, raw, forbidden: undefined, about: 'allowed', ...choices };
  };
  const answered = (status: number, json?: unknown, type = 'application/json'): RawAnswer => ({
    status,
    headers: new Map([
      ['x-request-id', 'req-1'],
      ['content-type', type],
    ]),
    body: Buffer.from(json === undefined ? '' : JSON.stringify(json)),
    isStream: false,
  });
  const problem = {
    type: 'urn:agent-os:error:gateway.bad-request',
    title: 'The request is not valid',
    status: 400,
    detail: 'It is not',
    code: 'gateway.bad-request',
  };
  const problemType = 'application/problem+json; charset=utf-8';
  const live = { live: true };
  const fileRefusal = {
    status: 'error',
    action_performed: 'none',
    result: null,
    error: { code: 'INVALID_ARGUMENT', message: 'It is not' },
    metadata: { files_affected: 0, bytes_affected: 0, duration_ms: 0 },
  };

  test.each([
    ['a good one', asked('livez', 'nobody'), answered(200, live)],
    ['a problem', asked('livez', 'nobody'), answered(400, problem, problemType)],
    ['nothing, where there is to be nothing', asked('deleteArtifact', 'outsider'), answered(204)],
    [
      'a refusal of what is forbidden',
      asked('agents', 'owner', { forbidden: 'x' }),
      answered(400, problem, problemType),
    ],
    [
      'a refusal in an answer',
      asked('runFiles', 'owner', { forbidden: 'x' }),
      answered(200, fileRefusal),
    ],
  ])('%s is taken', (_what, request, answer) => {
    expect(faultOf(deps, request, answer)).toBe(undefined);
  });

  const lead = { name: null };
  test.each([
    ['a bug', asked('livez', 'owner'), answered(500, problem, problemType), 'broke: a stack'],
    [
      'what is forbidden',
      asked('lead', 'owner', { forbidden: 'x' }),
      answered(200, lead),
      'answered 200 to what is forbidden',
    ],
    [
      'what is forbidden, done by one that refuses in its answer',
      asked('runFiles', 'owner', { forbidden: 'x' }),
      answered(200, { ...fileRefusal, status: 'success' }),
      'answered 200 to what is forbidden',
    ],
    ['nobody', asked('lead', 'nobody'), answered(200, lead), 'answered 200 to nobody'],
    [
      'an agent where only the owner may',
      asked('secrets', 'agent'),
      answered(200, { items: [] }),
      'answered 200 to agent',
    ],
    [
      'an outsider where none may',
      asked('lead', 'outsider'),
      answered(200, lead),
      'answered 200 to outsider',
    ],
    [
      'a field that is not described',
      asked('livez', 'owner'),
      answered(200, { ...live, x: 1 }),
      'does not fit',
    ],
    [
      'a status that is not described',
      asked('livez', 'owner'),
      answered(201, live),
      'answered 201, which is not described',
    ],
    [
      'a type that is not described',
      asked('livez', 'owner'),
      answered(200, live, 'text/html'),
      'answered text/html, which is not described',
    ],
    [
      'a body where none is',
      asked('deleteArtifact', 'owner'),
      answered(204, live),
      'a body where none is',
    ],
    [
      'a problem of another type',
      asked('livez', 'owner'),
      answered(400, problem),
      'a problem (400) of type application/json',
    ],
    [
      'a problem without a code',
      asked('livez', 'owner'),
      answered(400, { ...problem, code: undefined }, problemType),
      'no Problem',
    ],
    [
      'a problem of another status',
      asked('livez', 'owner'),
      answered(404, problem, problemType),
      'a problem of 400 answered 404',
    ],
    [
      'no id',
      asked('livez', 'owner'),
      { ...answered(200, live), headers: new Map() },
      'has no X-Request-Id',
    ],
  ])('%s is found', (_what, request, answer, fault) => {
    expect(faultOf(deps, request, answer)).toContain(fault);
  });
});
