/** What a vendor's refusal, a broken line or a strange answer means for the caller. */
import { oneLine } from '../kernel/text/quote.ts';

/**
 * `busy` concerns every call with that key, `broken` and `unreachable` this call only; all three
 * are tried again. `cut-off` is any of them after the answer had begun.
 */
export interface Failure {
  readonly kind:
    | 'busy'
    | 'broken'
    | 'unreachable'
    | 'bad-key'
    | 'unknown-model'
    | 'refused'
    | 'cut-off';
  /** What the vendor or the system said, one line and not long. */
  readonly sentence: string;
  readonly retryAfterMs?: number;
}

const longestSentence = 300;
const deepestCause = 5;

export function isWorthRetrying({ kind }: Failure): boolean {
  return kind === 'busy' || kind === 'broken' || kind === 'unreachable';
}

/** `now` is the wall time, for a vendor that names a moment to come again. */
export function failureOf(thrown: unknown, now: number): Failure {
  const sentence = sentenceOf(thrown);
  const status = statusOf(thrown);
  if (status !== undefined) {
    const kind = isQuota(thrown) ? 'refused' : kindOfStatus(status);
    const retryAfterMs = retryAfter(thrown, now);
    return { kind, sentence, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  }
  const trouble = networkTrouble(thrown);
  if (trouble !== undefined) return { kind: 'unreachable', sentence: trouble };
  return { kind: isOurRequestsFault(thrown) ? 'refused' : 'broken', sentence };
}

function kindOfStatus(status: number): Failure['kind'] {
  if (status === 401 || status === 403) return 'bad-key';
  if (status === 404) return 'unknown-model';
  if (status === 429 || status === 503 || status === 529) return 'busy';
  if (status === 408 || status === 409 || status >= 500) return 'broken';
  return 'refused';
}

const statusOfType: Readonly<Record<string, number>> = {
  authentication_error: 401,
  invalid_api_key: 401,
  permission_error: 403,
  not_found_error: 404,
  model_not_found: 404,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  overloaded_error: 529,
  server_error: 500,
  api_error: 500,
  invalid_request_error: 400,
};

// An error inside of a stream carries no status, but a type or a code.
function statusOf(thrown: unknown): number | undefined {
  if (!isObject(thrown)) return undefined;
  for (const known of [thrown['statusCode'], thrown['status'], thrown['code']]) {
    if (typeof known === 'number' && known >= 300 && known < 600) return known;
  }
  for (const word of [thrown['code'], thrown['type']]) {
    if (typeof word === 'string' && Object.hasOwn(statusOfType, word)) return statusOfType[word];
  }
  return undefined;
}

// OpenAI says "too many requests" to who has no money left, whom waiting does not help.
function isQuota(thrown: unknown): boolean {
  const body = isObject(thrown) ? thrown['responseBody'] : undefined;
  return typeof body === 'string' && body.includes('insufficient_quota');
}

function retryAfter(thrown: unknown, now: number): number | undefined {
  const headers = isObject(thrown) ? thrown['responseHeaders'] : undefined;
  if (!isObject(headers)) return undefined;
  const precise = positive(headers['retry-after-ms']);
  if (precise !== undefined) return precise;
  const header = headers['retry-after'];
  const seconds = positive(header);
  if (seconds !== undefined) return Math.ceil(seconds * 1000);
  // A date has a comma in it; without one, almost anything would be read as some year.
  const moment =
    typeof header === 'string' && header.includes(',') ? Date.parse(header) : Number.NaN;
  return Number.isFinite(moment) ? Math.max(0, moment - now) : undefined;
}

function positive(value: unknown): number | undefined {
  if (typeof value !== 'string' || !/^\d{1,9}(\.\d{1,9})?$/.test(value.trim())) return undefined;
  return Number(value);
}

// Node's codes of sockets, names and certificates, and those of its HTTP client.
const troubles: readonly (readonly [codes: RegExp, words: string])[] = [
  [/^ECONNREFUSED$/, 'nothing answers at this address'],
  [/^(?:ENOTFOUND|EAI_\w+)$/, 'nobody knows the name of the machine'],
  [/^(?:ETIMEDOUT|UND_ERR_\w*TIMEOUT)$/, 'it did not answer in time'],
  [/^(?:ECONN\w+|EPIPE|UND_ERR_\w+)$/, 'the connection broke'],
  [/^(?:EHOSTUNREACH|ENETUNREACH|ENETDOWN)$/, 'there is no way to it'],
  [/CERT|^ERR_TLS|^ERR_SSL|SELF_SIGNED/, 'its certificate is not to be trusted'],
];

function networkTrouble(thrown: unknown): string | undefined {
  for (const { code } of causesOf(thrown)) {
    if (typeof code !== 'string') continue;
    const known = troubles.find(([codes]) => codes.test(code));
    if (known !== undefined) return known[1];
  }
  return undefined;
}

const answersNobodyUnderstands = new Set([
  'AI_EmptyResponseBodyError',
  'AI_InvalidResponseDataError',
  'AI_JSONParseError',
  'AI_TypeValidationError',
]);

// The packages refuse a request that they cannot write down; asking again changes nothing.
function isOurRequestsFault(thrown: unknown): boolean {
  return (
    thrown instanceof Error &&
    thrown.name.startsWith('AI_') &&
    thrown.name !== 'AI_APICallError' &&
    !answersNobodyUnderstands.has(thrown.name)
  );
}

function causesOf(thrown: unknown): readonly Readonly<Record<string, unknown>>[] {
  const causes: Readonly<Record<string, unknown>>[] = [];
  for (let cause = thrown; isObject(cause) && causes.length < deepestCause; ) {
    causes.push(cause);
    cause = cause['cause'];
  }
  return causes;
}

function sentenceOf(thrown: unknown): string {
  const said = isObject(thrown) ? thrown['message'] : thrown;
  const text = typeof said === 'string' ? said.trim() : '';
  if (text === '') return 'it did not say why';
  const line = oneLine(text.replaceAll(/\s+/g, ' '));
  return line.length > longestSentence ? `${line.slice(0, longestSentence)}…` : line;
}

/**
 * Arguments as models write them: text that should be a JSON object. What is none is handed
 * on under a name that no tool takes, so that the door refuses it and the model reads why.
 */

const malformedKey = '$malformed';
const shownCharacters = 2000;

export function parseArgs(text: string): Readonly<Record<string, unknown>> {
  if (text.trim() === '') return {};
  const parsed = parseJson(text);
  return isObject(parsed) ? parsed : { [malformedKey]: text.slice(0, shownCharacters) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Said by what is returned: this is no object.
    return undefined;
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
