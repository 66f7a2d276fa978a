/**
 * The daemon's own keys, `keys/server.key`: what it keeps of artifacts is sealed with the
 * current one. A rotation adds a key, has everything sealed anew, and drops the old ones.
 *
 * R1. A key seals nothing before it would survive a power cut, also when it was found and not
 *     made, because who made it may have died before the sync.
 * R2. The file is replaced as a whole, by one at a time, and never by one with fewer keys but
 *     in dropOld(). What is in memory changes after it.
 * R3. Files that a crash left beside it hold keys too. They are gone for good before the first
 *     old key leaves the file: afterwards no process would look for them.
 */

import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import {
  createFileDurably,
  type DurableFileDeps,
  pendingPrefix,
  removeIfThere,
  writeFileDurably,
} from '../kernel/disk/durable-file.ts';
import { isTaken } from '../kernel/disk/errors.ts';
import { AosError } from '../kernel/errors.ts';
import type { Clock, Disk, DiskView, Instant, Random } from '../kernel/ports.ts';
import { InTurn } from '../kernel/turns.ts';
import { brokenKey, jsonIn, keysFolder, textInKeyFile } from './identity/key-file.ts';
import { fromHex, toHex } from './identity/key-pair.ts';
import { openSealedText, type SealedText, sealedTextIn, sealText } from './operation-keys.ts';

export interface ServerKeys {
  /** The id of the key that seals: 8 hex digits. */
  readonly current: string;
  /** When that key was made. */
  readonly madeAt: Instant;
  readonly hasOld: boolean;
  /** `aos1.KEY.NONCE.SEALED`, which opens for this purpose and this label only. */
  seal(purpose: Purpose, label: string, plain: Uint8Array): string;
  /** Throws `blob.wrong-key` when its key is not there, or anything was changed. */
  open(purpose: Purpose, label: string, sealed: string): Uint8Array;
  /** The id of the key that sealed it. */
  keyOf(sealed: string): string;
  /** Resolves to the id of a new current key, beside the old ones, when that is safe on disk. */
  addKey(): Promise<string>;
  /**
   * Forgets all keys but the current one, for good; or only those older than the named one,
   * where another process may have begun a rotation meanwhile.
   */
  dropOld(than?: string): Promise<void>;
}

type ServerKeysDeps = DurableFileDeps & { readonly clock: Pick<Clock, 'now'> };

const form = 'aos1';

/** Makes the first key when there is no file. Two at once end with one key. */
export async function openServerKeys(deps: ServerKeysDeps, home: string): Promise<ServerKeys> {
  const folder = keysFolder(home);
  const path = join(folder, 'server.key');
  const ring = (await loadRing(deps.disk, path)) ?? (await createRing(deps, path));
  // R1
  await deps.disk.syncFolder(folder);
  return new KeysInFile(deps, path, ring);
}

async function createRing(deps: ServerKeysDeps, path: string): Promise<KeyRing> {
  const ring = withNewKey(deps, []);
  try {
    await createFileDurably(deps, path, bytesOfRing(ring));
    return ring;
  } catch (failure) {
    if (!isTaken(failure)) throw failure;
    // Another process was faster, and its keys count.
    const theirs = await loadRing(deps.disk, path);
    if (theirs === undefined) throw failure;
    return theirs;
  }
}

class KeysInFile implements ServerKeys {
  readonly #deps: ServerKeysDeps;
  readonly #path: string;
  #ring: KeyRing;
  readonly #turn = new InTurn();

  constructor(deps: ServerKeysDeps, path: string, ring: KeyRing) {
    this.#deps = deps;
    this.#path = path;
    this.#ring = ring;
  }

  get current(): string {
    return this.#current.id;
  }

  get madeAt(): Instant {
    return this.#current.madeAt;
  }

  get hasOld(): boolean {
    return this.#ring.length > 1;
  }

  seal(purpose: Purpose, label: string, plain: Uint8Array): string {
    const { id, keys } = this.#current;
    const { random } = this.#deps;
    return sealText({ random, key: keys[purpose], label }, { form, name: id }, plain);
  }

  open(purpose: Purpose, label: string, sealed: string): Uint8Array {
    const parts = partsOf(sealed);
    const key = this.#ring.find(({ id }) => id === parts.name)?.keys[purpose];
    const plain = key && openSealedText({ key, label }, parts);
    if (plain === undefined) throw wrongKey();
    return new Uint8Array(plain);
  }

  keyOf(sealed: string): string {
    return partsOf(sealed).name;
  }

  addKey(): Promise<string> {
    return this.#turn.run(async () => {
      await this.#replace(withNewKey(this.#deps, this.#ring));
      return this.current;
    });
  }

  dropOld(than?: string): Promise<void> {
    return this.#turn.run(async () => {
      const kept = ringFrom(this.#ring, than ?? this.current);
      if (kept === undefined || kept.length === this.#ring.length) return;
      // R3
      await sweepBeside(this.#deps.disk, this.#path);
      await this.#replace(kept);
    });
  }

  get #current(): ServerKey {
    return currentIn(this.#ring);
  }

  // R2
  async #replace(ring: KeyRing): Promise<void> {
    await writeFileDurably(this.#deps, this.#path, bytesOfRing(ring));
    this.#ring = ring;
  }
}

