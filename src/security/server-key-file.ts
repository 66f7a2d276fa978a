/** The file of the daemon's own keys: JSON in one line, the newest key last. */
import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import type { Clock, DiskView, Instant, Random } from '../kernel/ports.ts';
import { fromHex, toHex } from './identity/hex.ts';
import { brokenKey, jsonIn, textInKeyFile } from './identity/key-file.ts';

/** What is sealed for one opens for no other. */
export type Purpose = 'metadata' | 'artifact-key';

export interface ServerKey {
  /** 8 hex digits. */
  readonly id: string;
  readonly madeAt: Instant;
  readonly secret: Uint8Array;
  readonly keys: Readonly<Record<Purpose, KeyObject>>;
}

/** The oldest first; the last one seals. */
export type KeyRing = readonly [...older: ServerKey[], current: ServerKey];

export function currentIn(ring: KeyRing): ServerKey {
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
export async function loadRing(view: DiskView, path: string): Promise<KeyRing | undefined> {
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

export function bytesOfRing(ring: KeyRing): Uint8Array {
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
export function withNewKey(
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
