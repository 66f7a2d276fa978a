/** Failures on the wire: `application/problem+json` (RFC 9457) with our code and fix. */
import {
  AosError,
  type ErrorCode,
  type ErrorKind,
  errorCodes,
  httpStatusOf,
  toReport,
} from '../../kernel/errors.ts';
import type { Problem, RefusedField } from '../contract/contract.ts';

export const problemType = 'application/problem+json; charset=utf-8';

const titles: Readonly<Record<ErrorKind, string>> = {
  broken: 'Agent OS broke',
  invalid: 'The request is not valid',
  usage: 'The request is not valid',
  denied: 'Not allowed',
  missing: 'Not found',
  conflict: 'In conflict with what is there',
  confirmation: 'To be confirmed first',
  limit: 'Too much',
  unavailable: 'Not available',
  timeout: 'Took too long',
  interrupted: 'Interrupted',
};

/** What the caller is told. Of a bug only that there was one: the rest is in the log. */
export function problemOf(error: AosError): Problem {
  const { code, message, fix, details } = toReport(error);
  const { kind } = errorCodes[code];
  return {
    type: `urn:agent-os:error:${code}`,
    title: titles[kind],
    status: httpStatusOf(code) ?? 503,
    detail: message,
    code,
    ...(fix === undefined ? {} : { fix }),
    ...(details === undefined ? {} : { details }),
  };
}

/** The headers that go with an answer because of what it says. */
export function problemHeaders(error: AosError): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = { 'content-type': problemType };
  if (error.code === 'gateway.too-many') headers['retry-after'] = String(retryAfterSeconds(error));
  if (error.code === 'gateway.wrong-method') headers['allow'] = methodsIn(error).join(', ');
  if (httpStatusOf(error.code) === 401) {
    // A line each: browsers do not find the one they know in a list.
    headers['www-authenticate'] = ['Basic realm="Agent OS"', 'Bearer realm="Agent OS"'];
  }
  return headers;
}

function retryAfterSeconds({ details }: AosError): number {
  const known = typeof details === 'object' && details !== null && 'retry_after_ms' in details;
  return Math.max(1, Math.ceil(Number(known ? details.retry_after_ms : 1000) / 1000));
}

export function wrongMethod(message: string, methods: readonly string[]): AosError {
  return new AosError('gateway.wrong-method', { message, details: { methods } });
}

function methodsIn({ details }: AosError): readonly string[] {
  const known = typeof details === 'object' && details !== null && 'methods' in details;
  return known && Array.isArray(details.methods) ? details.methods.map(String) : [];
}

/** What a framework or a parser threw, as one of our errors; undefined when it is a bug. */
export function knownFailure(thrown: unknown): AosError | undefined {
  if (thrown instanceof AosError) return isBug(thrown) ? undefined : thrown;
  if (!(thrown instanceof Error)) return undefined;
  if ('validation' in thrown && Array.isArray(thrown.validation)) return badField(thrown);
  const code = 'code' in thrown ? String(thrown.code) : '';
  return frameworkFailures[code]?.(thrown) ?? (isBadJson(thrown) ? badJson() : undefined);
}

/** Stored bytes that were changed are nothing of ours to hide. */
const toldBroken: ReadonlySet<ErrorCode> = new Set([
  ...(['blob.corrupt', 'blob.wrong-key', 'transfer.corrupt'] as const),
]);

function isBug({ code }: AosError): boolean {
  return errorCodes[code].kind === 'broken' && !toldBroken.has(code);
}

/** The whole of an unplanned failure is for the log; the caller gets this. */
export function hiddenBug(requestId: string): AosError {
  return new AosError('internal.bug', {
    message: 'Agent OS broke where it should not have',
    fix: `Look for request "${requestId}" in the daemon's log, and report it`,
    details: { request_id: requestId },
  });
}

export function tooLarge(): AosError {
  return new AosError('gateway.too-large', {
    message: 'The request is larger than it may be',
    fix: 'Send less at a time',
  });
}

export function slowRequest(): AosError {
  return new AosError('gateway.slow-request', { message: 'The request took too long to arrive' });
}

const frameworkFailures: Readonly<Record<string, (thrown: Error) => AosError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: tooLarge,
  HPE_HEADER_OVERFLOW: tooLarge,
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    badMedia('The body is not JSON', 'Send "Content-Type: application/json"'),
  FST_ERR_CTP_EMPTY_JSON_BODY: () => badRequest('The body is empty, and JSON was announced'),
  FST_ERR_CTP_INVALID_JSON_BODY: badJson,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    badRequest('The body has another length than was announced'),
  FST_ERR_BAD_URL: () => badRequest('The path of the request is no valid URL'),
  FST_ERR_NOT_FOUND: () => badRequest('There is no such path'),
  ERR_HTTP_REQUEST_TIMEOUT: slowRequest,
};

/** As ajv reports, whose work it is. */
interface Fault {
  readonly instancePath?: string;
  readonly keyword?: string;
  readonly message?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

function badField(thrown: Error & { validation?: unknown; validationContext?: unknown }): AosError {
  const [first = {}] = thrown.validation as readonly Fault[];
  const where = String(thrown.validationContext ?? 'request');
  const place = where === 'querystring' ? 'query' : where;
  const field = (first.instancePath ?? '').slice(1).replaceAll('/', '.');
  const problem = faultWords(first);
  const name = field === '' ? `The ${place}` : `"${field}" in the ${place}`;
  const details: RefusedField = { place, field, problem };
  return new AosError('gateway.bad-request', {
    message: `${name} ${problem}`,
    fix: 'Look at /docs for what this route takes',
    details,
  });
}

function faultWords({ keyword = '', message = 'is not valid', params = {} }: Fault): string {
  const named = (key: string) => `"${String(params[key]).slice(0, 100)}"`;
  const limit = Number(params['limit']);
  switch (keyword) {
    case 'additionalProperties':
      return `has no field ${named('additionalProperty')}`;
    case 'required':
      return `lacks the field ${named('missingProperty')}`;
    case 'minLength':
      return limit === 1 ? 'is empty' : `is shorter than ${limit} characters`;
    case 'maxLength':
      return `is longer than ${limit} characters`;
    case 'minItems':
      return limit === 1 ? 'has nothing in it' : `has fewer than ${limit} items`;
    case 'maxItems':
      return `has more than ${limit} items`;
    case 'minimum':
      return `is less than ${limit}`;
    case 'maximum':
      return `is more than ${limit}`;
    case 'pattern':
    case 'format':
      return 'is not written as it has to be';
    default:
      return message;
  }
}

// JSON that would change what objects are (`__proto__`) is refused as no JSON.
function isBadJson(thrown: Error): boolean {
  return thrown instanceof SyntaxError && 'statusCode' in thrown && thrown.statusCode === 400;
}

function badJson(): AosError {
  return badRequest('The body is not valid JSON');
}

/** What was sent may be right, and is of a kind that is not taken there. */
export function badMedia(message: string, fix: string): AosError {
  return new AosError('gateway.bad-media', { message, fix });
}

export function badRequest(message: string, fix?: string): AosError {
  return new AosError('gateway.bad-request', { message, fix });
}