/** The named key and all newer ones; undefined when it is not there. */
function ringFrom(ring: KeyRing, id: string): KeyRing | undefined {
  const place = ring.findIndex((key) => key.id === id);
  if (place === -1) return undefined;
  return [...ring.slice(place, -1), currentIn(ring)];
}

async function sweepBeside(disk: Disk, path: string): Promise<void> {
  const folder = dirname(path);
  for (const name of await disk.list(folder)) {
    const isPending = name.startsWith(pendingPrefix(path)) && name.endsWith('.pending');
    if (isPending) await removeIfThere(disk, join(folder, name));
  }
  await disk.syncFolder(folder);
}

function partsOf(sealed: string): SealedText {
  const parts = sealedTextIn(sealed);
  if (parts?.form !== form) throw wrongKey();
  return parts;
}

function wrongKey(): AosError {
  return new AosError('blob.wrong-key', {
    message: 'What the daemon has sealed does not open: its key is not there, or it was changed',
    fix: 'Put keys/server.key and the ledger back from one and the same backup',
  });
}

// The file of the daemon's own keys: JSON in one line, the newest key last.

/** What is sealed for one opens for no other. */
type Purpose = 'metadata' | 'artifact-key';

interface ServerKey {
  /** 8 hex digits. */
  readonly id: string;
  readonly madeAt: Instant;
  readonly secret: Uint8Array;
  readonly keys: Readonly<Record<Purpose, KeyObject>>;
}

/** The oldest first; the last one seals. */
type KeyRing = readonly [...older: ServerKey[], current: ServerKey];

function currentIn(ring: KeyRing): ServerKey {
  // at() does not know that there is always one.
  const [first] = ring;
  return ring.at(-1) ?? first;
}

const keyRingFile = z.strictObject({
  version: z.literal(1),
  keys: z.array(
    z.strictObject({
      id: z.string().regex(/^[0-9a-f]{8}$/),
      made_at: z.int().min(0),
      secret_key: z.string(),
    }),
  ),
});

// Some five hundred keys, should so many rotations be cut off one after the other.
const limitBytes = 64 * 1024;

/** Undefined when there is no file; anything but the daemon's own keys is refused. */
async function loadRing(view: DiskView, path: string): Promise<KeyRing | undefined> {
  const text = await textInKeyFile(view, path, limitBytes);
  return text === undefined ? undefined : ringIn(text, path);
}

function ringIn(text: string, path: string): KeyRing {
  const parsed = keyRingFile.safeParse(jsonIn(text));
  // Its error is not passed on as the cause: it could quote a secret.
  if (!parsed.success) throw brokenKey(path, 'is not a key file of the daemon');
  const keys = parsed.data.keys.map(({ id, made_at, secret_key }) => {
    const secret = fromHex(secret_key, 32);
    if (secret === undefined) throw brokenKey(path, 'holds what is no secret key');
    return keyOf({ id, madeAt: made_at, secret });
  });
  const current = keys.pop();
  if (current === undefined) throw brokenKey(path, 'holds no key');
  const ring: KeyRing = [...keys, current];
  if (idsIn(ring).size < ring.length) throw brokenKey(path, 'holds two keys of one name');
  return ring;
}

function bytesOfRing(ring: KeyRing): Uint8Array {
  const file: z.infer<typeof keyRingFile> = {
    version: 1,
    keys: ring.map(({ id, madeAt, secret }) => ({
      id,
      made_at: madeAt,
      secret_key: toHex(secret),
    })),
  };
  return Buffer.from(`${JSON.stringify(file)}\n`);
}

/** With a new current key behind those that are there. */
function withNewKey(
  { random, clock }: { readonly random: Random; readonly clock: Pick<Clock, 'now'> },
  older: readonly ServerKey[],
): KeyRing {
  for (;;) {
    const id = Buffer.from(random.bytes(4)).toString('hex');
    if (idsIn(older).has(id)) continue;
    return [...older, keyOf({ id, madeAt: clock.now(), secret: random.bytes(32) })];
  }
}

function idsIn(keys: readonly ServerKey[]): ReadonlySet<string> {
  return new Set(keys.map(({ id }) => id));
}

function keyOf(facts: Omit<ServerKey, 'keys'>): ServerKey {
  const keyFor = (purpose: Purpose): KeyObject => {
    const info = `aos server key 1 ${purpose}`;
    return createSecretKey(new Uint8Array(hkdfSync('sha256', facts.secret, '', info, 32)));
  };
  return {
    ...facts,
    keys: { metadata: keyFor('metadata'), 'artifact-key': keyFor('artifact-key') },
  };
}
