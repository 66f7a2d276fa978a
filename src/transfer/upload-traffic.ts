/** Which uploads somebody works on at this moment. */

import type { Uploads } from '../blobs/blobs.ts';
import { AosError } from '../kernel/errors.ts';
import type { Clock, Disk } from '../kernel/ports.ts';
import type { UploadRow } from '../ledger/transfers/bodies.ts';
import type { TransferDeps } from './deps.ts';

interface TrafficDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly disk: Pick<Disk, 'stat'>;
  readonly uploads: Pick<Uploads, 'open'>;
}

/** What the server of transfers works with. */
export interface ServingDeps extends TransferDeps {
  readonly traffic: UploadTraffic;
}

/** Who has not been heard of for so long has given up, or comes back and is told. */
const patienceMs = 5000;

export class UploadTraffic {
  readonly #deps: TrafficDeps;
  readonly #busy = new Set<string>();

  constructor(deps: TrafficDeps) {
    this.#deps = deps;
  }

  isBusy(id: string): boolean {
    return this.#busy.has(id);
  }

  /** Refused where somebody else does something with it. */
  async during<T>(id: string, work: () => Promise<T>): Promise<T> {
    if (this.#busy.has(id)) throw busy();
    this.#busy.add(id);
    try {
      return await work();
    } finally {
      this.#busy.delete(id);
    }
  }

  /** Neither its row nor its bytes were touched lately; a clock that went back proves nothing. */
  async isIdle({ id, touched_at }: Pick<UploadRow, 'id' | 'touched_at'>): Promise<boolean> {
    const { clock, disk, uploads } = this.#deps;
    const { path } = await uploads.open(id);
    const entry = path === undefined ? undefined : await disk.stat(path);
    const latest = Math.max(touched_at, entry?.modifiedAt ?? 0);
    return Math.abs(clock.now() - latest) >= patienceMs;
  }
}

function busy(): AosError {
  return new AosError('transfer.busy', {
    message: 'Somebody is sending the same just now',
    fix: 'Try again in a moment',
  });
}
