import { createHash } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import fc from 'fast-check';
import { verifyMessage } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../tests/sim/random.ts';
import { times } from '../../../tests/support/tier.ts';
import { AosError } from '../../kernel/errors.ts';
import { newKeyPair, signText, toHex } from './key-pair.ts';
import {
  checkBodyHash,
  type RequestFacts,
  signRequest,
  verifyLegacySignature,
  verifySignedRequest,
} from './signed-request.ts';

const key = newKeyPair(seededRandom('a grantee'));
// What toHex() makes is what viem calls Hex.
const account = privateKeyToAccount(toHex(key.secretKey) as `0x${string}`);
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const at = 1_900_000_000;
const facts: RequestFacts = {
  method: 'POST',
  url: '/api/v1/operations/op%2F1?limit=5&status=running',
  audiences: new Set(['http://127.0.0.1:7717', 'http://localhost:7717', 'http://[::1]:7717']),
  now: 1000 * at,
};
const good = {
  aud: 'http://127.0.0.1:7717',
  method: facts.method,
  uri: facts.url,
  bodyHash: sha256('{"goal":"count"}'),
  iat: at - 10,
  exp: at + 50,
  nonce: 'bm9uY2Utbm9uY2Utbm9uYw',
};

const base64url = (text: string | Uint8Array) => Buffer.from(text).toString('base64url');
const payloadOf = (claims: unknown) => base64url(JSON.stringify(claims));
/** Signed well, whatever it is. */
const signed = (payload: string) => `Web3Signed ${payload}.${signText(key, payload)}`;
const signedClaims = (claims: unknown) => signed(payloadOf(claims));
const verify = (authorization: string, sent: Partial<RequestFacts> = {}) =>
  verifySignedRequest(authorization, { ...facts, ...sent });

function refusalOf(attempt: () => unknown): AosError {
  try {
    attempt();
  } catch (thrown) {
    if (thrown instanceof AosError) return thrown;
    throw thrown;
  }
  throw new Error('it was not refused');
}

test('what a wallet signs names the wallet, its public key, and one action', async () => {
  const payload = payloadOf(good);
  const signature = await account.signMessage({ message: payload });

  const claim = verify(`Web3Signed ${payload}.${signature}`);

  const point = secp256k1.Point.fromHex(account.publicKey.slice(2));
  expect(claim).toEqual({
    signer: account.address,
    publicKey: `0x${point.toHex(true)}`,
    digest: sha256(payload),
    bodyHash: good.bodyHash,
    issuedAt: 1000 * good.iat,
    expiresAt: 1000 * good.exp,
  });
});

test('signRequest() signs what viem verifies and verifySignedRequest() takes', async () => {
  const random = seededRandom('requests');

  for (let sample = 0; sample < 10; sample++) {
    const pair = newKeyPair(random);
    const body = sample % 2 === 0 ? undefined : random.bytes(sample);
    const { aud, method, uri } = good;
    const header = signRequest(pair, {
      ...{ aud, method, uri, body },
      now: facts.now + 999,
      nonce: random.bytes(16),
    });

    const [, payload = '', signature = ''] = /^Web3Signed (.+)\.(0x.+)$/.exec(header) ?? [];
    const verified = await verifyMessage({
      // Both are 0x and hex, which is what viem calls Hex.
      address: pair.address as `0x${string}`,
      message: payload,
      signature: signature as `0x${string}`,
    });
    expect(verified).toBe(true);
    expect(verify(header)).toEqual({
      signer: pair.address,
      publicKey: pair.publicKey,
      digest: sha256(payload),
      bodyHash: createHash('sha256')
        .update(body ?? '')
        .digest('hex'),
      issuedAt: 1000 * at,
      expiresAt: 1000 * (at + 120),
    });
  }
});

describe('verifySignedRequest() takes', () => {
  test.each([
    ['a body hash with its name', { bodyHash: `sha256:${good.bodyHash}` }],
    ['an origin in large letters', { aud: 'HTTP://LocalHost:7717' }],
    ['an origin in brackets', { aud: 'http://[::1]:7717' }],
    ['the longest life', { iat: at - 299, exp: at + 1 }],
    ['the shortest life', { iat: at, exp: at + 1 }],
    ['the earliest beginning', { iat: at + 60, exp: at + 61 }],
    ['a nonce in hex', { nonce: 'a0'.repeat(64) }],
  ])('%s', (_what, change) => {
    expect(verify(signedClaims({ ...good, ...change })).signer).toBe(key.address);
  });

  test('no body hash as that of no body', () => {
    expect(verify(signedClaims({ ...good, bodyHash: '' })).bodyHash).toBe(sha256(''));
  });

  test('the name of the scheme in any letters', () => {
    expect(verify(signedClaims(good).replace('Web3Signed', 'web3signed')).signer).toBe(key.address);
  });

  test('claims in any order, with blanks between them, and a colon in a text', () => {
    const uri = '/a:b":"\\';
    const text = JSON.stringify(Object.fromEntries(Object.entries({ ...good, uri }).reverse()));
    const spread = JSON.stringify(JSON.parse(text), null, 2);

    expect(verify(signed(base64url(spread)), { url: uri }).signer).toBe(key.address);
  });
});

