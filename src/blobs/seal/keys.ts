/**
 * The keys around a sealed body: the one it is sealed with (DEK), and how that reaches each
 * recipient.
 */
import { createCipheriv, createDecipheriv, createECDH, createHmac, hkdfSync } from 'node:crypto';
import { AosError } from '../../kernel/errors.ts';
import type { Random } from '../../kernel/ports.ts';
import { dekBytes } from './aosb1.ts';

const curve = 'secp256k1';
const pointBytes = 33;
const tagBytes = 16;
const wrapBytes = pointBytes + dekBytes + tagBytes;

/** What a file is made of, as it was when it was read. */
export interface Content {
  /** 64 hex digits. */
  readonly sha256: string;
  readonly sizeBytes: number;
}

/** What a sender's keys are made of. Not the signing key itself, and not the way back to it. */
export function sealingSecretOf(secretKey: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secretKey, '', 'aos sealing secret 1', 32));
}

/**
 * The DEK of a content: other content, other key, so that no nonce is ever used for other bytes. It
 * is the sender's alone: it does not show who else has sent the same content.
 */
export function contentKey(secret: Uint8Array, { sha256 }: Content): Uint8Array {
  return new Uint8Array(createHmac('sha256', secret).update(`aosb1 content ${sha256}`).digest());
}

export interface WrapFor {
  /** Public key of the recipient who is to open it: compressed, as 0x hex. */
  readonly publicKey: string;
  readonly address: string;
  /** The id of the body. */
  readonly object: string;
}

/** For exactly this recipient and this body, as base64url. */
export function wrapKey(random: Random, dek: Uint8Array, { publicKey, ...whom }: WrapFor): string {
  const ephemeral = createECDH(curve);
  ephemeral.setPrivateKey(random.bytes(32));
  const theirs = Buffer.from(publicKey.slice(2), 'hex');
  const ours = ephemeral.getPublicKey(null, 'compressed');
  const { key, nonce } = agreed(ephemeral.computeSecret(theirs), ours, theirs);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(labelOf(whom));
  const body = Buffer.concat([cipher.update(dek), cipher.final(), cipher.getAuthTag()]);
  return Buffer.concat([ours, body]).toString('base64url');
}

export interface UnwrapWith {
  readonly secretKey: Uint8Array;
  readonly address: string;
  readonly object: string;
}

export function unwrapKey(wrapped: string, { secretKey, ...whom }: UnwrapWith): Uint8Array {
  const bytes = Buffer.from(wrapped, 'base64url');
  if (bytes.length !== wrapBytes) throw notOurs();
  try {
    const own = createECDH(curve);
    own.setPrivateKey(secretKey);
    const point = bytes.subarray(0, pointBytes);
    const mine = own.getPublicKey(null, 'compressed');
    const { key, nonce } = agreed(own.computeSecret(point), point, mine);
    const cipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
    cipher.setAAD(labelOf(whom));
    cipher.setAuthTag(bytes.subarray(-tagBytes));
    const dek = cipher.update(bytes.subarray(pointBytes, -tagBytes));
    cipher.final();
    return new Uint8Array(dek);
  } catch (cause) {
    throw notOurs(cause);
  }
}

/** Another key each time, because one half of the agreement is new each time. */
function agreed(secret: Uint8Array, ephemeral: Uint8Array, recipient: Uint8Array) {
  const salt = Buffer.concat([ephemeral, recipient]);
  const both = Buffer.from(hkdfSync('sha256', secret, salt, 'aos/wrap/v1', 44));
  return { key: both.subarray(0, 32), nonce: both.subarray(32) };
}

function labelOf({ object, address }: Pick<WrapFor, 'object' | 'address'>): Uint8Array {
  // Large and small letters of an address are a checksum, which not every program writes.
  return Buffer.from(`${object} ${address.toLowerCase()}`);
}

function notOurs(cause?: unknown): AosError {
  return new AosError('blob.wrong-key', {
    message: 'The key of these bytes is not wrapped for this recipient, or was changed',
    fix: 'Have them sent again',
    cause,
  });
}
