/**
 * A wallet that has an agent do something, and opens what comes of it. Nothing of Agent OS is
 * in here: viem signs, Node's own crypto opens.
 *
 *   PRIVATE_KEY=0x… node wallet.mjs http://127.0.0.1:7717 "Write the report" [FOLDER]
 */
import { createDecipheriv, createECDH, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { privateKeyToAccount } from 'viem/accounts';

// Of an aosb1 body.
const headerBytes = 64;
const sealedChunkBytes = 65_536 + 16;

const { PRIVATE_KEY: privateKey = '' } = process.env;
const [, , gateway = 'http://127.0.0.1:7717', goal = '', folder = 'artifacts'] = process.argv;
const account = privateKeyToAccount(privateKey);
say(`I am ${account.address}`);

const { id } = await json('POST', '/api/v1/operations', { goal });
say(`operation ${id}`);

const operation = await finished(id);
say(`${operation.status}: ${operation.result.summary}`);
if (operation.status !== 'succeeded') process.exit(1);

const { artifacts } = await json('GET', `/api/v1/operations/${id}/artifacts`);
for (const artifact of artifacts) {
  // The path in the URL is part of what is signed: as it was listed, with %2F for a slash.
  const answer = await request('GET', artifact.download_url);
  const sealed = Buffer.from(await answer.arrayBuffer());
  const key = unwrap(artifact.encryption_key_encrypted, artifact.id);
  const plain = open(sealed, key);
  verify(artifact, plain);
  save(artifact.name, plain);
}

/** Asks until it is over. With "Accept: text/event-stream", /logs would tell it live. */
async function finished(id) {
  for (;;) {
    const operation = await json('GET', `/api/v1/operations/${id}`);
    if (!['pending', 'running'].includes(operation.status)) return operation;
    await wait(300);
  }
}

async function json(method, uri, body) {
  return (await request(method, uri, body)).json();
}

/** Signs one request, with a nonce of its own: the same signature counts once. */
async function request(method, uri, body) {
  const text = body === undefined ? '' : JSON.stringify(body);
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    aud: gateway,
    method,
    uri,
    bodyHash: createHash('sha256').update(text).digest('hex'),
    iat: now,
    exp: now + 60,
    nonce: randomBytes(16).toString('hex'),
  };
  const payload = Buffer.from(JSON.stringify(claims)).toString('base64url');
  const signature = await account.signMessage({ message: payload });
  const headers = { authorization: `Web3Signed ${payload}.${signature}` };
  const answer = await fetch(gateway + uri, {
    method,
    headers: text === '' ? headers : { ...headers, 'content-type': 'application/json' },
    ...(text === '' ? {} : { body: text }),
  });
  if (answer.ok) return answer;
  const { code, detail, fix } = await answer.json();
  throw new Error(`${answer.status} ${code}: ${detail}\n  try: ${fix}`);
}

/** The key of one artifact, which was wrapped to this wallet: ECDH, HKDF, AES-256-GCM. */
function unwrap(wrapped, object) {
  const bytes = Buffer.from(wrapped, 'base64url');
  const curve = createECDH('secp256k1');
  curve.setPrivateKey(Buffer.from(privateKey.slice(2), 'hex'));
  const ephemeral = bytes.subarray(0, 33);
  const salt = Buffer.concat([ephemeral, curve.getPublicKey(null, 'compressed')]);
  const derived = hkdf(curve.computeSecret(ephemeral), salt, 'aos/wrap/v1', 44);
  const label = Buffer.from(`${object} ${account.address.toLowerCase()}`);
  return decrypt(derived.subarray(0, 32), derived.subarray(32), label, bytes.subarray(33));
}

/** An aosb1 body: docs/aosb1.md. At most 100 MB, so that it may be in memory. */
function open(sealed, key) {
  const header = sealed.subarray(0, headerBytes);
  const fixed = Buffer.from([...Buffer.from('AOSB1'), 1, 16, 0]);
  if (!header.subarray(0, 8).equals(fixed)) throw new Error('This is no aosb1 body');
  const salt = header.subarray(8, 24);
  if (!hkdf(key, salt, 'aosb1/commitment', 16).equals(header.subarray(24, 40))) {
    throw new Error('This is not the key of that body');
  }
  const chunkKey = hkdf(key, salt, 'aosb1/chunk', 32);
  const prefix = hkdf(key, salt, 'aosb1/nonce', 7);
  const plain = [];
  for (let index = 0, at = headerBytes; at < sealed.length; index++) {
    const chunk = sealed.subarray(at, at + sealedChunkBytes);
    at += chunk.length;
    const nonce = Buffer.alloc(12);
    prefix.copy(nonce);
    nonce.writeUInt32BE(index, 7);
    nonce[11] = at === sealed.length ? 1 : 0;
    plain.push(decrypt(chunkKey, nonce, header, chunk));
  }
  return Buffer.concat(plain);
}

function hkdf(key, salt, info, size) {
  return Buffer.from(hkdfSync('sha256', key, salt, info, size));
}

/** Throws when a single bit of it was changed. */
function decrypt(key, nonce, label, sealed) {
  const cipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: 16 });
  cipher.setAAD(label);
  cipher.setAuthTag(sealed.subarray(-16));
  return Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()]);
}

function verify({ name, size, checksum }, plain) {
  const sha256 = createHash('sha256').update(plain).digest('hex');
  if (plain.length === size && checksum === `sha256:${sha256}`) return;
  throw new Error(`${name} is not what was listed`);
}

/** A name comes from an agent: it must not lead out of the folder. */
function save(name, plain) {
  const root = resolve(folder);
  const path = join(root, name);
  if (!path.startsWith(root + sep)) throw new Error(`${name} leads elsewhere`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, plain, { flag: 'wx' });
  say(`${name}: ${plain.length} bytes, opened and verified`);
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
