/**
 * An outsider with a wallet: signs with viem and opens what it gets with Node's own ciphers,
 * written out here by docs/aosb1.md, so that nothing of ours proves itself.
 */
import { createDecipheriv, createECDH, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { Hex } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';

/** What is signed of a request. */
export interface SignedClaims {
  readonly aud: string;
  readonly method: string;
  readonly uri: string;
  readonly bodyHash: string;
  readonly iat: number;
  readonly exp: number;
  readonly nonce: string;
}

export interface GranteeRequest {
  readonly method?: string;
  /** The path and the query. */
  readonly uri: string;
  /** A text goes as it is, anything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** In the place of what is true. */
  readonly claims?: Partial<SignedClaims>;
}

/** One that can be sent, changed and sent again. */
export interface ReadyRequest {
  readonly method: string;
  readonly uri: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly payload: string;
  readonly signature: Hex;
}

export interface GranteeAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
}

export interface SealedArtifact {
  readonly bytes: Uint8Array;
  /** Its key, wrapped to this grantee. */
  readonly key: string;
  readonly id: string;
}

export class Grantee {
  readonly secretKey: Hex;
  readonly #account: PrivateKeyAccount;

  constructor(secretKey: Hex = generatePrivateKey()) {
    this.secretKey = secretKey;
    this.#account = privateKeyToAccount(secretKey);
  }

  get address(): string {
    return this.#account.address;
  }

  /** Compressed, as 0x hex. */
  get publicKey(): string {
    const own = createECDH(curve);
    own.setPrivateKey(bytesOf(this.secretKey));
    return `0x${own.getPublicKey('hex', 'compressed')}`;
  }

  /** Any text, as a wallet does it. */
  signText(message: string): Promise<Hex> {
    return this.#account.signMessage({ message });
  }

  async sign(base: string, request: GranteeRequest): Promise<ReadyRequest> {
    const { method = 'GET', uri, headers = {}, claims = {} } = request;
    const body = bodyOf(request.body);
    const iat = Math.floor(Date.now() / 1000);
    const nonce = randomBytes(16).toString('hex');
    const times = { iat, exp: iat + 60, nonce };
    const all: SignedClaims = {
      ...{ aud: base, method, uri, bodyHash: sha256(body ?? ''), ...times },
      ...claims,
    };
    const payload = Buffer.from(JSON.stringify(all)).toString('base64url');
    const signature = await this.signText(payload);
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    return {
      ...{ method, uri, body, payload, signature },
      headers: { ...type, ...headers, ...web3Signed(payload, signature) },
    };
  }

  async call(base: string, request: GranteeRequest): Promise<GranteeAnswer> {
    return sendReady(base, await this.sign(base, request));
  }

  /** The plain bytes. */
  open({ bytes, key, id }: SealedArtifact): Buffer {
    return openSealed(bytes, unwrap(this.secretKey, { key, id, address: this.address }));
  }
}

function bodyOf(body: unknown): string | undefined {
  if (body === undefined) return undefined;
  return typeof body === 'string' ? body : JSON.stringify(body);
}

export function web3Signed(payload: string, signature: string): { readonly authorization: string } {
  return { authorization: `Web3Signed ${payload}.${signature}` };
}

export function sha256(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export type Sendable = Pick<ReadyRequest, 'method' | 'uri' | 'headers' | 'body'>;

/** On a connection of its own, exactly as it is. */
export async function sendReady(base: string, ready: Sendable): Promise<GranteeAnswer> {
  const response = await beginReady(base, ready);
  const bytes = Buffer.concat(await Array.fromAsync<Buffer>(response));
  const { statusCode: status = 0, headers } = response;
  return { status, headers, bytes, text: bytes.toString() };
}

/** Resolves with the head; the body is there to be read, or not. */
export function beginReady(
  base: string,
  { method, uri, headers, body }: Sendable,
): Promise<IncomingMessage> {
  const { hostname: host, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const options = { host, port, path: uri, method, headers, agent: false };
    httpRequest(options, resolve).on('error', reject).end(body);
  });
}

const curve = 'secp256k1';
const pointBytes = 33;
const tagBytes = 16;

/** Throws where it is wrapped to somebody else. */
export function unwrap(
  secretKey: string,
  { key, id, address }: { readonly key: string; readonly id: string; readonly address: string },
): Buffer {
  const wrapped = Buffer.from(key, 'base64url');
  const own = createECDH(curve);
  own.setPrivateKey(bytesOf(secretKey));
  const ephemeral = wrapped.subarray(0, pointBytes);
  const salt = Buffer.concat([ephemeral, own.getPublicKey(null, 'compressed')]);
  const agreed = Buffer.from(
    hkdfSync('sha256', own.computeSecret(ephemeral), salt, 'aos/wrap/v1', 44),
  );
  const cipher = createDecipheriv('aes-256-gcm', agreed.subarray(0, 32), agreed.subarray(32));
  cipher.setAAD(Buffer.from(`${id} ${address.toLowerCase()}`));
  cipher.setAuthTag(wrapped.subarray(-tagBytes));
  return Buffer.concat([cipher.update(wrapped.subarray(pointBytes, -tagBytes)), cipher.final()]);
}

const headerBytes = 64;
const sealedChunkBytes = 65_536 + tagBytes;

/** The plain bytes, for whoever has the key. */
export function openSealed(bytes: Uint8Array, dek: Uint8Array): Buffer {
  const header = bytes.subarray(0, headerBytes);
  const derive = (info: string, length: number): Buffer =>
    Buffer.from(hkdfSync('sha256', dek, header.subarray(8, 24), info, length));
  const key = derive('aosb1/chunk', 32);
  const prefix = derive('aosb1/nonce', 7);
  const plain: Buffer[] = [];
  let offset = headerBytes;
  for (let index = 0; ; index++) {
    const chunk = bytes.subarray(offset, offset + sealedChunkBytes);
    offset += chunk.length;
    const isLast = offset >= bytes.length;
    const nonce = Buffer.alloc(12);
    prefix.copy(nonce);
    nonce.writeUInt32BE(index, 7);
    nonce[11] = isLast ? 1 : 0;
    const cipher = createDecipheriv('aes-256-gcm', key, nonce);
    cipher.setAAD(header);
    cipher.setAuthTag(chunk.subarray(-tagBytes));
    plain.push(cipher.update(chunk.subarray(0, -tagBytes)), cipher.final());
    if (isLast) return Buffer.concat(plain);
  }
}

function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.slice(2), 'hex');
}

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** The other signature of the same text by the same key. */
export function highTwin(signature: string): Hex {
  const s = BigInt(`0x${signature.slice(66, 130)}`);
  const v = signature.endsWith('1b') ? '1c' : '1b';
  return `0x${signature.slice(2, 66)}${(order - s).toString(16).padStart(64, '0')}${v}`;
}