describe('verifySignedRequest() refuses as bad', () => {
  const { nonce: _nonce, ...withoutNonce } = good;
  const json = JSON.stringify(good);

  test.each<[string, unknown, string]>([
    ['another origin', { ...good, aud: 'http://127.0.0.1:7718' }, 'that is not here'],
    ['another scheme of the origin', { ...good, aud: 'https://127.0.0.1:7717' }, 'is not here'],
    ['an origin with a slash', { ...good, aud: 'http://127.0.0.1:7717/' }, '"aud"'],
    ['an origin with another K', { ...good, aud: 'http://\u212A.example' }, '"aud"'],
    ['an origin without a scheme', { ...good, aud: '127.0.0.1:7717' }, '"aud"'],
    ['another method', { ...good, method: 'PUT' }, 'the method "PUT"'],
    ['a method in small letters', { ...good, method: 'post' }, '"method"'],
    ['another path', { ...good, uri: facts.url.replace('op', 'oq') }, 'and not for this'],
    ['the path decoded', { ...good, uri: decodeURIComponent(facts.url) }, 'and not for this'],
    ['the path encoded otherwise', { ...good, uri: facts.url.replace('%2F', '%2f') }, 'not for'],
    ['another query', { ...good, uri: `${facts.url}&` }, 'and not for this'],
    ['no query', { ...good, uri: facts.url.split('?')[0] }, 'and not for this'],
    ['a path with its origin', { ...good, uri: `${good.aud}${facts.url}` }, '"uri"'],
    ['a body hash in large letters', { ...good, bodyHash: 'A'.repeat(64) }, '"bodyHash"'],
    ['a body hash of 0x', { ...good, bodyHash: `0x${good.bodyHash}` }, '"bodyHash"'],
    ['a short body hash', { ...good, bodyHash: good.bodyHash.slice(1) }, '"bodyHash"'],
    ['a body hash of its name only', { ...good, bodyHash: 'sha256:' }, '"bodyHash"'],
    ['a short nonce', { ...good, nonce: 'a'.repeat(21) }, '"nonce"'],
    ['a long nonce', { ...good, nonce: 'a'.repeat(129) }, '"nonce"'],
    ['a nonce of other letters', { ...good, nonce: 'a'.repeat(22).concat('=') }, '"nonce"'],
    ['a nonce that is a number', { ...good, nonce: 1e21 }, '"nonce"'],
    ['a missing claim', withoutNonce, '"nonce" is missing'],
    ['an unknown claim', { ...good, grantId: '7' }, 'no claim "grantId"'],
    ['a time as text', { ...good, iat: String(good.iat) }, '"iat"'],
    ['a time that is no number', { ...good, iat: 'NaN' }, '"iat"'],
    ['a time with a fraction', { ...good, exp: good.exp + 0.5 }, '"exp"'],
    ['a time before 1970', { ...good, iat: -1 }, '"iat"'],
    ['a time beyond all dates', { ...good, exp: 1e15 }, '"exp"'],
    ['no time', { ...good, exp: null }, '"exp"'],
    ['an array', Object.values(good), 'not one JSON object'],
    ['claims in an array', [good], 'not one JSON object'],
    ['claims in an object', { claims: good }, ''],
    ['a claim in an array', { ...good, uri: [good.uri] }, '"uri"'],
    ['null', null, 'not one JSON object'],
    ['a text', 'claims', 'not one JSON object'],
  ])('%s', (_what, claims, words) => {
    const refusal = refusalOf(() => verify(signedClaims(claims)));

    expect(refusal).toMatchObject({ code: 'signature.bad', fix: expect.any(String) });
    expect(refusal.message).toContain(words);
  });

  test.each([
    ['a claim twice', json.replace('{', '{"method":"POST",'), 'more than once'],
    ['a claim twice, once spelt out', json.replace('{', '{"\\u0075ri":"/",'), 'more than once'],
    ['a claim twice, once an object', json.replace('{', '{"aud":{"a":[1]},'), 'more than once'],
    ['a claim twice, once an array', json.replace('{', '{"aud":[],'), 'more than once'],
    ['a __proto__', json.replace('{', '{"__proto__":{"isOwner":true},'), ''],
    [
      'claims that are inherited',
      `{"__proto__":${json},"aud":"","method":"","uri":"","bodyHash":"","iat":1,"exp":2}`,
      '',
    ],
    ['a number that no machine holds', json.replace(String(good.exp), '1e999'), '"exp"'],
    ['a number that is rounded', json.replace(String(good.exp), '9'.repeat(30)), '"exp"'],
    ['NaN', json.replace(String(good.exp), 'NaN'), 'not one JSON object'],
    ['two objects', `${json}${json}`, 'not one JSON object'],
    ['half an object', json.slice(0, -1), 'not one JSON object'],
    ['nothing', ' ', 'not one JSON object'],
    ['a mark of the byte order', `\ufeff${json}`, 'not one JSON object'],
    ['objects in objects', `${'{"a":'.repeat(800)}1`, 'not one JSON object'],
    ['4097 bytes', json.padEnd(4097), '4096 bytes'],
    ['a text without end', json.padEnd(9000), '4096 bytes'],
  ])('%s', (_what, text, words) => {
    const refusal = refusalOf(() => verify(signed(base64url(text))));

    expect(refusal.code).toBe('signature.bad');
    expect(refusal.message).toContain(words);
  });

  test('bytes that are not UTF-8', () => {
    const bytes = Buffer.from(json.replace('bm9', '\u00ff'), 'latin1');

    expect(refusalOf(() => verify(signed(base64url(bytes)))).message).toContain('UTF-8');
  });

  const payload = payloadOf({ ...good, nonce: `${good.nonce}a` });
  test.each([
    ['padding', `${payload}=`],
    ['the alphabet of base64', payload.replace(/.$/, '+')],
    ['a blank', `${payload.slice(0, 9)} ${payload.slice(9)}`],
    ['a letter too many', `${payload}A`.slice(0, 4 * Math.ceil(payload.length / 4) + 1)],
    ['bits that belong to no byte', 'e31'],
    ['garbage', '!!!'],
    ['nothing', ''],
  ])('a payload with %s', (_what, text) => {
    const { code, message } = refusalOf(() => verify(signed(text)));

    expect(code).toBe('signature.bad');
    expect(message).toMatch(/base64url|not one JSON object/);
  });

  const header = signedClaims(good);
  const [whole = '', signature = ''] = header.split('.');
  const { n } = secp256k1.Point.CURVE();
  const highS = (n - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, '0');
  const turned = signature.endsWith('1b') ? '1c' : '1b';
  const ending = (last: string) => `${whole}.${signature.slice(0, -2)}${last}`;

  test.each([
    ['the twin with the high s', `${whole}.${signature.slice(0, 66)}${highS}${turned}`, 'high s'],
    ['a last byte of 0', ending('00'), '27 or 28'],
    ['a last byte of 1', ending('01'), '27 or 28'],
    ['a last byte of 29', ending('1d'), '27 or 28'],
    ['64 bytes', ending(''), '65 bytes'],
    ['66 bytes', `${header}00`, '65 bytes'],
    ['no 0x', `${whole}.${signature.slice(2)}`, '65 bytes'],
    ['a second signature', `${header}.${signature}`, '65 bytes'],
    ['a newline', `${header}\n`, 'not signed'],
    ['zeros', `${whole}.0x${'0'.repeat(128)}1b`, 'Nobody'],
    ['no signature', `${whole}.`, '65 bytes'],
    ['no dot', whole, '"."'],
    ['nothing behind its name', 'Web3Signed ', 'not signed'],
    ['another scheme', header.replace('Web3Signed', 'Bearer'), 'not signed'],
    ['nothing', '', 'not signed'],
  ])('a signature with %s', (_what, authorization, words) => {
    expect(verify(header).signer).toBe(key.address);
    const refusal = refusalOf(() => verify(authorization));

    expect(refusal.code).toBe('signature.bad');
    expect(refusal.message).toContain(words);
  });
});

