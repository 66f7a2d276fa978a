/**
 * `aosb1`: bytes sealed in chunks, so that any part can be opened alone, in any order, and
 * nothing can be changed, left out, added or put elsewhere (docs/aosb1.md has the whole
 * format, with test vectors).
 *
 * S1. A chunk is sealed under a key and a nonce that are used for no other bytes: the key comes
 *     from the DEK and the salt, the nonce from the place of the chunk and whether it is the last.
 *     So a DEK belongs to one content, or the salt is chosen anew.
 * S2. The header is associated data of every chunk, and has a commitment to the key: with
 *     another DEK it does not open, to anything.
 * S3. The last chunk says so in its nonce: what is cut at the end of a chunk does not open.
 */
import {
  createCipheriv,
  createDecipheriv,
  createECDH,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto';
import { AosError } from '../../kernel/errors.ts';
import type { Random } from '../../kernel/ports.ts';

export const chunkBytes = 65536;
export const headerBytes = 64;
export const dekBytes = 32;
const tagBytes = 16;
export const sealedChunkBytes = chunkBytes + tagBytes;

const cipher = 'aes-256-gcm';
const saltBytes = 16;
const magic = Buffer.from('AOSB1');
const at = { algorithm: 5, logOfChunk: 6, salt: 8, commitment: 24, rest: 40 } as const;

/** What the chunks of one body are sealed and opened with. */
export interface Sealing {
  readonly header: Uint8Array;
  readonly chunkKey: KeyObject;
  readonly noncePrefix: Uint8Array;
}

/** Where chunks stand in their body. */
export interface ChunkPlace {
  /** The number of the first one. */
  readonly first: number;
  /** Whether they reach to the end of the body. */
  readonly toEnd: boolean;
}

/** For bytes that are to be sealed; the salt of the DEK itself where none is given (S1). */
export function sealingOf(dek: Uint8Array, salt: Uint8Array = saltOf(dek)): Sealing {
  const header = Buffer.alloc(headerBytes);
  magic.copy(header);
  header[at.algorithm] = 1;
  header[at.logOfChunk] = Math.log2(chunkBytes);
  header.set(salt, at.salt);
  header.set(derived(dek, salt, 'aosb1/commitment', saltBytes), at.commitment);
  return keyed(dek, header);
}

/** For bytes that were sealed with this DEK; refused when they were not (S2). */
export function openingOf(dek: Uint8Array, header: Uint8Array): Sealing {
  const expected = sealingOf(dek, saltIn(header)).header;
  const found = header.subarray(0, headerBytes);
  if (!timingSafeEqual(publicPart(expected), publicPart(found))) throw notSealed();
  if (!timingSafeEqual(commitmentIn(expected), commitmentIn(found))) throw wrongKey();
  return keyed(dek, Buffer.from(found));
}

/** So that one key always gives the same bytes for the same content. */
function saltOf(dek: Uint8Array): Uint8Array {
  return derived(dek, new Uint8Array(0), 'aosb1/salt', saltBytes);
}

function saltIn(header: Uint8Array): Uint8Array {
  if (header.length < headerBytes) throw cutOff();
  return header.subarray(at.salt, at.commitment);
}

function commitmentIn(header: Uint8Array): Uint8Array {
  return header.subarray(at.commitment, at.rest);
}

/** Everything but the commitment. */
function publicPart(header: Uint8Array): Uint8Array {
  return Buffer.concat([header.subarray(0, at.commitment), header.subarray(at.rest)]);
}

function keyed(dek: Uint8Array, header: Uint8Array): Sealing {
  const salt = saltIn(header);
  return {
    header,
    // Made once: from bytes, each chunk would make it anew, which takes as long as sealing.
    chunkKey: createSecretKey(derived(dek, salt, 'aosb1/chunk', 32)),
    noncePrefix: derived(dek, salt, 'aosb1/nonce', 7),
  };
}

function derived(dek: Uint8Array, salt: Uint8Array, info: string, size: number): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', dek, salt, info, size));
}

function emptyNonce({ noncePrefix }: Sealing): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.set(noncePrefix);
  return nonce;
}

/** S1, S3: in place, because the cipher takes a copy. */
function setPlace(nonce: Buffer, index: number, isLast: boolean): void {
  nonce.writeUInt32BE(index, 7);
  nonce[11] = isLast ? 1 : 0;
}

