import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { HistoryEntry } from '../sim/message-history.ts';

/** What those outside saw, flushed entry by entry by somebody who knows nothing of the ledger. */
export class HistoryLog implements Disposable {
  readonly #path: string;
  readonly #file: number;

  constructor(path: string) {
    this.#path = path;
    this.#file = openSync(path, 'ax');
  }

  add(...entries: readonly HistoryEntry[]): void {
    if (entries.length === 0) return;
    writeSync(this.#file, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
    fsyncSync(this.#file);
  }

  all(): HistoryEntry[] {
    const lines = readFileSync(this.#path, 'utf8').split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line));
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }
}
