/** Takes the values of secrets out of whatever leaves the daemon. */

import type { Ledger, NewEvent, Transaction } from '../../ledger/ledger.ts';
import { SecretIndex } from './find-secrets.ts';
import { formsOf, type SecretText } from './secret-forms.ts';

/** For parts that only scrub. */
export type Scrub = Pick<Scrubber, 'scrubText' | 'scrubJson' | 'scrubStream'>;

export class Scrubber {
  readonly #index = new SecretIndex();
  readonly #known = new Set<string>();

  /** From now on, and until the process ends. */
  add(secret: SecretText): void {
    const { name, value, prefix } = secret;
    const key = JSON.stringify([name, value, prefix]);
    if (this.#known.has(key)) return;
    this.#known.add(key);
    for (const form of formsOf(secret)) this.#index.add(form);
  }

  /** Each secret in the text, in whatever form it stands there, becomes `[secret:NAME]`. */
  scrubText(text: string): string {
    if (this.#index.isEmpty) return text;
    const { text: clean, found } = this.#index.scan(text, { covered: 0, hasEnded: true });
    return found === 0 ? text : clean;
  }

  /** Takes secrets out of all texts, numbers and keys of a JSON value. */
  scrubJson(value: unknown): unknown {
    return this.#index.isEmpty ? value : copied(value, (text) => this.scrubText(text));
  }

  /** Takes secrets out of bytes that are still coming; the rest goes through as it is. */
  async *scrubStream(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
    let held = { rest: '', covered: 0 };
    for await (const part of parts) {
      if (this.#index.isEmpty) {
        yield part;
        continue;
      }
      // A byte is a character here, so that what is no text stays what it is.
      const text = held.rest + textOf(part);
      const scan = this.#index.scan(text, { covered: held.covered, hasEnded: false });
      if (scan.text !== '') yield Buffer.from(scan.text, 'latin1');
      held = scan;
    }
    const { text } = this.#index.scan(held.rest, { covered: held.covered, hasEnded: true });
    if (text !== '') yield Buffer.from(text, 'latin1');
  }
}

function textOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
}

type Place = (value: unknown) => void;

/** By a list of what is left to do, because JSON may be nested deeper than calls may be. */
function copied(whole: unknown, scrub: (text: string) => string): unknown {
  let result: unknown;
  const copies = new Map<object, object>();
  const left: { readonly value: unknown; readonly place: Place }[] = [];
  left.push({
    value: whole,
    place: (value) => {
      result = value;
    },
  });
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { value, place } = next;
    if (typeof value !== 'object' || value === null) {
      place(scrubbed(value, scrub));
      continue;
    }
    const known = copies.get(value);
    const copy = known ?? (Array.isArray(value) ? [] : {});
    place(copy);
    if (known !== undefined) continue;
    copies.set(value, copy);
    for (const [key, inner] of Object.entries(value)) {
      const name = scrub(key);
      // Also where the key is `__proto__`, which an assignment would take for something else.
      const member = { enumerable: true, writable: true, configurable: true };
      // Now, so that the order stays.
      Object.defineProperty(copy, name, { ...member, value: undefined });
      left.push({
        value: inner,
        place: (clean) => void Object.defineProperty(copy, name, { ...member, value: clean }),
      });
    }
  }
  return result;
}

function scrubbed(value: unknown, scrub: (text: string) => string): unknown {
  if (typeof value === 'string') return scrub(value);
  if (typeof value !== 'number') return value;
  const digits = String(value);
  const clean = scrub(digits);
  return clean === digits ? value : clean;
}

// The ledger with every event scrubbed, whichever part records it: a path or an address may carry a secret.

export function scrubbedLedger(ledger: Ledger, scrubber: Pick<Scrub, 'scrubJson'>): Ledger {
  return {
    transact: (work) => ledger.transact((tx) => work(scrubbedTransaction(tx, scrubber))),
    committed: ledger.committed,
    openView: () => ledger.openView(),
    onEvents: (wake) => ledger.onEvents(wake),
    copyTo: (path) => ledger.copyTo(path),
    forget: () => ledger.forget(),
    [Symbol.asyncDispose]: () => ledger[Symbol.asyncDispose](),
  };
}

function scrubbedTransaction(tx: Transaction, scrubber: Pick<Scrub, 'scrubJson'>): Transaction {
  return {
    all: (text, parameters) => tx.all(text, parameters),
    get: (text, parameters) => tx.get(text, parameters),
    run: (text, parameters) => tx.run(text, parameters),
    bodies: tx.bodies,
    // What goes in as an event comes out as one: only its texts may change.
    record: (event) => tx.record(scrubber.scrubJson(event) as NewEvent),
  };
}
