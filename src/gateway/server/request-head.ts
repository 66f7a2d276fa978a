/** What the head of a request says of it before anything else is looked at. */

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import AjvCompiler from '@fastify/ajv-compiler';
import type { FastifySchemaCompiler } from 'fastify';
import * as z from 'zod';
import { AosError } from '../../kernel/errors.ts';
import { must } from '../../kernel/must.ts';
import { quote } from '../../kernel/text/quote.ts';
import type { Verb } from '../../verbs/verb.ts';
import type { Door } from './connections.ts';
import { badRequest } from './problem.ts';

/**
 * Why the request is refused, if it is: pages of other sites must not reach the daemon through a
 * browser of this machine, neither under a name of their own that points here (Host), nor from
 * afar (Origin).
 */
export function foreignRequest(
  door: Door,
  request: Pick<IncomingMessage, 'headers' | 'httpVersion' | 'method' | 'url'>,
): AosError | undefined {
  const { headers, httpVersion } = request;
  const { host = '', origin } = headers;
  if (headers.host === undefined && httpVersion === '1.1') {
    return badRequest('The request has no "Host"', 'Send "Host: localhost"');
  }
  if (door.kind === 'tcp' && !door.origins.has(host.toLowerCase())) {
    return new AosError('gateway.foreign-host', {
      message: `This is not ${quote(host.slice(0, 100))}: the daemon answers on this machine only`,
      fix: `Use ${[...door.origins.values()][0]}`,
    });
  }
  if (origin !== undefined && !isOwnOrigin(door, origin)) return foreignOrigin(origin);
  if (headers['sec-fetch-site'] === 'cross-site' && !isFollowedLink(request))
    return foreignOrigin(origin ?? 'another site');
  return undefined;
}

/** A person opened the page of a link from a mail or a chat. It shows nothing by itself. */
function isFollowedLink({
  method,
  url = '',
  headers,
}: Pick<IncomingMessage, 'headers' | 'method' | 'url'>): boolean {
  const isNavigation =
    headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  return method === 'GET' && isNavigation && /^\/l\/[^/?#]+$/.test(url);
}

// No page is served over a unix socket, so none can send anything there.
function isOwnOrigin(door: Door, origin: string): boolean {
  if (door.kind !== 'tcp') return false;
  return [...door.origins.values()].includes(origin.toLowerCase());
}

function foreignOrigin(origin: string): AosError {
  return new AosError('gateway.foreign-origin', {
    message: `A page of ${quote(origin.slice(0, 100))} may not call the daemon`,
    fix: 'Open the page that the daemon itself serves',
  });
}

// Requests that a proxy before the daemon could read in another way than the daemon does: what it
// had looked at would not be what is done.

/** Why the request is refused, if it is. */
export function unclearRequest({
  rawHeaders,
  headers,
  url = '',
}: Pick<IncomingMessage, 'rawHeaders' | 'headers' | 'url'>): AosError | undefined {
  const twice = saidTwice(rawHeaders);
  if (twice !== undefined) {
    return badRequest(`The header ${quote(twice)} is there twice`, 'Send it once');
  }
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    return badRequest(
      `The body comes in a coding that is not known: ${quote(coding.slice(0, 100))}`,
      'Send "Transfer-Encoding: chunked", or "Content-Length"',
    );
  }
  const [path = ''] = url.split('?', 1);
  const [code] = encodedLetter.exec(path) ?? [];
  if (code === undefined) return undefined;
  const letter = String.fromCharCode(Number.parseInt(code.slice(1), 16));
  return badRequest(`The path has ${quote(letter)} written as ${code}`, `Write ${quote(letter)}`);
}

/** Those by which something is decided. Of two, one would be heeded and the other one not. */
const saidOnce: ReadonlySet<string> = new Set([
  ...['host', 'authorization', 'signature', 'origin', 'x-aos-client', 'idempotency-key'],
  ...['content-length', 'content-type', 'transfer-encoding', 'expect', 'range', 'last-event-id'],
  ...['sec-fetch-site', 'sec-fetch-mode', 'sec-fetch-dest'],
]);

function saidTwice(rawHeaders: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = must(rawHeaders[index], 'The name of a header').toLowerCase();
    if (!saidOnce.has(name)) continue;
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}

/** A letter, a digit, or one of `-._~`: no client has to encode them. */
const encodedLetter = /%(?:2[de]|3\d|4[1-9a-f]|5[\daf]|6[1-9a-f]|7[\dae])/i;

// What requests are called in answers and in the log.

// Nothing that could be taken for something else in a log, or in a header.
const lawful = /^[A-Za-z0-9._-]{1,100}$/;

export class RequestIds {
  #count = 0;

  /** As the client itself calls it, else by a number of this process. */
  of(headers: IncomingHttpHeaders): string {
    const own = headers['x-request-id'];
    return typeof own === 'string' && lawful.test(own) ? own : this.next();
  }

  next(): string {
    this.#count++;
    return `req-${this.#count.toString(36)}`;
  }
}

// The checks of requests against the contract. A check is compiled when the first request needs
// it: there are some three hundred, and compiling all was more than a third of the daemon's start.

/** A schema of the contract that becomes JSON Schema only when it is compiled. */
export class ContractSchema {
  readonly schema: z.ZodType;
  readonly #isOfTool: boolean;

  constructor(schema: z.ZodType, { isOfTool = false } = {}) {
    this.schema = schema;
    this.#isOfTool = isOfTool;
  }

  toJsonSchema(): Record<string, unknown> {
    const override = this.#isOfTool ? withLooseLengths : () => {};
    return { ...z.toJSONSchema(this.schema, { target: 'draft-7', io: 'input', override }) };
  }
}

/**
 * What is a little too long or too many is refused by the tool, in its own words. Here only what
 * is absurd ends.
 */
function withLooseLengths({
  jsonSchema,
}: {
  readonly jsonSchema: z.core.JSONSchema.BaseSchema;
}): void {
  const { maxLength, maxItems } = jsonSchema;
  if (maxLength !== undefined) jsonSchema.maxLength = Math.max(1000, 4 * maxLength);
  if (maxItems !== undefined) jsonSchema.maxItems = Math.max(100, maxItems);
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
    ? { ...schema, body: new ContractSchema(route.input, { isOfTool: route.name !== undefined }) }
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