/**
 * Seals whole chunks, or up to the end of the body, into `out`; how many bytes that makes. An
 * empty body is one chunk of nothing. The caller knows where a body ends before it seals what
 * would be its last chunk.
 */
export function sealChunks(
  sealing: Sealing,
  plain: Uint8Array,
  { first, toEnd }: ChunkPlace,
  out: Uint8Array,
): number {
  if (!isWellPlaced(plain.length, { first, toEnd })) throw new RangeError('not whole chunks');
  const count = chunkCount(plain.length);
  const nonce = emptyNonce(sealing);
  let length = 0;
  for (let index = 0; index < count; index++) {
    const bytes = plain.subarray(index * chunkBytes, (index + 1) * chunkBytes);
    setPlace(nonce, first + index, toEnd && index === count - 1);
    const chunk = createCipheriv(cipher, sealing.chunkKey, nonce, { authTagLength: tagBytes });
    chunk.setAAD(sealing.header);
    out.set(chunk.update(bytes), length);
    chunk.final();
    out.set(chunk.getAuthTag(), length + bytes.length);
    length += bytes.length + tagBytes;
  }
  return length;
}

/** There is one way to cut a body into chunks: only the last is short, and none is empty. */
function isWellPlaced(plainBytes: number, { first, toEnd }: ChunkPlace): boolean {
  if (plainBytes === 0) return toEnd && first === 0;
  return toEnd || plainBytes % chunkBytes === 0;
}

/** The other way. Nothing of a chunk that was changed is ever in `out`. */
export function openChunks(
  sealing: Sealing,
  sealed: Uint8Array,
  { first, toEnd }: ChunkPlace,
  out: Uint8Array,
): number {
  const count = Math.ceil(sealed.length / sealedChunkBytes);
  const plainBytes = sealed.length - count * tagBytes;
  const isWhole = isWellPlaced(plainBytes, { first, toEnd }) && chunkCount(plainBytes) === count;
  if (!isWhole) throw cutOff();
  const nonce = emptyNonce(sealing);
  let length = 0;
  for (let index = 0; index < count; index++) {
    const bytes = sealed.subarray(index * sealedChunkBytes, (index + 1) * sealedChunkBytes);
    setPlace(nonce, first + index, toEnd && index === count - 1);
    const plain = openChunk(sealing, nonce, bytes);
    out.set(plain, length);
    length += plain.length;
  }
  return length;
}

function openChunk(sealing: Sealing, nonce: Uint8Array, bytes: Uint8Array): Uint8Array {
  const end = bytes.length - tagBytes;
  if (end < 0) throw cutOff();
  const chunk = createDecipheriv(cipher, sealing.chunkKey, nonce, { authTagLength: tagBytes });
  chunk.setAAD(sealing.header);
  chunk.setAuthTag(bytes.subarray(end));
  const plain = chunk.update(bytes.subarray(0, end));
  try {
    chunk.final();
  } catch (cause) {
    throw damaged('The sealed bytes were changed, or do not stand where they belong', cause);
  }
  return plain;
}

/** How many bytes so many plain ones are when sealed, with the header. */
export function sealedSize(plainBytes: number): number {
  return headerBytes + plainBytes + tagBytes * chunkCount(plainBytes);
}

export function chunkCount(plainBytes: number): number {
  return Math.max(1, Math.ceil(plainBytes / chunkBytes));
}

/** The other way; undefined where no body has that size. */
export function plainSize(sealedBytes: number): number | undefined {
  const body = sealedBytes - headerBytes;
  const count = Math.ceil(body / sealedChunkBytes);
  const plain = body - count * tagBytes;
  return count >= 1 && plain >= 0 && sealedSize(plain) === sealedBytes ? plain : undefined;
}

function notSealed(): AosError {
  return damaged('The bytes do not begin as sealed ones do');
}

function wrongKey(): AosError {
  return damaged('The key is not the one with which the bytes were sealed');
}

function cutOff(): AosError {
  return damaged('The sealed bytes end too early');
}

function damaged(message: string, cause?: unknown): AosError {
  return new AosError('blob.corrupt', {
    message,
    fix: 'Fetch them again; if that does not help, have them sent again',
    cause,
  });
}

// The keys around a sealed body: the one it is sealed with (DEK), and how that reaches each
// recipient.

const curve = 'secp256k1';
const pointBytes = 33;
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

interface WrapFor {
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

interface UnwrapWith {
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
