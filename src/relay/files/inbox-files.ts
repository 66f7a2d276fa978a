/** Inboxes as folders. A file appears there whole or not at all; see inbox-batch.ts. */

import type { BulkDisk } from '../../kernel/disk/bulk-disk.ts';
import { diskError, isMissing, isTaken } from '../../kernel/disk/errors.ts';
import { AosError } from '../../kernel/errors.ts';
import {
  type Disk,
  type EventLoop,
  endOfTurn,
  type HeldFolder,
  type Random,
} from '../../kernel/ports.ts';
import type { Inboxes, InboxFile, InterruptedBatch, WrittenBatch } from '../delivery/inboxes.ts';
import { batchFolder, clearBatch, findBatches, stageBatch, stagedPath } from './inbox-batch.ts';
import { isMessageName } from './outbox.ts';

export interface InboxFilesDeps {
  readonly disk: Disk;
  readonly bulk: BulkDisk;
  readonly eventLoop: EventLoop;
  readonly random: Random;
  readonly home: string;
}

export function inboxPath(home: string, agent: string): string {
  return `${home}/agents/${agent}/inbox`;
}

export class InboxFiles implements Inboxes {
  readonly #disk: Disk;
  readonly #bulk: BulkDisk;
  readonly #eventLoop: EventLoop;
  readonly #random: Random;
  readonly #home: string;
  /** Batches of this process that nobody noted yet. */
  readonly #own = new Set<string>();

  constructor({ disk, bulk, eventLoop, random, home }: InboxFilesDeps) {
    this.#eventLoop = eventLoop;
    this.#disk = disk;
    this.#bulk = bulk;
    this.#random = random;
    this.#home = home;
  }

  async write(recipient: string, files: readonly InboxFile[]): Promise<WrittenBatch> {
    if (files.length === 0) return { count: 0, failure: undefined, noted: async () => {} };
    const base = `${batchFolder(this.#home)}/${hex(this.#random.bytes(8))}`;
    this.#own.add(base);
    let count = 0;
    let failure: AosError | undefined;
    let isInboxGone = false;
    try {
      await using inbox = await this.#holdIfThere(recipient);
      isInboxGone = inbox === undefined;
      if (inbox === undefined) throw diskError('ENOENT', inboxPath(this.#home, recipient));
      await this.#stage(base, recipient, files);
      const moves = files.map(({ name }, index) => ({
        from: stagedPath(base, index),
        to: `${inbox.path}/${name}`,
      }));
      const moved = await this.#bulk.moveFiles(moves, { inTurn: true });
      failure = moved.at(-1)?.failure;
      count = failure === undefined ? moved.length : moved.length - 1;
    } catch (thrown) {
      if (!(thrown instanceof AosError)) throw thrown;
      failure = thrown;
    }
    const left = range(count, files.length);
    return { count, failure, isInboxGone, noted: () => this.#clear(base, left) };
  }

  make(recipient: string): Promise<void> {
    return this.#ensure(inboxPath(this.#home, recipient));
  }

  async interrupted(): Promise<readonly InterruptedBatch[]> {
    const found = await findBatches(this.#disk, this.#home, this.#own);
    return found.map(({ recipient, names, base, staged }) => ({
      recipient,
      reached: names.filter((_, index) => !staged.includes(index)),
      noted: () => this.#clear(base, staged),
    }));
  }

  async remove(recipient: string, names: readonly string[]): Promise<void> {
    await using inbox = await this.#holdIfThere(recipient);
    if (inbox === undefined) return;
    for (const name of names) {
      try {
        await this.#disk.remove(`${inbox.path}/${name}`);
      } catch (failure) {
        if (!isMissing(failure)) throw failure;
      }
    }
  }

  async list(recipient: string): Promise<ReadonlySet<string> | undefined> {
    await using inbox = await this.#holdIfThere(recipient);
    if (inbox === undefined) return undefined;
    return new Set((await this.#disk.list(inbox.path)).filter(isMessageName));
  }

  // The folder itself and no symlink in its place: else an agent could have files of ours
  // written wherever it likes.
  async #holdIfThere(recipient: string): Promise<HeldFolder | undefined> {
    try {
      return await this.#disk.holdFolder(inboxPath(this.#home, recipient));
    } catch (failure) {
      if (isMissing(failure)) return undefined;
      throw failure;
    }
  }

  async #stage(base: string, recipient: string, files: readonly InboxFile[]): Promise<void> {
    try {
      await stageBatch(this.#bulk, base, recipient, files);
    } catch (failure) {
      await clearBatch(this.#disk, base, range(0, files.length));
      if (!isMissing(failure)) throw failure;
      await this.#ensure(batchFolder(this.#home));
      await stageBatch(this.#bulk, base, recipient, files);
    }
  }

  // Another recipient's batch may have made it meanwhile.
  async #ensure(folder: string): Promise<void> {
    try {
      await this.#disk.makeFolder(folder);
    } catch (failure) {
      if (!isTaken(failure)) throw failure;
    }
  }

  async #clear(base: string, staged: readonly number[]): Promise<void> {
    // Whatever else the same commit set going comes first: somebody waits for that.
    await endOfTurn(this.#eventLoop);
    await clearBatch(this.#disk, base, staged);
    this.#own.delete(base);
  }
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
