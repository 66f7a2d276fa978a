/**
 * Requests of outsiders, whom their signature names: `Web3Signed PAYLOAD.SIGNATURE`, where the
 * payload is claims about the request as JSON in base64url, and the signature is of that text
 * (EIP-191). Whether a request has come before is for the caller to see, by `digest`.
 *
 * R1. What was signed is one request: each claim is compared with what was sent, as it was sent,
 *     before anything is decoded. The body follows, with checkBodyHash().
 * R2. One payload is one text. `digest` is of that text and never of the signature, which
 *     anybody can write in more than one way.
 * R3. The curve comes last: whatever is wrong otherwise costs no more than a bad header.
 */

import { hash } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { z } from 'zod';
import { signatureTimes } from '../../kernel/agent/operation.ts';
import { AosError } from '../../kernel/errors.ts';
import { must } from '../../kernel/must.ts';
import type { Instant } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import { type KeyPair, recoverSigner, signText } from './key-pair.ts';

export interface SignedRequest {
  /** What stands behind "Web3Signed ". */
  readonly scheme: string;
}

export interface RequestFacts extends SentRequest {
  readonly now: Instant;
}

/** What is known once the signature is good. */
export interface Claim {
  /** The address, with its checksum. */
  readonly signer: string;
  /** Compressed, as 0x hex. */
  readonly publicKey: string;
  /** SHA-256 of the payload, in hex: R2. */
  readonly digest: string;
  /** SHA-256 that the body must have, in small hex. */
  readonly bodyHash: string;
  readonly issuedAt: Instant;
  readonly expiresAt: Instant;
}

/** Throws `signature.bad` or `signature.expired`, in words that say what is wrong. */
export function verifySignedRequest(authorization: string, facts: RequestFacts): Claim {
  const { payload, signature } = partsOf(requestIn(authorization));
  const claims = claimsIn(payload);
  checkTimes(claims, facts.now);
  checkRequest(claims, facts);
  // R3
  const signer = recoverSigner(payload, signature);
  if (signer === undefined) throw badSignature('Nobody can have signed that so', signingFix);
  return {
    signer: signer.address,
    publicKey: signer.publicKey,
    digest: hash('sha256', payload),
    bodyHash: claims.bodyHash.replace('sha256:', '') || hashOfNothing,
    issuedAt: 1000 * claims.iat,
    expiresAt: 1000 * claims.exp,
  };
}

/** Throws `signature.bad` unless the body that came has the hash that was signed. */
export function checkBodyHash({ bodyHash }: Claim, sha256Hex: string): void {
  if (bodyHash === sha256Hex) return;
  const fix = 'Set "bodyHash" to the SHA-256 of the body, in hex';
  throw badSignature('The body is not the one that was signed', fix);
}

export interface RequestToSign {
  readonly aud: string;
  readonly method: string;
  /** The path and the query exactly as they will be sent. */
  readonly uri: string;
  readonly body: Uint8Array | undefined;
  readonly now: Instant;
  /** 16 bytes that were never used before. */
  readonly nonce: Uint8Array;
  readonly lifeSeconds?: number;
}

// Long enough for a clock that is late by as much as one may be early.
const usualLifeSeconds = 2 * signatureTimes.skewSeconds;

/** The value of the header `Authorization` for this one request. */
export function signRequest(
  key: Pick<KeyPair, 'secretKey'>,
  { aud, method, uri, body, now, nonce, lifeSeconds = usualLifeSeconds }: RequestToSign,
): string {
  const iat = Math.floor(now / 1000);
  const claims: Claims = {
    aud,
    method,
    uri,
    bodyHash: body === undefined ? hashOfNothing : hash('sha256', body),
    iat,
    exp: iat + lifeSeconds,
    nonce: Buffer.from(nonce).toString('base64url'),
  };
  const payload = Buffer.from(JSON.stringify(claims)).toString('base64url');
  return `Web3Signed ${payload}.${signText(key, payload)}`;
}

/**
 * The weak form: a signature of `{"operation_id":"ID"}` and nothing else, which a caller that has
 * seen it can use again for ever.
 */
export function verifyLegacySignature(
  operationId: string,
  signature: string,
): Pick<KeyPair, 'address' | 'publicKey'> | undefined {
  return recoverSigner(JSON.stringify({ operation_id: operationId }), signature);
}

const hashOfNothing = hash('sha256', '');
const signingFix = 'Sign the payload itself as a personal message (EIP-191): docs/operations.md';

function requestIn(authorization: string): SignedRequest {
  const [, scheme] = /^web3signed (.+)$/i.exec(authorization) ?? [];
  if (scheme === undefined) throw badSignature('The request is not signed', formFix);
  return { scheme };
}

interface SignedParts {
  readonly payload: string;
  readonly signature: string;
}

function partsOf({ scheme }: SignedRequest): SignedParts {
  const dot = scheme.indexOf('.');
  if (dot === -1) throw badSignature('There is no "." between payload and signature', formFix);
  const signature = scheme.slice(dot + 1);
  const fault = faultOf(signature);
  if (fault !== undefined) throw badSignature(`The signature ${fault}`, signingFix);
  return { payload: scheme.slice(0, dot), signature };
}

const halfOrder = (secp256k1.Point.CURVE().n >> 1n).toString(16).padStart(64, '0');

