/** What many operations of the OpenAPI document share: headers, parameters, refusals, tags. */
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';

const text = { type: 'string' } as const;

/** Headers of answers. */
export const headerComponents = {
  RequestId: {
    description: 'Names this request in the log of the daemon',
    schema: text,
  },
  RetryAfter: {
    description: 'After how many seconds to ask again',
    schema: { type: 'integer', minimum: 1 },
  },
  Authenticate: { description: 'The ways to say who you are', schema: text },
  ETag: { description: 'The SHA-256 of the stored bytes, quoted', schema: text },
  AcceptRanges: { description: 'Always "bytes"', schema: { type: 'string', const: 'bytes' } },
  ContentRange: { description: 'Which of the stored bytes these are', schema: text },
  ContentLength: {
    description: 'How many bytes follow, or would',
    schema: { type: 'integer', minimum: 0 },
  },
  ArtifactChecksum: {
    description: 'The SHA-256 of the stored, sealed bytes, as sha256:HEX',
    schema: text,
  },
  ArtifactKey: {
    description: 'The key of the artifact, wrapped to you: docs/aosb1.md',
    schema: text,
  },
  ArtifactId: {
    description: 'The id of the artifact, bound into the wrap of its key',
    schema: text,
  },
  ArtifactE2e: {
    description: 'Whether no key of this home opens it',
    schema: { type: 'string', enum: ['true', 'false'] },
  },
  Disposition: { description: 'The name under which to keep it', schema: text },
  Deprecation: {
    description: 'In phases 1 and 2: since when it is deprecated that artifacts are in the answer',
    schema: text,
  },
  Link: { description: 'With Deprecation: where it is explained', schema: text },
  Warning: { description: 'With Deprecation: which artifacts are large', schema: text },
  IdempotencyReplayed: {
    description: '"true" where the answer is the one that the same key got before',
    schema: { type: 'string', const: 'true' },
  },
} as const;

/** Headers of requests. */
export const parameterComponents = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description: 'The same key of the same caller is the same request: it is done once',
    schema: { type: 'string', pattern: '^[\\x20-\\x7e]{1,200}$' },
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    required: false,
    description: 'The stream goes on behind this one',
    schema: text,
  },
  Range: {
    name: 'Range',
    in: 'header',
    required: false,
    description: 'A part of the bytes, as bytes=0-1023',
    schema: text,
  },
  IfRange: {
    name: 'If-Range',
    in: 'header',
    required: false,
    description: 'The ETag for which the range is meant; else all is answered',
    schema: text,
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description: 'The ETag that is there already',
    schema: text,
  },
} as const;

export type HeaderName = keyof typeof headerComponents;
export type ParameterName = keyof typeof parameterComponents;

export function headersNamed(names: Readonly<Record<string, HeaderName>>) {
  return Object.fromEntries(
    Object.entries(names).map(([header, name]) => [
      header,
      { $ref: `#/components/headers/${name}` },
    ]),
  );
}

const requestId = { 'X-Request-Id': 'RequestId' } as const;
const problemContent = { 'application/problem+json': { schema: reference('Problem') } };

function refusal(description: string, headers: Readonly<Record<string, HeaderName>> = {}) {
  return {
    description,
    headers: headersNamed({ ...requestId, ...headers }),
    content: problemContent,
  };
}

/** What is answered instead, each with a problem. */
export const responseComponents = {
  BadRequest: refusal('The request is not what this route takes'),
  Unauthorized: refusal('Nobody is known by this handle or signature', {
    'WWW-Authenticate': 'Authenticate',
  }),
  Forbidden: refusal('Not for this caller'),
  NotFound: refusal('There is no such thing, or none of yours'),
  Conflict: refusal('Not as things stand now, or the same key was used for something else'),
  Gone: refusal('It was there, and is gone for good'),
  TooLarge: refusal('More than there may be'),
  WrongMedia: refusal('The body is of a kind that this route does not take'),
  NoSuchRange: {
    description: 'The bytes do not reach that far',
    headers: headersNamed({ ...requestId, 'Content-Range': 'ContentRange' }),
  },
  TooMany: refusal('Too many requests', { 'Retry-After': 'RetryAfter' }),
  Problem: refusal('Refused or failed'),
} as const;

export type ResponseName = keyof typeof responseComponents;

export const refusalNames = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Gone',
  413: 'TooLarge',
  415: 'WrongMedia',
  416: 'NoSuchRange',
  429: 'TooMany',
} as const satisfies Record<number, ResponseName>;

export type RefusalStatus = keyof typeof refusalNames;

export const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer', description: 'A handle, aos_…' },
  basic: { type: 'http', scheme: 'basic', description: 'A handle as the password' },
  web3Signed: {
    type: 'http',
    scheme: 'Web3Signed',
    description:
      'For outsiders: base64url of the claims aud, method, uri, bodyHash, iat, exp and nonce as JSON, a dot, and the EIP-191 signature of that text as 0x…; good once',
  },
  legacySignature: {
    type: 'apiKey',
    in: 'header',
    name: 'signature',
    description:
      'Where the setting legacySignatures allows it: the EIP-191 signature of {"operation_id":"ID"}. Whoever sees it once can use it again',
  },
} as const;

// The schemas of the contract as JSON Schema, with those that have a name told once.

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
    // A name that means two things would be wrong for readers of the other one.
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

function reference(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

function referring(schema: object): JsonSchema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
}
