import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { RunningDaemon } from './running-daemon.ts';

export interface Acknowledged {
  readonly name: string;
  readonly address: string;
}

/** What clients were told, flushed line by line by somebody who knows nothing of the ledger. */
export class AcknowledgedLog implements Disposable {
  readonly #path: string;
  readonly #file: number;

  constructor(path: string) {
    this.#path = path;
    this.#file = openSync(path, 'ax');
  }

  add({ name, address }: Acknowledged): void {
    writeSync(this.#file, `${JSON.stringify({ name, address })}\n`);
    fsyncSync(this.#file);
  }

  all(): Acknowledged[] {
    const lines = readFileSync(this.#path, 'utf8').split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line));
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }
}

/** Registers agents one after another until the daemon hangs up; any other refusal is thrown. */
export async function registerUntilDown(
  { client }: Pick<RunningDaemon, 'client'>,
  namePrefix: string,
  acknowledge: (agent: Acknowledged) => void,
): Promise<void> {
  for (let number = 0; ; number++) {
    try {
      acknowledge(await client.register(`${namePrefix}-${number}`));
    } catch (failure) {
      if (isDown(failure)) return;
      throw failure;
    }
  }
}

function isDown(failure: unknown): boolean {
  return failure instanceof Error && 'code' in failure && failure.code === 'daemon.down';
}
