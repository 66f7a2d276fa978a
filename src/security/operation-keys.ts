/**
 * Keys of single operations, `keys/operations/ID.key`. What the journal says of an outsider's
 * operation is sealed with one, and it is gone for good when the key is.
 *
 * R1. A key seals nothing before it would survive a power cut: its bytes are synced before its
 *     name is made, and the folder before it is used, also when the key was found and not made.
 * R2. A key is forgotten after its file is: until then what comes late is sealed, though no one
 *     may ever open it, and never stands there as plain text.
 * R3. A key that is to be destroyed is renamed first, so that a process that finds it half destroyed
 *     finishes that, and a key file that was damaged is never taken for one. Bytes are
 *     destroyed under every name that the file has.
 */
import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import {
  createFileDurably,
  type DurableFileDeps,
  ensureFolder,
  removeIfThere,
} from '../kernel/disk/durable-file.ts';
import { isTaken } from '../kernel/disk/errors.ts';
import { AosError } from '../kernel/errors.ts';
import type { Disk, DiskView, Random } from '../kernel/ports.ts';
import { quote } from '../kernel/text/quote.ts';
import { InTurn } from '../kernel/turns.ts';
import type { Bodies, Ledger, Sql, Transaction } from '../ledger/ledger.ts';
import { brokenKey, jsonIn, keysFolder, textInKeyFile } from './identity/key-file.ts';
import { fromHex, toHex } from './identity/key-pair.ts';

export interface OperationKeys extends Bodies {
  /** Resolves when the key would survive a power cut. Again, it is the same key. */
  make(id: string): Promise<void>;
  /** Resolves when the key is gone from the disk for good. It may be repeated. */
  destroy(id: string): Promise<void>;
  has(id: string): boolean;
  ids(): readonly string[];
}

const keyFile = z.strictObject({
  version: z.literal(1),
  operation: z.string(),
  secret_key: z.string(),
});

const limitBytes = 1024;
const form = 'aosj1';

/** Every key that is there, for the owner of the home. */
export async function openOperationKeys(
  deps: DurableFileDeps,
  home: string,
): Promise<OperationKeys> {
  const { disk } = deps;
  const folder = join(keysFolder(home), 'operations');
  await ensureFolder(disk, folder);
  if ((await disk.stat(folder))?.kind !== 'folder') throw brokenKey(folder, 'is not a folder');
  await disk.syncFolder(dirname(folder));
  const keys = new Map<string, KeyObject>();
  for (const name of await disk.list(folder)) {
    const path = join(folder, name);
    const id = /^([\w-]+)\.key$/.exec(name)?.[1];
    const key = id === undefined ? undefined : await loadKey(disk, path, id);
    if (id !== undefined && key !== undefined) keys.set(id, key);
    // R3
    if (/^[\w-]+\.gone$/.test(name)) await wipe(disk, path);
    // It never got its name, so it has sealed nothing; or it is a second name of a key.
    if (/^\.[\w-]+\.key\.[0-9a-f]{16}\.pending$/.test(name)) await removeIfThere(disk, path);
  }
  // R1
  await disk.syncFolder(folder);
  return new KeysInFolder(deps, folder, keys);
}

class KeysInFolder implements OperationKeys {
  readonly #deps: DurableFileDeps;
  readonly #folder: string;
  readonly #keys: Map<string, KeyObject>;
  readonly #turn = new InTurn();

  constructor(deps: DurableFileDeps, folder: string, keys: Map<string, KeyObject>) {
    this.#deps = deps;
    this.#folder = folder;
    this.#keys = keys;
  }

