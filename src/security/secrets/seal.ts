/** Values at rest: AES-256-GCM. */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Random } from '../../kernel/ports.ts';
import type { SecretBinding } from '../../ledger/security/secrets.ts';

/** What a value is sealed for. It opens for nothing else, so that no row can be moved to another host. */
export interface SealedFor extends SecretBinding {
  readonly name: string;
}

const nonceBytes = 12;
const tagBytes = 16;

/** nonce, tag, then the sealed value. */
export function seal(
  { random, key }: { readonly random: Random; readonly key: Uint8Array },
  secret: SealedFor,
  value: string,
): Uint8Array {
  const nonce = random.bytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(purposeOf(secret));
  const sealed = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** Undefined when another key sealed it, or it was sealed for something else. */
export function unseal(key: Uint8Array, secret: SealedFor, sealed: Uint8Array): string | undefined {
  if (sealed.length < nonceBytes + tagBytes) return undefined;
  const nonce = sealed.subarray(0, nonceBytes);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
  decipher.setAAD(purposeOf(secret));
  decipher.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
  try {
    const body = sealed.subarray(nonceBytes + tagBytes);
    return Buffer.concat([decipher.update(body), decipher.final()]).toString();
  } catch {
    // There is no more to say of it than that it does not open.
    return undefined;
  }
}

function purposeOf({ name, host, port, header, prefix }: SealedFor): Buffer {
  return Buffer.from(JSON.stringify(['agent-os secret 1', name, host, port, header, prefix]));
}
