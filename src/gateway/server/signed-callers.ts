/**
 * Callers who sign their requests. The signature is looked at before the body comes, the body
 * and whether the request has come before when it is there.
 *
 * S1. A request counts once: that it was seen is on disk before anything is done for it, under a
 *     unique key, so that of two at once one is refused, also after a restart.
 * S2. An unknown signer is refused, and leaves no trace in the ledger. A request that was
 *     changed on its way has a signer too, an unknown one; and any client can make up
 *     as many addresses as they want.
 */
import { createHash, type Hash } from 'node:crypto';
import { AosError } from '../../kernel/errors.ts';
import type { Clock } from '../../kernel/ports.ts';
import { type Ledger, readState } from '../../ledger/ledger.ts';
import { findPrincipalByAddress } from '../../ledger/security/principals.ts';
import { seeSignature, signaturesSince } from '../../ledger/security/seen-requests.ts';
import {
  type Claim,
  checkBodyHash,
  verifyLegacySignature,
  verifySignedRequest,
} from '../../security/identity/signed-request.ts';
import { type Caller, callerOf } from './authenticate.ts';
import type { Door } from './connections.ts';

export interface SignedCallersDeps {
  readonly ledger: Pick<Ledger, 'transact' | 'committed'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly legacySignatures: boolean;
  /** The public key of a known signer is known from now on. */
  learnKey(principal: string, publicKey: string): Promise<void>;
}

export interface ArrivedRequest {
  readonly method: string;
  /** The path and the query as they were sent. */
  readonly url: string;
  readonly host: string;
  readonly authorization: string;
}

/** One that is under way: what was signed, and the hash of the body as it comes. */
export interface SignedCall {
  readonly claim: Claim;
  readonly body: Hash;
}

const scheme = /^web3signed /i;

export function isSigned(authorization: string | undefined): authorization is string {
  return authorization !== undefined && scheme.test(authorization);
}

export class SignedCallers {
  readonly #deps: SignedCallersDeps;

  constructor(deps: SignedCallersDeps) {
    this.#deps = deps;
  }

  /** Throws `signature.bad`, `signature.expired` or `signature.unknown` (S2), before its body comes. */
  async begin(
    door: Door,
    { method, url, host, authorization }: ArrivedRequest,
  ): Promise<SignedCall> {
    const facts = { method, url, audiences: audiencesOf(door, host), now: this.#deps.clock.now() };
    const claim = verifySignedRequest(authorization, facts);
    const known = await findPrincipalByAddress(this.#deps.ledger.committed, claim.signer);
    if (known === undefined) throw unknownSigner(claim.signer);
    return { claim, body: createHash('sha256') };
  }

  /** Its body has come. Throws `signature.bad`, or `signature.replayed` (S1). */
  async end({ claim, body }: SignedCall): Promise<Caller> {
    checkBodyHash(claim, body.copy().digest('hex'));
    const { signer, digest, expiresAt, publicKey } = claim;
    const isNew = await this.#deps.ledger.transact(
      async (tx) =>
        claim.issuedAt >= Number((await readState(tx, signaturesSince)) ?? 0) &&
        (await seeSignature(tx, { signer, digest, expiresAt })),
    );
    if (isNew) return this.#callerOf(signer, publicKey);
    throw new AosError('signature.replayed', {
      message:
        'This signed request has come before, or may have before the ledger was restored or the clock set back',
      fix: 'Sign each request anew, with a new nonce; after a restore, in a minute',
    });
  }

  /** The weak form, where it is allowed. */
  async legacy({
    operation,
    signature,
  }: {
    readonly operation: string;
    readonly signature: string;
  }): Promise<Caller> {
    const isTaken = this.#deps.legacySignatures;
    const signer = isTaken ? verifyLegacySignature(operation, signature) : undefined;
    if (signer === undefined) throw weakSignature();
    return this.#callerOf(signer.address, signer.publicKey);
  }

  async #callerOf(address: string, publicKey: string): Promise<Caller> {
    const known = await findPrincipalByAddress(this.#deps.ledger.committed, address);
    // S2
    if (known === undefined) throw unknownSigner(address);
    if (known.public_key === '') await this.#deps.learnKey(known.id, publicKey);
    const caller = callerOf(known.id);
    if (caller === undefined) throw new Error(`${known.id} is a principal of no kind`);
    return caller;
  }
}

/** Of the name under which it was called: what was signed for another name is for another home. */
function audiencesOf(door: Door, host: string): ReadonlySet<string> {
  const origin = door.kind === 'tcp' ? door.origins.get(host.toLowerCase()) : undefined;
  return new Set(origin === undefined ? [] : [origin]);
}

function weakSignature(): AosError {
  return new AosError('signature.bad', {
    message:
      'The header "signature" can be used again by whoever sees it, so it counts for nothing here; or it is none',
    fix: 'Send "Authorization: Web3Signed …" (docs/operations.md), or have legacySignatures set',
  });
}

function unknownSigner(address: string): AosError {
  return new AosError('signature.unknown', {
    message: `The signature is of ${address}, to whom nothing was granted here; if that is not you, the request is not what you signed`,
    fix: `If it is you, ask the owner of the home for: aos cap grant ${address} operation:default:start`,
  });
}

/** Why a body is not the one that was signed; undefined where it is. */
export function signedOther({ claim, body }: SignedCall): AosError | undefined {
  try {
    checkBodyHash(claim, body.copy().digest('hex'));
    return undefined;
  } catch (failure) {
    if (failure instanceof AosError) return failure;
    throw failure;
  }
}