  make(id: string): Promise<void> {
    return this.#turn.run(async () => {
      const path = this.#pathOf(id);
      if (this.#keys.has(id)) return;
      this.#keys.set(id, await createKey(this.#deps, path, id));
    });
  }

  destroy(id: string): Promise<void> {
    return this.#turn.run(async () => {
      await destroyKey(this.#deps.disk, this.#pathOf(id));
      // R2
      this.#keys.delete(id);
    });
  }

  has(id: string): boolean {
    return this.#keys.has(id);
  }

  ids(): readonly string[] {
    return [...this.#keys.keys()];
  }

  close(operation: string, text: string): string {
    const key = this.#keys.get(operation);
    if (key === undefined) return text;
    const { random } = this.#deps;
    return sealText({ random, key, label: operation }, { form, name: operation }, text);
  }

  open(text: string): string {
    // What is not sealed is JSON, which never begins so.
    if (!text.startsWith(`${form}.`)) return text;
    const sealed = sealedTextIn(text);
    const key = sealed && this.#keys.get(sealed.name);
    if (sealed === undefined || key === undefined) return erased('its key is gone');
    const plain = openSealedText({ key, label: sealed.name }, sealed);
    if (plain === undefined) return erased('it was changed');
    return plain.toString();
  }

  #pathOf(id: string): string {
    if (/^[\w-]{1,100}$/.test(id)) return join(this.#folder, `${id}.key`);
    throw new AosError('operation.unknown', {
      message: `There is no operation ${quote(id.slice(0, 100))}`,
      fix: 'Look at aos queue --all',
    });
  }
}

async function createKey(deps: DurableFileDeps, path: string, id: string): Promise<KeyObject> {
  const secretKey = deps.random.bytes(32);
  const file: z.infer<typeof keyFile> = {
    version: 1,
    operation: id,
    secret_key: toHex(secretKey),
  };
  try {
    await createFileDurably(deps, path, Buffer.from(`${JSON.stringify(file)}\n`));
    return createSecretKey(secretKey);
  } catch (failure) {
    if (!isTaken(failure)) throw failure;
    // It was made, and its maker heard of a failure behind that.
    const found = await loadKey(deps.disk, path, id);
    if (found === undefined) throw failure;
    // R1
    await deps.disk.syncFolder(dirname(path));
    return found;
  }
}

async function loadKey(view: DiskView, path: string, id: string): Promise<KeyObject | undefined> {
  const text = await textInKeyFile(view, path, limitBytes);
  if (text === undefined) return undefined;
  const parsed = keyFile.safeParse(jsonIn(text));
  // Its error is not passed on as the cause: it could quote the secret.
  if (!parsed.success) throw brokenKey(path, 'is not the key file of an operation');
  const { operation, secret_key } = parsed.data;
  if (operation !== id) throw brokenKey(path, `belongs to ${quote(operation)}`);
  const secretKey = fromHex(secret_key, 32);
  if (secretKey === undefined) throw brokenKey(path, 'holds no secret key');
  return createSecretKey(secretKey);
}

async function destroyKey(disk: Disk, path: string): Promise<void> {
  const gone = path.replace(/\.key$/, '.gone');
  if ((await disk.stat(path)) !== undefined) {
    await disk.rename(path, gone);
    // R3: before its bytes are touched.
    await disk.syncFolder(dirname(path));
  }
  await wipe(disk, gone);
  await disk.syncFolder(dirname(path));
}

// Before the name goes, because the file may have another. Where on the disk the zeros are
// put is the system's to say.
async function wipe(disk: Disk, path: string): Promise<void> {
  const entry = await disk.stat(path);
  if (entry === undefined) return;
  {
    await using writer = await disk.create(path, { keepBytes: 0 });
    await writer.append(new Uint8Array(entry.sizeBytes));
    await writer.sync();
  }
  await disk.remove(path);
}

/** As what was erased at the end of an operation stands there: no reader has to stop. */
function erased(why: string): string {
  return JSON.stringify({ erased: why });
}

// The ledger, and with it what seals the journal of operations that have a key of their own.

export function ledgerWithBodies(ledger: Ledger, bodies: Bodies): Ledger {
  return {
    transact: (work) => ledger.transact((tx) => work(withBodies(tx, bodies))),
    committed: { ...callsOf(ledger.committed), bodies },
    openView: () => ledger.openView(),
    onEvents: (wake) => ledger.onEvents(wake),
    copyTo: (path) => ledger.copyTo(path),
    forget: () => ledger.forget(),
    [Symbol.asyncDispose]: () => ledger[Symbol.asyncDispose](),
  };
}

function withBodies(tx: Transaction, bodies: Bodies): Transaction {
  return { ...callsOf(tx), record: (event) => tx.record(event), bodies };
}

function callsOf(sql: Sql): Sql {
  return {
    all: (text, parameters) => sql.all(text, parameters),
    get: (text, parameters) => sql.get(text, parameters),
    run: (text, parameters) => sql.run(text, parameters),
  };
}

// Bytes sealed into one word of text: `FORM.NAME.NONCE.SEALED`, by AES-256-GCM.

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

interface SealWith {
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