describe('verifySignedRequest() refuses as expired', () => {
  test.each([
    ['a life of 301 seconds', { iat: at - 200, exp: at + 101 }, 'more than 300'],
    ['a life of none', { iat: at + 1, exp: at + 1 }, 'ends before'],
    ['an end before the beginning', { iat: at + 2, exp: at + 1 }, 'ends before'],
    ['a beginning 61 seconds ahead', { iat: at + 61, exp: at + 70 }, 'not come yet'],
    ['an end that is now', { iat: at - 10, exp: at }, 'no longer'],
    ['milliseconds', { iat: 1000 * at, exp: 1000 * at + 60 }, 'not come yet'],
  ])('%s', (_what, change, words) => {
    const refusal = refusalOf(() => verify(signedClaims({ ...good, ...change })));

    expect(refusal).toMatchObject({ code: 'signature.expired', fix: expect.any(String) });
    expect(refusal.message).toContain(words);
  });

  test('what was good until this millisecond', () => {
    const header = signedClaims(good);

    expect(verify(header, { now: 1000 * good.exp - 1 }).signer).toBe(key.address);
    expect(refusalOf(() => verify(header, { now: 1000 * good.exp })).code).toBe(
      'signature.expired',
    );
  });
});

test('a signature in large letters is the same action, and no new one', () => {
  const header = signedClaims(good);
  const large = header.replace(/\.0x.+$/, (part) => `.0x${part.slice(3).toUpperCase()}`);

  expect(large).not.toBe(header);
  expect(verify(large)).toEqual(verify(header));
});

