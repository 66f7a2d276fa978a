/**
 * Values that tools may use and no agent may see.
 *
 * S1. On disk a value is sealed, for its name and its binding. It is nowhere else, and
 *     there is no way to ask for it but by the host and port that it is for.
 * S2. Once the ledger holds a secret, the key is never made anew. A key that is missing or
 *     does not open every row stops the start.
 * S3. A value is scrubbed before it is written down anywhere, and then until the process
 *     ends, also after it was replaced or removed: it may still come back from elsewhere.
 * S4. What is in memory follows the ledger, in the order of its commits.
 */
import type { DurableFileDeps } from '../../kernel/disk/durable-file.ts';
import { AosError } from '../../kernel/errors.ts';
import type { Clock } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import { InTurn } from '../../kernel/turns.ts';
import type { Ledger, Transaction } from '../../ledger/ledger.ts';
import {
  deleteSecret,
  hasSecret,
  listSecrets,
  putSecret,
  type SealedSecret,
  type SecretFacts,
  sealedSecrets,
} from '../../ledger/security/secrets.ts';
import { type Scrub, Scrubber } from './scrub.ts';
import {
  brokenSecretKey,
  loadOrCreateSecretKey,
  loadSecretKey,
  seal,
  setSecretKeyAside,
  unseal,
} from './secret-key.ts';
import { type CheckedSecret, checkSecret, type NewSecret } from './secret-rules.ts';

export interface SecretsDeps extends DurableFileDeps {
  readonly ledger: Ledger;
  readonly clock: Pick<Clock, 'now'>;
}

/** A secret that a request to its host may carry. */
export interface BoundSecretValue {
  readonly name: string;
  /** In small letters. */
  readonly header: string;
  /** Functions, so that it is in no log and no JSON of this. */
  value(): string;
  /** With its prefix, as the header has it. */
  headerValue(): string;
}

/** S2: throws `secret.broken-key`. */
export async function openSecrets(deps: SecretsDeps, home: string): Promise<Secrets> {
  const rows = await sealedSecrets(deps.ledger.committed);
  if (rows.length === 0) return new Secrets(deps, home, []);
  const key = await loadSecretKey(deps.disk, home);
  return new Secrets(deps, home, opened(key, rows, home));
}

function opened(
  key: Uint8Array,
  rows: readonly SealedSecret[],
  home: string,
): readonly CheckedSecret[] {
  return rows.map(({ sealed, ...secret }) => {
    const value = unseal(key, secret, sealed);
    if (value !== undefined) return { ...secret, value };
    const what = `does not open the secret ${quote(secret.name)}: it is another key, or the secret was changed in the ledger`;
    throw brokenSecretKey(home, what);
  });
}

export interface GivenUpSecrets {
  /** Their names. */
  readonly removed: readonly string[];
  /** Where the key file is now; null where there was none. */
  readonly key_moved_to: string | null;
}

/** Forgets all of them, without the key: for an owner who has lost it. */
export async function giveUpSecrets(
  deps: Pick<SecretsDeps, 'disk' | 'clock'> & { readonly ledger: Pick<Ledger, 'transact'> },
  home: string,
): Promise<GivenUpSecrets> {
  // The key first: a crash behind it leaves secrets without one, which can be given up again.
  const aside = await setSecretKeyAside(deps, home);
  const removed = await deps.ledger.transact(async (tx) => {
    const names = (await listSecrets(tx)).map(({ name }) => name);
    for (const name of names) await forget(tx, name, 'owner');
    return names;
  });
  return { removed, key_moved_to: aside ?? null };
}

export class Secrets {
  readonly #deps: SecretsDeps;
  readonly #home: string;
  readonly #held = new Map<string, CheckedSecret>();
  readonly #scrubber = new Scrubber();
  readonly #turn = new InTurn();

  /** Use openSecrets(). */
  constructor(deps: SecretsDeps, home: string, secrets: readonly CheckedSecret[]) {
    this.#deps = deps;
    this.#home = home;
    for (const secret of secrets) {
      this.#held.set(secret.name, secret);
      this.#scrubber.add(secret);
    }
  }

  /** Knows every value there is or was, at any time. */
  get scrubber(): Scrub {
    return this.#scrubber;
  }

  /** Makes a secret, or replaces the one of that name. */
  async set(given: NewSecret, actor: string): Promise<{ readonly replaced: boolean }> {
    const secret = checkSecret(given);
    // S3
    this.#scrubber.add(secret);
    return this.#turn.run(() => this.#put(secret, actor));
  }

  async #put(secret: CheckedSecret, actor: string): Promise<{ readonly replaced: boolean }> {
    const { ledger, random, clock } = this.#deps;
    const key = await this.#key();
    const { value, ...told } = secret;
    const sealed = seal({ random, key }, told, value);
    const { name, host, port, header } = secret;
    const replaced = await ledger.transact(async (tx) => {
      const isThere = await hasSecret(tx, name);
      await putSecret(tx, { ...told, sealed }, clock.now());
      const data = { host, port, header, replaced: isThere };
      await tx.record({ actor, kind: 'secret.set', subject: `secret:${name}`, data });
      return isThere;
    });
    // S4
    this.#held.set(name, secret);
    return { replaced };
  }

  // S2. Read each time: another file may have been put there since the start.
  async #key(): Promise<Uint8Array> {
    if (this.#held.size === 0) return loadOrCreateSecretKey(this.#deps, this.#home);
    const key = await loadSecretKey(this.#deps.disk, this.#home);
    opened(key, await sealedSecrets(this.#deps.ledger.committed), this.#home);
    return key;
  }

  async remove(name: string, actor: string): Promise<void> {
    await this.#turn.run(async () => {
      await this.#deps.ledger.transact((tx) => forget(tx, name, actor));
      // S4
      this.#held.delete(name);
    });
  }

  /** By name. */
  list(): Promise<readonly SecretFacts[]> {
    return listSecrets(this.#deps.ledger.committed);
  }

  /** For what is asked in the daemon itself, as models are; undefined when there is none. */
  valueOf(name: string): string | undefined {
    return this.#held.get(name)?.value;
  }

  /** A secret that comes from elsewhere, such as the environment: it is scrubbed like any other. */
  scrubAlso(name: string, value: string): void {
    this.#scrubber.add(checkSecret({ name, value }));
  }

  /** By name: what a request to that host and port may carry. */
  boundTo(host: string, port: number): readonly BoundSecretValue[] {
    return [...this.#held.values()]
      .filter((secret) => secret.host === host && secret.port === port)
      .toSorted((one, other) => (one.name < other.name ? -1 : 1))
      .flatMap(({ name, header, prefix, value }) =>
        header === null
          ? []
          : [{ name, header, value: () => value, headerValue: () => prefix + value }],
      );
  }
}

async function forget(tx: Transaction, name: string, actor: string): Promise<void> {
  if (!(await deleteSecret(tx, name))) throw unknownSecret(name);
  await tx.record({ actor, kind: 'secret.removed', subject: `secret:${name}` });
}

function unknownSecret(name: string): AosError {
  return new AosError('secret.unknown', {
    message: `There is no secret ${quote(name.slice(0, 100))}`,
    fix: 'aos secret ls',
  });
}
