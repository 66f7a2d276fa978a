/**
 * The part of the link page's script that opens and seals, for the browser: `aosb1` with
 * WebCrypto (blobs/seal/aosb1.ts is the same for us), and a SHA-256 that takes bytes as they
 * come, which WebCrypto has not.
 */
export const sealScript = `
const chunkBytes = 65536;
const tagBytes = 16;
const headerBytes = 64;

class Refusal extends Error {}

async function derived(dek, salt, info, size) {
  const key = await crypto.subtle.importKey('raw', dek, 'HKDF', false, ['deriveBits']);
  const what = { name: 'HKDF', hash: 'SHA-256', salt, info: new TextEncoder().encode(info) };
  return new Uint8Array(await crypto.subtle.deriveBits(what, key, size * 8));
}

async function headerOf(dek, salt) {
  const header = new Uint8Array(headerBytes);
  header.set(new TextEncoder().encode('AOSB1'));
  header[5] = 1;
  header[6] = 16;
  header.set(salt, 8);
  header.set(await derived(dek, salt, 'aosb1/commitment', 16), 24);
  return header;
}

async function keyed(dek, header) {
  const salt = header.slice(8, 24);
  const bytes = await derived(dek, salt, 'aosb1/chunk', 32);
  const key = await crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt']);
  return { header, key, prefix: await derived(dek, salt, 'aosb1/nonce', 7) };
}

// A new salt each time: one key is never used twice with one nonce.
async function sealingOf(dek) {
  return keyed(dek, await headerOf(dek, crypto.getRandomValues(new Uint8Array(16))));
}

async function openingOf(dek, header) {
  if (header.length < headerBytes) throw new Refusal('The file is not whole.');
  const expected = await headerOf(dek, header.slice(8, 24));
  const differs = (from, to) => expected.slice(from, to).some((byte, at) => byte !== header[from + at]);
  if (differs(0, 24) || differs(40, 64)) throw new Refusal('What is stored is not a sealed file.');
  if (differs(24, 40)) throw new Refusal(wrongKey);
  return keyed(dek, header);
}

const wrongKey =
  'The key in this address is not the key of this file. Copy the whole link again, with all that stands behind the "#".';

function parametersOf({ header, prefix }, index, isLast) {
  const iv = new Uint8Array(12);
  iv.set(prefix);
  new DataView(iv.buffer).setUint32(7, index);
  iv[11] = isLast ? 1 : 0;
  return { name: 'AES-GCM', iv, additionalData: header, tagLength: 128 };
}

async function sealChunk(sealing, bytes, { index, isLast }) {
  const what = parametersOf(sealing, index, isLast);
  return new Uint8Array(await crypto.subtle.encrypt(what, sealing.key, bytes));
}

async function openChunk(sealing, bytes, { index, isLast }) {
  try {
    const what = parametersOf(sealing, index, isLast);
    return new Uint8Array(await crypto.subtle.decrypt(what, sealing.key, bytes));
  } catch {
    throw new Refusal('The file was changed or cut off on the way, and was not opened.');
  }
}

/** Pieces of exactly one size, the last one marked; at least one, which may be empty. */
async function* piecesOf(source, size) {
  let waiting = [];
  let length = 0;
  for await (const bytes of source) {
    waiting.push(bytes);
    length += bytes.length;
    if (length <= size) continue;
    const all = joined(waiting, length);
    let at = 0;
    for (; length - at > size; at += size) yield { bytes: all.subarray(at, at + size), isLast: false };
    waiting = [all.subarray(at)];
    length -= at;
  }
  yield { bytes: joined(waiting, length), isLast: true };
}

function joined(parts, length) {
  if (parts.length === 1) return parts[0];
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

async function* opened(dek, source) {
  const bytes = source[Symbol.asyncIterator]();
  let head = new Uint8Array(0);
  while (head.length < headerBytes) {
    const { done, value } = await bytes.next();
    if (done) throw new Refusal('The file is not whole.');
    head = joined([head, value], head.length + value.length);
  }
  const sealing = await openingOf(dek, head.slice(0, headerBytes));
  const rest = async function* () {
    yield head.subarray(headerBytes);
    yield* { [Symbol.asyncIterator]: () => bytes };
  };
  let index = 0;
  for await (const piece of piecesOf(rest(), chunkBytes + tagBytes)) {
    yield await openChunk(sealing, piece.bytes, { index, isLast: piece.isLast });
    index += 1;
  }
}

async function* sealed(dek, source) {
  const sealing = await sealingOf(dek);
  yield sealing.header;
  let index = 0;
  for await (const piece of piecesOf(source, chunkBytes)) {
    yield await sealChunk(sealing, piece.bytes, { index, isLast: piece.isLast });
    index += 1;
  }
}

const roots = Uint32Array.from(primes(64), (prime) => fraction(Math.cbrt(prime)));
const squares = Uint32Array.from(primes(8), (prime) => fraction(Math.sqrt(prime)));

function primes(count) {
  const found = [];
  for (let number = 2; found.length < count; number++) {
    if (found.every((prime) => number % prime !== 0)) found.push(number);
  }
  return found;
}

function fraction(number) {
  return (number - Math.floor(number)) * 2 ** 32;
}

class Sha256 {
  #state = Uint32Array.from(squares);
  #words = new Uint32Array(64);
  #block = new Uint8Array(64);
  #view = new DataView(this.#block.buffer);
  #filled = 0;
  #length = 0;

  update(bytes) {
    this.#length += bytes.length;
    for (let at = 0; at < bytes.length; ) {
      const taken = Math.min(64 - this.#filled, bytes.length - at);
      this.#block.set(bytes.subarray(at, at + taken), this.#filled);
      this.#filled += taken;
      at += taken;
      if (this.#filled === 64) this.#mix();
    }
  }

  hex() {
    const length = this.#length;
    const end = new Uint8Array(((119 - (length % 64)) % 64) + 9);
    end[0] = 0x80;
    const view = new DataView(end.buffer);
    view.setUint32(end.length - 8, Math.floor(length / 2 ** 29));
    view.setUint32(end.length - 4, (length << 3) >>> 0);
    this.update(end);
    return Array.from(this.#state, (word) => word.toString(16).padStart(8, '0')).join('');
  }

  #mix() {
    const w = this.#words;
    for (let i = 0; i < 16; i++) w[i] = this.#view.getUint32(i * 4);
    for (let i = 16; i < 64; i++) {
      const [x, y] = [w[i - 15], w[i - 2]];
      const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
      const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    let [a, b, c, d, e, f, g, h] = this.#state;
    for (let i = 0; i < 64; i++) {
      const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + roots[i] + w[i]) | 0;
      const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g; g = f; f = e; e = (d + t1) | 0;
      d = c; c = b; b = a; a = (t1 + t2) | 0;
    }
    const s = this.#state;
    s[0] += a; s[1] += b; s[2] += c; s[3] += d; s[4] += e; s[5] += f; s[6] += g; s[7] += h;
    this.#filled = 0;
  }
}
`;