test.each(Object.keys(good))('a signature does not go with another "%s"', (name) => {
  const [, signature = ''] = signedClaims(good).split('.');
  const changed = JSON.stringify(good).replace(
    new RegExp(`("${name}":"?[^",}]*)([^",}])`),
    (_whole, before, last) => before + (last === '1' ? '2' : '1'),
  );
  expect(changed).not.toBe(JSON.stringify(good));

  const signer = signerOf(`Web3Signed ${base64url(changed)}.${signature}`);

  // Nobody, or somebody who holds nothing: every text fits the signature of some key.
  expect(signer).not.toBe(key.address);
});

test('a signed request with any one character changed is refused, or is somebody else', () => {
  const header = signedClaims(good);
  const start = 'Web3Signed '.length;
  const place = fc.integer({ min: start, max: header.length - 1 });

  fc.assert(
    fc.property(place, fc.constantFrom(...'Aa0_-z9f.xX= '), (index, letter) => {
      const changed = `${header.slice(0, index)}${letter}${header.slice(index + 1)}`;
      // Letters of the hex may be large or small.
      fc.pre(changed.toLowerCase() !== header.toLowerCase());
      const signer = signerOf(changed);
      expect(signer).not.toBe(key.address);
    }),
    { numRuns: times({ fast: 60, full: 300 }) },
  );
  for (const index of [...facts.url].keys()) {
    const url = `${facts.url.slice(0, index)}_${facts.url.slice(index + 1)}`;
    expect(signerOf(header, { url })).toBeUndefined();
  }
});

function signerOf(authorization: string, sent?: Partial<RequestFacts>): string | undefined {
  try {
    return verify(authorization, sent).signer;
  } catch (thrown) {
    if (thrown instanceof AosError && thrown.code.startsWith('signature.')) return undefined;
    throw thrown;
  }
}

test('whatever comes is answered with a refusal that repeats little of it', () => {
  const units = fc.uint16Array({ maxLength: 300 });
  const text = fc.oneof(
    units.map((each) => String.fromCharCode(...each)),
    fc.json(),
  );
  const claims = fc.record({
    ...Object.fromEntries(Object.entries(good).map(([name, value]) => [name, fc.constant(value)])),
    [`u${'x'.repeat(500)}`]: text,
  });
  const payload = fc
    .oneof(
      text,
      claims.map((each) => JSON.stringify(each)),
    )
    .map(base64url);
  const authorization = fc.oneof(
    text,
    text.map((each) => `Web3Signed ${each}`),
    payload.map((each) => `Web3Signed ${each}.0x${'1'.repeat(128)}1b`),
  );

  fc.assert(
    fc.property(authorization, (each) => {
      const { code, message } = refusalOf(() => verify(each));
      expect(code).toBe('signature.bad');
      expect(message.length).toBeLessThan(200);
    }),
    { numRuns: times({ fast: 60, full: 300 }) },
  );
});

test('of a long path no more than 100 characters are repeated', () => {
  const uri = `/${'\u202e'.repeat(300)}`;

  const { message } = refusalOf(() => verify(signedClaims({ ...good, uri })));

  expect(message.split('\\u202e')).toHaveLength(100);
  expect(message).toContain('…');
});

test('checkBodyHash() takes the body that was signed and no other', () => {
  const claim = verify(signedClaims(good));

  expect(() => checkBodyHash(claim, sha256('{"goal":"count"}'))).not.toThrow();
  expect(refusalOf(() => checkBodyHash(claim, sha256('{"goal":"counu"}')))).toMatchObject({
    code: 'signature.bad',
    fix: expect.stringContaining('bodyHash'),
  });
  expect(refusalOf(() => checkBodyHash(claim, '')).code).toBe('signature.bad');
});

test('verifyLegacySignature() names who signed the id of the operation', async () => {
  const message = '{"operation_id":"gemini_1755985390841"}';
  const signature = await account.signMessage({ message });

  expect(verifyLegacySignature('gemini_1755985390841', signature)).toEqual({
    address: account.address,
    publicKey: key.publicKey,
  });
  expect(verifyLegacySignature('gemini_1755985390842', signature)?.address).not.toBe(key.address);
  expect(verifyLegacySignature('gemini_1755985390841', '0x')).toBeUndefined();
  expect(verifyLegacySignature('gemini_1755985390841', message)).toBeUndefined();
});
