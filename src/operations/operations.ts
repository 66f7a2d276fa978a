/**
 * Operations: the face of a goal for outsiders. What comes in by the gateway, from the run of an
 * agent, and from timers, meets here; each subject is a file of its own.
 */

import { isGrantee } from '../kernel/agent/operation.ts';
import { AosError, type ErrorReport, toReport } from '../kernel/errors.ts';
import { Bells, InTurn } from '../kernel/turns.ts';
import { type ArtifactRow, granteesToRewrap } from '../ledger/operations/artifacts.ts';
import {
  askToEnd,
  findOperation,
  listOperations,
  type OperationPage,
  type OperationRow,
  operationIdsFrom,
} from '../ledger/operations/operations.ts';
import {
  type OperationAction,
  type OperationOrder,
  presentArtifacts,
  queueOf,
  recordAccess,
  type SeenOperation,
  seeArtifact,
  seeArtifacts,
  seeOperation,
  startOperation,
  unknownOperation,
} from './access.ts';
import {
  type ArtifactDownload,
  ArtifactStorageService,
  downloadArtifact,
} from './artifact-storage.ts';
import type { OperationsDeps } from './deps.ts';
import { endArtifact, expiryOf, isTakenBack } from './expire.ts';
import { finishAll, linesOf } from './finish.ts';
import { sweepFolders, sweepPending, writeAccessLogs, writeIfNew } from './folder.ts';
import { checkWorkspace, endRevokedAll, watchResources } from './monitor.ts';
import { learnKey, type Rotated, rewrapAll, rotateKeys, sealAnew } from './rotate.ts';
import { type ArtifactContent, collectArtifacts, storeArtifact } from './store-artifact.ts';

const finishBell = 'finish';
const netMs = 5000;

export class Operations implements Disposable {
  readonly #deps: OperationsDeps;
  readonly #bells: Bells;
  readonly #watch: Disposable;
  /** What writes to the folders of operations does so one after another. */
  readonly #turn = new InTurn();
  /** Operations whose access_log.json has something to add. */
  readonly #accessed = new Set<string>();
  #isRung = true;
  readonly storage: ArtifactStorageService;

  constructor(deps: OperationsDeps) {
    this.#deps = deps;
    this.storage = new ArtifactStorageService(deps);
    this.#bells = new Bells(deps.clock);
    this.#watch = deps.grants.onRevoked(() => this.#endRevoked());
    deps.queue?.observe({
      afterCalls: (operation) => this.afterCalls(operation),
      beforeDone: (operation, signal) => this.beforeDone(operation, signal),
      mayHaveEnded: () => this.wake(),
    });
  }

  [Symbol.dispose](): void {
    this.#watch[Symbol.dispose]();
  }

