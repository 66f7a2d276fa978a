/** Requests with one rule of the document broken. */
import type { Dice } from '../../sim/dice.ts';
import type { DescribedOperation, OpenApi, Parameter } from './described-operations.ts';
import type { Draft, FuzzWorld } from './fuzz-world.ts';
import { makerOf } from './likely-values.ts';
import { brokenJson } from './odd-texts.ts';
import { withFault } from './schema-faults.ts';
import { oddTexts, schemaOf, validValue } from './schema-values.ts';

type Breaker = (world: FuzzWorld, dice: Dice, operation: DescribedOperation, draft: Draft) => void;

/** Leaves the draft as it is where the operation has nothing of that kind to be broken. */
export function breakOne(
  world: FuzzWorld,
  dice: Dice,
  operation: DescribedOperation,
  draft: Draft,
): void {
  const { body, parameters } = operation;
  const has = (where: Parameter['in']) => parameters.some((one) => one.in === where);
  const breakers: Breaker[] = [wrongMethod, extraQuery];
  if (body.kind === 'json') breakers.push(...Array(8).fill(faultyBody), wrongType, notJson, noBody);
  if (body.kind === 'bytes') breakers.push(wrongType, wrongType);
  if (has('query')) breakers.push(faultyQuery, faultyQuery, repeatedQuery);
  if (has('path')) breakers.push(faultyPath);
  dice.oneOf(breakers)?.(world, dice, operation, draft);
  if (draft.forbidden !== undefined) draft.about = draft.forbidden;
}

const faultyBody: Breaker = ({ document, check }, dice, { body }, draft) => {
  if (body.kind !== 'json' || draft.body === undefined) return;
  const value: unknown = JSON.parse(Buffer.from(draft.body).toString());
  const fault = withFault(document, dice, body.schema, value);
  if (fault === undefined) return;
  const text = fault.value === undefined ? 'null' : JSON.stringify(fault.value);
  draft.body = Buffer.from(text);
  // By somebody else's reading of the same schema.
  if (check(body.pointer)(JSON.parse(text)) !== true) draft.forbidden = `body: ${fault.words}`;
};

const wrongType: Breaker = (_world, dice, { body }, draft) => {
  const others = [
    'text/plain',
    'application/xml',
    'text/html; charset=utf-8',
    'image/png',
  ] as const;
  const other = body.kind === 'bytes' ? 'application/json' : 'application/octet-stream';
  draft.type = dice.pick([...others, other]);
  draft.body = draft.body?.length ? draft.body : Buffer.from('{}');
  draft.forbidden = `a body of type ${draft.type}`;
};

const notJson: Breaker = (_world, dice, _operation, draft) => {
  const { words, bytes } = brokenJson(dice, Buffer.from(draft.body ?? []));
  draft.body = bytes;
  draft.forbidden = `broken JSON: ${words}`;
};

const noBody: Breaker = (_world, _dice, _operation, draft) => {
  draft.body = undefined;
  draft.type = undefined;
  draft.forbidden = 'no body';
};

const faultyQuery: Breaker = ({ document }, dice, { parameters }, draft) => {
  const parameter = dice.oneOf(parameters.filter((one) => one.in === 'query'));
  if (parameter === undefined) return;
  const { name, required } = parameter;
  const others = draft.query.filter(([one]) => one !== name);
  if (required && dice.chance(50)) {
    draft.query = others;
    draft.forbidden = `no ${name} in the query`;
    return;
  }
  const text = badText(document, dice, parameter);
  if (text === undefined) return;
  draft.query = [...others, [name, encodeURIComponent(text)]];
  draft.forbidden = `a bad ${name} in the query`;
};

const faultyPath: Breaker = ({ document }, dice, { parameters }, draft) => {
  const parameter = dice.oneOf(parameters.filter((one) => one.in === 'path'));
  const text = parameter && badText(document, dice, parameter);
  if (parameter === undefined || text === undefined) return;
  draft.path[parameter.name] = encodeURIComponent(text);
  draft.forbidden = `a bad ${parameter.name} in the path`;
};

/** Undefined where every text is good. */
function badText(document: OpenApi, dice: Dice, { schema }: Parameter): string | undefined {
  const { maxLength, pattern, ...rest } = schemaOf(document, schema);
  const bad: string[] = [];
  if (typeof maxLength === 'number') bad.push('x'.repeat(maxLength + 1), 'x'.repeat(5000));
  const isListed = 'enum' in rest || 'const' in rest;
  if (typeof pattern === 'string') {
    const lawful = new RegExp(pattern, 'u');
    bad.push(...oddTexts.filter((one) => !lawful.test(one) && one.isWellFormed()));
  } else if (isListed) bad.push(...oddTexts.filter((one) => one.isWellFormed()));
  return dice.oneOf(bad);
}

const repeatedQuery: Breaker = (world, dice, operation, draft) => {
  const { parameters } = operation;
  const parameter = dice.oneOf(parameters.filter((one) => one.in === 'query'));
  if (parameter === undefined) return;
  const maker = makerOf(world, { dice, operation, party: 'owner', isOdd: false });
  const value = encodeURIComponent(String(validValue(maker, parameter.schema, parameter.name)));
  draft.query = draft.query.filter(([name]) => name !== parameter.name);
  draft.query.push([parameter.name, value], [parameter.name, value]);
  draft.forbidden = `${parameter.name} twice in the query`;
};

const extraQuery: Breaker = (_world, dice, _operation, draft) => {
  draft.query.push([dice.pick(['no_such_field', '__proto__', 'constructor', 'a[b]', '%00']), '1']);
  draft.forbidden = 'a field of the query that is not there';
};

const wrongMethod: Breaker = (_world, dice, { methods }, draft) => {
  const all = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];
  const method = dice.oneOf(all.filter((one) => !methods.includes(one)));
  if (method === undefined) return;
  draft.method = method;
  draft.forbidden = `${method}, which is not described`;
};
