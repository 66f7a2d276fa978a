/** What the check of a signed request adds to the arithmetic that it cannot do without. */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { realClock, realRandom } from '../src/engines/clock.ts';
import { newKeyPair } from '../src/security/identity/key-pair.ts';
import { signRequest, verifySignedRequest } from '../src/security/identity/signed-request.ts';
import type { Bench, Sides } from './frame.ts';

const requests = 200;
const aud = 'http://127.0.0.1:7717';
const method = 'GET';
const uri = '/api/v1/operations/01a1e3b88c31136313798f1609a3912c/artifacts/report.md';

export const gatewayVerifyBenches: readonly Bench[] = [
  {
    name: 'gateway.verify',
    unit: 'ms/request',
    floorIs: 'bare noble: the digest of the same text, the public key, and keccak of that',
    target: '<=1.3',
    rounds: 21,
    prepare,
  },
];

async function prepare(): Promise<Sides> {
  const key = newKeyPair(realRandom);
  const now = realClock.now();
  const facts = { method, url: uri, audiences: new Set([aud]), now };
  const headers = Array.from({ length: requests }, () =>
    signRequest(key, { aud, method, uri, body: undefined, now, nonce: realRandom.bytes(16) }),
  );
  const address = key.address.toLowerCase();
  return {
    value: async () =>
      msEach(headers, (header) => {
        const { signer } = verifySignedRequest(header, facts);
        if (signer !== key.address) throw new Error('somebody else signed that');
      }),
    floor: async () =>
      msEach(headers, (header) => {
        if (bareAddress(header) !== address) throw new Error('somebody else signed that');
      }),
    async [Symbol.asyncDispose]() {},
  };
}

function msEach(headers: readonly string[], check: (header: string) => void): number {
  const startedAt = performance.now();
  for (const header of headers) check(header);
  return (performance.now() - startedAt) / headers.length;
}

function bareAddress(header: string): string {
  const dot = header.indexOf('.');
  const text = header.slice('Web3Signed '.length, dot);
  const signature = Buffer.from(header.slice(dot + 3), 'hex');
  const digest = keccak_256(Buffer.from(`\x19Ethereum Signed Message:\n${text.length}${text}`));
  const point = secp256k1.Signature.fromBytes(signature.subarray(0, 64))
    .addRecoveryBit((signature[64] ?? 0) - 27)
    .recoverPublicKey(digest)
    .toBytes(false);
  return `0x${Buffer.from(keccak_256(point.subarray(1)).subarray(-20)).toString('hex')}`;
}