  submit(principal: string, order: OperationOrder): Promise<OperationRow> {
    return startOperation(this.#deps, principal, order);
  }

  see(
    principal: string,
    which: { readonly id: string; readonly action: OperationAction },
  ): Promise<SeenOperation> {
    return seeOperation(this.#deps, principal, which);
  }

  /** The newest first; the owner of the home sees those of all. A page may have few, and go on. */
  async list(
    principal: string,
    { limit, ...page }: Omit<OperationPage, 'owner'>,
  ): Promise<{ readonly rows: readonly OperationRow[]; readonly next: string | null }> {
    const sql = this.#deps.ledger.committed;
    const owner = principal === 'owner' ? undefined : principal;
    // One more than asked for tells whether there is a next page.
    const found = await listOperations(sql, { ...page, owner, limit: limit + 1 });
    const shown = found.slice(0, limit);
    const whole = await Promise.all(shown.map(({ id }) => findOperation(sql, id)));
    const there = whole.filter((row) => row !== undefined);
    const open = await Promise.all(there.map((row) => this.#isOpenTo(principal, row)));
    return {
      rows: there.filter((_row, place) => open[place]),
      next: found.length > limit ? (shown.at(-1)?.id ?? null) : null,
    };
  }

  async #isOpenTo(principal: string, { grant_id }: OperationRow): Promise<boolean> {
    if (principal === 'owner') return true;
    return !(await isTakenBack(this.#deps.ledger.committed, grant_id));
  }

  /** For the owner of the home, who may cut ids short. */
  idsFrom(start: string, limit: number): Promise<string[]> {
    return operationIdsFrom(this.#deps.ledger.committed, start, limit);
  }

  async cancel(principal: string, id: string, reason?: string): Promise<OperationRow> {
    const { row } = await this.see(principal, { id, action: 'cancel' });
    await queueOf(this.#deps).cancel(row.id, { by: principal, reason });
    return row;
  }

  /** A line for each step. */
  logs(row: Pick<OperationRow, 'id'>): Promise<readonly string[]> {
    return linesOf(this.#deps, row);
  }

  /** A refused caller is on record too. */
  async artifacts(principal: string, id: string) {
    try {
      return await seeArtifacts(this.#deps, principal, id);
    } finally {
      this.#noteAccess(id);
    }
  }

  /** A caller was told of what it has made, with the keys. */
  async noteListed(principal: string, id: string): Promise<void> {
    await recordAccess(this.#deps, principal, { kind: 'artifact.listed', operation: id });
    this.#noteAccess(id);
  }

  /** A caller was told of one, and has not had its bytes. */
  async noteLook(principal: string, { operation, id, name }: ArtifactRow): Promise<void> {
    const data = { artifact: id, name };
    await recordAccess(this.#deps, principal, { kind: 'artifact.looked-at', operation, data });
    this.#noteAccess(operation);
  }

  /** Without asking who wants to know. */
  present(id: string): Promise<readonly ArtifactRow[]> {
    return presentArtifacts(this.#deps, id);
  }

  async download(
    principal: string,
    which: { readonly id: string; readonly name: string; readonly isWeak?: boolean },
  ): Promise<ArtifactDownload> {
    const found = await downloadArtifact(this.#deps, principal, which);
    const open: ArtifactDownload['open'] = async (range) => {
      const stream = await found.open(range);
      this.#noteAccess(which.id);
      return stream;
    };
    return { ...found, open };
  }

  async delete(
    principal: string,
    which: { readonly id: string; readonly name: string },
  ): Promise<void> {
    const { artifact } = await seeArtifact(this.#deps, principal, which);
    await endArtifact(this.#deps, artifact, { why: 'deleted', actor: principal });
    // The caller does not wait for other operations.
    this.wake();
  }

  /** For an agent that works on this operation. What is refused ends the operation. */
  async create(operation: string, artifact: ArtifactContent): Promise<ArtifactRow> {
    const row = await findOperation(this.#deps.ledger.committed, operation);
    if (row === undefined) throw unknownOperation(operation);
    try {
      const expiresAt = await expiryOf(this.#deps, row);
      return await storeArtifact(this.#deps, row, { ...artifact, expiresAt });
    } catch (failure) {
      if (isLimit(failure)) await this.#failLater(operation, failure);
      throw failure;
    }
  }

  /** The process that runs it ends it after this call, or the one that takes it up later. */
  async #failLater(id: string, error: AosError): Promise<void> {
    const result = JSON.stringify({ error: toReport(error) });
    await this.#deps.ledger.transact(async (tx) => {
      if (!(await askToEnd(tx, id, result))) return;
      const data = { code: error.code };
      const subject = `operation:${id}`;
      await tx.record({ actor: 'system', kind: 'operation.asked-to-end', subject, data });
    });
  }

  /** After the calls of a turn; throws why it may not go on. */
  async afterCalls(operation: OperationRow): Promise<void> {
    const row = await findOperation(this.#deps.ledger.committed, operation.id);
    if (row?.result !== null && row?.result !== undefined) {
      // Only askToEnd() leaves one while it runs.
      const { error } = JSON.parse(row.result) as { readonly error: ErrorReport };
      throw new AosError(error.code, error);
    }
    if (!isGrantee(operation.owner)) return;
    const stored = await this.present(operation.id);
    const storedBytes = stored.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
    await checkWorkspace(this.#deps, operation, storedBytes);
  }

  /** It is done: what it has left in its workspace is stored. Throws why it has failed. */
  async beforeDone(operation: OperationRow, signal: AbortSignal): Promise<void> {
    if (isGrantee(operation.owner)) await checkWorkspace(this.#deps, operation);
    await collectArtifacts(this.#deps, operation, signal);
  }

  learnKey(principal: string, publicKey: string): Promise<void> {
    return this.#turn.run(() => learnKey(this.#deps, principal, publicKey));
  }

  rotateKeys(actor: string): Promise<Rotated> {
    return this.#turn.run(() => rotateKeys(this.#deps, actor));
  }

  /** When the key in use was made. */
  get keyMadeAt(): number {
    return this.#deps.serverKeys.madeAt;
  }

  /** How many have expired. */
  async cleanUp(): Promise<number> {
    const expired = await this.storage.cleanupExpiredArtifacts();
    await this.#turn.run(async () => {
      await finishAll(this.#deps);
      await writeAccessLogs(this.#deps);
      await sweepFolders(this.#deps);
    });
    return expired;
  }

  watchResources(): Promise<void> {
    return watchResources(this.#deps);
  }

  /** What a process that died has left undone. */
  recover(): Promise<void> {
    return this.#turn.run(async () => {
      // Litter that stays does no harm, and must not keep the daemon from starting.
      await sweepPending(this.#deps).catch((failure: unknown) =>
        this.#deps.log.error({ err: failure }, 'what a crash has left of artifacts stays for now'),
      );
      await this.#recoverKeys().catch((failure: unknown) =>
        this.#deps.log.error({ err: failure }, 'some artifacts cannot be opened by the server'),
      );
      await finishAll(this.#deps);
      await this.#destroyLeftKeys();
    });
  }

  /** What the server has sealed with a key that is lost is lost; all else goes on. */
  async #recoverKeys(): Promise<void> {
    if (this.#deps.serverKeys.hasOld) await sealAnew(this.#deps);
    for (const grantee of await granteesToRewrap(this.#deps.ledger.committed)) {
      await rewrapAll(this.#deps, grantee);
    }
  }

  /** Of operations that were never submitted, because the process that made the key died before. */
  async #destroyLeftKeys(): Promise<void> {
    const { operationKeys, ledger } = this.#deps;
    for (const id of operationKeys.ids()) {
      const row = await findOperation(ledger.committed, id);
      if (row === undefined) await operationKeys.destroy(id);
    }
  }

  /** Something may have ended. A hint. */
  wake(): void {
    this.#isRung = true;
    this.#bells.ring(finishBell);
  }

  /** Finishes what ends, until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#isRung = false;
      try {
        await this.#turn.run(async () => {
          await finishAll(this.#deps, signal);
          await this.#logAccesses();
        });
      } catch (failure) {
        this.#deps.log.error({ err: failure }, 'what has ended cannot be looked for now');
      }
      // Being stopped is the way this ends.
      if (!this.#isRung) await this.#bells.wait(finishBell, netMs, signal).catch(() => {});
    }
  }

  #noteAccess(id: string): void {
    this.#accessed.add(id);
    this.wake();
  }

  async #logAccesses(): Promise<void> {
    for (const id of this.#accessed) {
      this.#accessed.delete(id);
      await writeIfNew(this.#deps, id);
    }
  }

  #endRevoked(): void {
    // It is not waited for; the monitor is the net.
    endRevokedAll(this.#deps).catch((failure: unknown) =>
      this.#deps.log.error(
        { err: failure },
        'operations of a grant that was revoked go on for now',
      ),
    );
  }
}

const limits: ReadonlySet<string> = new Set(['artifact.too-large', 'artifact.too-many']);

function isLimit(failure: unknown): failure is AosError {
  return failure instanceof AosError && limits.has(failure.code);
}