/** What can be seen to be wrong with a signature without the curve. */
function faultOf(signature: string): string | undefined {
  const [, s = '', last = ''] =
    /^0x[\da-f]{64}([\da-f]{64})([\da-f]{2})$/.exec(signature.toLowerCase()) ?? [];
  if (last === '') return 'is not 65 bytes, written as 0x and 130 hex digits';
  if (last !== '1b' && last !== '1c') return 'does not end with 27 or 28';
  // Equally long, so that letters compare as the numbers do.
  return s > halfOrder ? 'has a high s: only the one with the low s counts' : undefined;
}

// What a signed request claims to be, and whether it is that.

interface SentRequest {
  readonly method: string;
  /** The path and the query exactly as they were sent. */
  readonly url: string;
  /** What `aud` may be, in small letters, e.g. "http://127.0.0.1:7717". */
  readonly audiences: ReadonlySet<string>;
}

const seconds = z.int().min(0).max(8.64e12);

const claimsSchema = z.strictObject({
  aud: z.string().regex(/^https?:\/\/[\w.:[\]-]+$/i),
  method: z.string().regex(/^[A-Z]{1,20}$/),
  uri: z.string().startsWith('/'),
  bodyHash: z.string().regex(/^(?:(?:sha256:)?[0-9a-f]{64})?$/),
  iat: seconds,
  exp: seconds,
  nonce: z.string().regex(/^[\w-]{22,128}$/),
});

type Claims = z.infer<typeof claimsSchema>;

/** How each has to be, as the end of a sentence. */
const claimForms: Readonly<Record<keyof Claims, string>> = {
  aud: 'an origin without a slash at its end, as "http://127.0.0.1:7717"',
  method: 'the method in large letters',
  uri: 'the path and the query as they are sent',
  bodyHash: 'the SHA-256 of the body in small hex',
  iat: 'a whole number of seconds since 1970',
  exp: 'a whole number of seconds since 1970',
  nonce: '16 to 64 bytes as base64url or hex',
};

const claimNames = Object.keys(claimForms);
const mostJsonBytes = 4096;

const formFix = 'Send "Authorization: Web3Signed PAYLOAD.SIGNATURE": docs/operations.md';
const claimsFix = `Sign a JSON object with ${claimNames.join(', ')}, once each, and nothing else`;
const requestFix = 'Sign the request as it is sent: its method, its path and query, and where to';

/** Throws `signature.bad` unless these are all the claims, once each, in their forms. */
function claimsIn(payload: string): Claims {
  const text = textIn(payload);
  const { success, data, error } = claimsSchema.safeParse(jsonIn(text));
  if (!success) throw badClaims(error.issues[0]);
  // Every member, of whatever is in there, has its colon, and all these names are there: when
  // there are no more colons than names, then no name comes twice.
  const colons = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').split(':').length - 1;
  if (colons !== claimNames.length) throw badSignature('A claim comes more than once', claimsFix);
  return data;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textIn(payload: string): string {
  const bytes = Buffer.from(payload, 'base64url');
  if (bytes.length > mostJsonBytes) {
    throw badSignature(`The claims take more than ${mostJsonBytes} bytes`, claimsFix);
  }
  // Node also reads what is not well-formed: other letters, padding, bits that belong to no byte.
  if (bytes.toString('base64url') !== payload) {
    throw badSignature('The payload is not base64url without padding', formFix);
  }
  try {
    return utf8.decode(bytes);
  } catch {
    throw badSignature('The payload is not UTF-8', claimsFix);
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Refused by the schema, as what is no object.
    return undefined;
  }
}

function badClaims(issue: z.core.$ZodIssue | undefined): AosError {
  if (issue?.code === 'unrecognized_keys') {
    return badSignature(
      `There is no claim ${shown(must(issue.keys[0], 'the key that is unknown'))}`,
      claimsFix,
    );
  }
  const name = String(issue?.path[0]);
  const [, form] = Object.entries(claimForms).find(([claim]) => claim === name) ?? [];
  if (form === undefined) {
    return badSignature('The payload is not one JSON object of claims', claimsFix);
  }
  return badSignature(`The claim "${name}" is missing, or is not ${form}`, claimsFix);
}

/** Throws `signature.expired` when it comes too late or too early, or is good for too long. */
function checkTimes({ iat, exp }: Claims, now: Instant): void {
  const { longestSeconds, skewSeconds } = signatureTimes;
  if (exp <= iat) throw expired('The signature ends before it begins');
  if (exp - iat > longestSeconds) {
    throw expired(`The signature is good for more than ${longestSeconds} seconds`);
  }
  if (1000 * iat > now + 1000 * skewSeconds) {
    throw expired('The signature is of a time that has not come yet');
  }
  if (now >= 1000 * exp) throw expired('The signature is no longer good');
}

/** Throws `signature.bad` when another request was signed than the one that came. */
function checkRequest({ aud, method, uri }: Claims, sent: SentRequest): void {
  if (method !== sent.method) {
    throw badSignature(`The signature is for the method ${shown(method)}, not this`, requestFix);
  }
  if (uri !== sent.url) {
    throw badSignature(`The signature is for ${shown(uri)}, and not for this`, requestFix);
  }
  // The schema has let nothing but ASCII through, so no other letter becomes one of these.
  if (!sent.audiences.has(aud.toLowerCase())) {
    throw badSignature(`The signature is for ${shown(aud)}, and that is not here`, requestFix);
  }
}

const mostShown = 100;

function shown(text: string): string {
  return text.length > mostShown ? `${quote(text.slice(0, mostShown))}…` : quote(text);
}

function badSignature(message: string, fix: string): AosError {
  return new AosError('signature.bad', { message, fix });
}

function expired(message: string): AosError {
  const fix = 'Sign it anew, and check the clock';
  return new AosError('signature.expired', { message, fix });
}
