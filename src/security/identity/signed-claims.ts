/** What a signed request claims to be, and whether it is that. */
import { z } from 'zod';
import { signatureTimes } from '../../kernel/agent/operation.ts';
import { AosError } from '../../kernel/errors.ts';
import type { Instant } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';

export interface SentRequest {
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

export type Claims = z.infer<typeof claimsSchema>;

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

export const formFix = 'Send "Authorization: Web3Signed PAYLOAD.SIGNATURE": docs/operations.md';
const claimsFix = `Sign a JSON object with ${claimNames.join(', ')}, once each, and nothing else`;
const requestFix = 'Sign the request as it is sent: its method, its path and query, and where to';

/** Throws `signature.bad` unless these are all the claims, once each, in their forms. */
export function claimsIn(payload: string): Claims {
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
  // Node reads what nobody should write: other letters, padding, bits that belong to no byte.
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
    return badSignature(`There is no claim ${shown(issue.keys[0] ?? '')}`, claimsFix);
  }
  const name = String(issue?.path[0]);
  const [, form] = Object.entries(claimForms).find(([claim]) => claim === name) ?? [];
  if (form === undefined) {
    return badSignature('The payload is not one JSON object of claims', claimsFix);
  }
  return badSignature(`The claim "${name}" is missing, or is not ${form}`, claimsFix);
}

/** Throws `signature.expired` when it comes too late or too early, or is good for too long. */
export function checkTimes({ iat, exp }: Claims, now: Instant): void {
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
export function checkRequest({ aud, method, uri }: Claims, sent: SentRequest): void {
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

export function badSignature(message: string, fix: string): AosError {
  return new AosError('signature.bad', { message, fix });
}

function expired(message: string): AosError {
  const fix = 'Sign it anew, and check the clock';
  return new AosError('signature.expired', { message, fix });
}
