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
import { signatureTimes } from '../../kernel/agent/operation.ts';
import type { Instant } from '../../kernel/ports.ts';
import type { KeyPair } from './key-pair.ts';
import { recoverSigner, signText } from './sign.ts';
import {
  badSignature,
  type Claims,
  checkRequest,
  checkTimes,
  claimsIn,
  formFix,
  type SentRequest,
} from './signed-claims.ts';

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
 * The weak form: a signature of `{"operation_id":"ID"}` and nothing else, which whoever has
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
