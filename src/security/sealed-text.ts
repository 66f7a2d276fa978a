/** Bytes sealed into one word of text: `FORM.NAME.NONCE.SEALED`, by AES-256-GCM. */
import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto';
import type { Random } from '../kernel/ports.ts';

const nonceBytes = 12;
const tagBytes = 16;

export interface SealedText {
  /** What kind of word it is, and in which version. */
  readonly form: string;
  /** By which its key is found. */
  readonly name: string;
  readonly nonce: Uint8Array;
  /** With the tag at its end. */
  readonly sealed: Uint8Array;
}

export interface SealWith {
  readonly random: Random;
  readonly key: KeyObject;
  /** What it is sealed for: it opens for nothing else. */
  readonly label: string;
}

export function sealText(
  { random, key, label }: SealWith,
  { form, name }: Pick<SealedText, 'form' | 'name'>,
  plain: string | Uint8Array,
): string {
  const nonce = random.bytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(Buffer.from(label));
  const bytes = typeof plain === 'string' ? Buffer.from(plain) : plain;
  const sealed = Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
  return `${form}.${name}.${Buffer.from(nonce).toString('base64url')}.${sealed.toString('base64url')}`;
}

/** Undefined when it is no such word. */
export function sealedTextIn(text: string): SealedText | undefined {
  const [form = '', name = '', nonceText = '', sealedText = '', ...more] = text.split('.');
  const nonce = bytesIn(nonceText);
  const sealed = bytesIn(sealedText);
  if (more.length > 0 || nonce?.length !== nonceBytes) return undefined;
  if (sealed === undefined || sealed.length < tagBytes) return undefined;
  return { form, name, nonce, sealed };
}

// What Node reads and does not write would be the same bytes under a second word.
function bytesIn(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}

/** Undefined when another key sealed it, or for something else, or when it was changed. */
export function openSealedText(
  { key, label }: Pick<SealWith, 'key' | 'label'>,
  { nonce, sealed }: SealedText,
): Buffer | undefined {
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(label));
  decipher.setAuthTag(sealed.subarray(-tagBytes));
  try {
    const body = decipher.update(sealed.subarray(0, -tagBytes));
    decipher.final();
    return body;
  } catch {
    // There is no more to say of it than that it does not open.
    return undefined;
  }
}
