import { expect, test } from 'vitest';
import { failureOf } from './failure.ts';

const now = Date.UTC(2030, 0, 1);
const coded = (code: string) => Object.assign(new Error('no'), { code });

test.each([
  [401, 'bad-key'],
  [403, 'bad-key'],
  [404, 'unknown-model'],
  [429, 'busy'],
  [503, 'busy'],
  [529, 'busy'],
  [408, 'broken'],
  [500, 'broken'],
  [502, 'broken'],
  [400, 'refused'],
  [413, 'refused'],
  [307, 'refused'],
])('status %s is %s', (statusCode, kind) => {
  const failure = failureOf({ statusCode, message: 'so' }, now);

  expect(failure).toEqual({ kind, sentence: 'so' });
});

test.each([
  [{ type: 'overloaded_error', message: 'so' }, 'busy'],
  [{ code: 'rate_limit_exceeded', message: 'so' }, 'busy'],
  [{ type: 'invalid_request_error', message: 'so' }, 'refused'],
  [{ code: 429, message: 'so' }, 'busy'],
  ['so', 'broken'],
])('an error inside of a stream is known by its type: %j', (thrown, kind) => {
  expect(failureOf(thrown, now)).toEqual({ kind, sentence: 'so' });
});

test('trouble of the network is found among the causes', () => {
  const thrown = new TypeError('fetch failed', { cause: coded('ECONNREFUSED') });

  expect(failureOf(thrown, now)).toEqual({
    kind: 'unreachable',
    sentence: 'nothing answers at this address',
  });
});

test.each([
  'ENOTFOUND',
  'ECONNRESET',
  'UND_ERR_SOCKET',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ETIMEDOUT',
])('%s is said in words', (code) => {
  const { kind, sentence } = failureOf(coded(code), now);

  expect(kind).toBe('unreachable');
  expect(sentence).toMatch(/^[a-z ]{10,}$/);
});

test('who has no money left is not waited for', () => {
  const thrown = { statusCode: 429, message: 'pay', responseBody: '{"code":"insufficient_quota"}' };

  expect(failureOf(thrown, now)).toMatchObject({ kind: 'refused' });
});

test.each([
  [{ 'retry-after': '7' }, 7000],
  [{ 'retry-after': '0.5' }, 500],
  [{ 'retry-after-ms': '120', 'retry-after': '7' }, 120],
  [{ 'retry-after': new Date(now + 5000).toUTCString() }, 5000],
  [{ 'retry-after': new Date(now - 5000).toUTCString() }, 0],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after': '-5' }, undefined],
  [{}, undefined],
])('Retry-After %j is %s ms', (responseHeaders, wait) => {
  const failure = failureOf({ statusCode: 429, message: 'so', responseHeaders }, now);

  expect(failure.retryAfterMs).toBe(wait);
});

test('a sentence is one line, not long, and cannot move a cursor', () => {
  const failure = failureOf({ statusCode: 400, message: `a\nb\x1b[2J${'x'.repeat(5000)}` }, now);

  expect(failure.sentence).toMatch(/^a b\\u001b\[2Jx+…$/);
  expect(failure.sentence.length).toBeLessThan(320);
});

test('an error that says nothing is still a sentence', () => {
  expect(failureOf({}, now).sentence).toBe('it did not say why');
});

test('causes in a ring are no trap', () => {
  const ring = new Error('so');
  ring.cause = ring;

  expect(failureOf(ring, now)).toEqual({ kind: 'broken', sentence: 'so' });
});
