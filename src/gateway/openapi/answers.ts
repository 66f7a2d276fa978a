/** What an operation of the OpenAPI document may be answered with. */

import type { Verb } from '../../verbs/verb.ts';
import {
  type HeaderName,
  headersNamed,
  type JsonSchema,
  type RefusalStatus,
  refusalNames,
} from './parts.ts';

export type OpenApiContent = Readonly<
  Record<string, { readonly schema: JsonSchema; readonly example?: unknown }>
>;

export interface OpenApiResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, JsonSchema>>;
  readonly content?: OpenApiContent;
}

export interface OpenApiReference {
  readonly $ref: string;
}

export type OpenApiResponses = Readonly<Record<string, OpenApiResponse | OpenApiReference>>;

/** Whether it answers with stored bytes, of which a part can be asked for. */
export function isRanged(route: Verb): boolean {
  return route.method === 'GET' && route.contentType === 'application/octet-stream';
}

export function isWrite(route: Verb): boolean {
  return route.method !== 'GET';
}

export function hasBody(route: Verb): boolean {
  return route.streams === true || (route.method === 'POST' && hasFields(route.input));
}

export function hasFields(schema: Verb['input']): boolean {
  return 'shape' in schema && Object.keys(schema.shape as object).length > 0;
}

/** The good ones, with what they carry, and those that are likely to come instead. */
export function responsesOf(
  name: string,
  route: Verb,
  content: OpenApiContent | undefined,
): OpenApiResponses {
  const headers = headersNamed(goodHeaders(name, route));
  const good = { description: goodWords[route.status] ?? 'As asked for', headers };
  return {
    [route.status]: content === undefined ? good : { ...good, content },
    ...(isRanged(route) ? partly(good.headers, content) : {}),
    ...Object.fromEntries(
      likelyRefusals(route).map((status) => [
        status,
        { $ref: `#/components/responses/${refusalNames[status]}` },
      ]),
    ),
    default: { $ref: '#/components/responses/Problem' },
  };
}

const goodWords: Readonly<Record<number, string>> = {
  201: 'Made',
  202: 'Taken on',
  204: 'Done; there is nothing to say',
};

function partly(
  headers: OpenApiResponse['headers'],
  content: OpenApiContent | undefined,
): OpenApiResponses {
  const part = { ...headers, ...headersNamed({ 'Content-Range': 'ContentRange' }) };
  const some = { description: 'The part that was asked for', headers: part };
  const { ETag: etag, 'X-Request-Id': requestId } = { ...headers };
  return {
    206: content === undefined ? some : { ...some, content },
    304: {
      description: 'What is there already is still the same',
      headers: { ...(etag && { ETag: etag }), ...(requestId && { 'X-Request-Id': requestId }) },
    },
  };
}

const ownHeaders: Readonly<Record<string, Readonly<Record<string, HeaderName>>>> = {
  artifact: {
    'X-Artifact-Checksum': 'ArtifactChecksum',
    'X-Artifact-Id': 'ArtifactId',
    'X-Artifact-E2e': 'ArtifactE2e',
    'X-Artifact-Key': 'ArtifactKey',
    'Content-Disposition': 'Disposition',
  },
  operation: { Deprecation: 'Deprecation', Link: 'Link', Warning: 'Warning' },
};

function goodHeaders(name: string, route: Verb): Readonly<Record<string, HeaderName>> {
  return {
    'X-Request-Id': 'RequestId',
    ...(takesKey(route) ? { 'Idempotency-Replayed': 'IdempotencyReplayed' } : {}),
    ...(isRanged(route)
      ? { ETag: 'ETag', 'Accept-Ranges': 'AcceptRanges', 'Content-Length': 'ContentLength' }
      : {}),
    ...ownHeaders[name],
  };
}

/** Streams are read as they come, and cannot be compared with what came before. */
export function takesKey(route: Verb): boolean {
  return isWrite(route) && route.streams !== true;
}

function likelyRefusals(route: Verb): RefusalStatus[] {
  const isKnown = route.who !== 'open';
  const hasParams = hasFields(route.params);
  const applies: Readonly<Record<RefusalStatus, boolean>> = {
    400: true,
    401: isKnown,
    403: isKnown,
    404: hasParams || route.mayBeMissing === true,
    // An id that was cut short may be that of several.
    409: isWrite(route) || /\{(?:id|operation_id)\}/.test(route.path),
    410: route.mayBeGone === true,
    413: hasBody(route),
    415: hasBody(route),
    416: isRanged(route),
    429: isKnown,
  };
  // Object.entries gives the keys as text, and these are all of the record.
  return (Object.keys(applies).map(Number) as RefusalStatus[]).filter((status) => applies[status]);
}
