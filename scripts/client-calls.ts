/**
 * What the client knows of each route, read off the verbs. The command line so has their paths and
 * types without the schemas, which it could not load as fast.
 */
import * as z from 'zod';
import { routes } from '../src/gateway/contract/contract.ts';
import { type Verb, wholeNumber } from '../src/verbs/verb.ts';

/** Files of the client, and the text of each before it is formatted. */
export function clientFiles(): Readonly<Record<string, string>> {
  return {
    'src/gateway/client/route-calls.ts': callsText(),
    'src/gateway/client/route-table.ts': tableText(),
  };
}

function callsText(): string {
  const calls = Object.entries<Verb>(routes).filter(([, verb]) => isCall(verb));
  return `/** Made of src/verbs by \`npm run fix\`: the function of the client for each route. */
import type { Answer, Body, Query } from '../contract/contract.ts';
import type { ActingOptions, Numbered, WriteOptions } from './exchange.ts';
import type { CallOptions } from './transport.ts';

export interface RouteCalls {
${calls.map(([name, verb]) => typeOf(name, verb)).join('\n')}
}
`;
}

function tableText(): string {
  const rows = Object.entries<Verb>(routes).map(([name, verb]) => `${name}: ${rowOf(verb)},`);
  return `/** Made of src/verbs by \`npm run fix\`: where each route is, without zod. */
import type { ClientRoute } from './exchange.ts';

export const routeTable = {
${rows.join('\n')}
} as const satisfies Record<string, ClientRoute>;
`;
}

/** JSON, or nothing, both ways. */
function isCall({ contentType, streams }: Verb): boolean {
  return contentType === undefined && streams !== true;
}

function rowOf(verb: Verb): string {
  const takes = isCall(verb) ? takenBy(verb) : undefined;
  const fields = [
    `method: '${verb.method}'`,
    `path: '${verb.path}'`,
    ...(takes === undefined ? [] : [`takes: '${takes}'`]),
    ...(verb.timeoutMs === undefined ? [] : [`timeoutMs: ${numberText(verb.timeoutMs)}`]),
  ];
  return `{ ${fields.join(', ')} }`;
}

function numberText(value: number): string {
  return String(value).replaceAll(/\B(?=(?:\d{3})+$)/g, '_');
}

function takenBy({ method, input, query, name }: Verb): 'input' | 'query' | undefined {
  // The functions of tools are all alike, also where there is nothing to say.
  const hasInput = fieldsOf(input).length > 0 || name !== undefined;
  if (method === 'POST' && hasInput) return 'input';
  return method === 'GET' && fieldsOf(query).length > 0 ? 'query' : undefined;
}

function typeOf(name: string, verb: Verb): string {
  const params = [...verb.path.matchAll(/\{(\w+)\}/g)].map(([, param]) => `${param}: string`);
  const takes = takenBy(verb);
  const content =
    takes === 'input'
      ? [`input${isOptional(verb.input)}: Body<'${name}'>`]
      : takes === 'query'
        ? [`query${isOptional(verb.query)}: ${queryType(name, verb)}`]
        : [];
  const given = [...params, ...content, `options?: ${optionsOf(verb)}`];
  const answer = verb.status === 204 ? 'void' : `Answer<'${name}'>`;
  const sentence = /[.?!]$/.test(verb.summary) ? verb.summary : `${verb.summary}.`;
  return `/** ${sentence} */\n${name}(${given.join(', ')}): Promise<${answer}>;`;
}

function isOptional(schema: z.ZodType): string {
  return schema.safeParse({}).success ? '?' : '';
}

function optionsOf(verb: Verb): string {
  if (verb.method === 'GET') return 'CallOptions';
  return fieldsOf(verb.query).includes('as') ? 'ActingOptions' : 'WriteOptions';
}

function queryType(name: string, { query }: Verb): string {
  const { pattern } = z.toJSONSchema(wholeNumber);
  const { properties = {} } = z.toJSONSchema(query, { io: 'input' });
  const numbers = Object.entries(properties)
    .filter(([, one]) => typeof one === 'object' && one.pattern === pattern)
    .map(([field]) => `'${field}'`);
  const type = `Query<'${name}'>`;
  return numbers.length === 0 ? type : `Numbered<${type}, ${numbers.join(' | ')}>`;
}

function fieldsOf(schema: z.ZodType): string[] {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : ['one of several'];
}
