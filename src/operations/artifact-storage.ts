/** The four methods that seed 002 names, over the same rows and bytes as everything else. */

import { artifactLimits, granteeOf } from '../kernel/agent/operation.ts';
import { AosError } from '../kernel/errors.ts';
import type { Instant } from '../kernel/ports.ts';
import { quote } from '../kernel/text/quote.ts';
import type { ArtifactRow } from '../ledger/operations/artifacts.ts';
import { findOperation, type OperationRow } from '../ledger/operations/operations.ts';
import { checksummed } from '../security/identity/key-pair.ts';
import { presentArtifacts, seeArtifacts, unknownOperation } from './access.ts';
import { type ArtifactCollection, collectionOf } from './collection.ts';
import type { OperationsDeps } from './deps.ts';
import { downloadArtifact } from './download.ts';
import { endArtifact, expireArtifacts } from './expire.ts';
import { expiryOf } from './expiry.ts';
import { type Artifact, storeArtifact, tooMany } from './store-artifact.ts';

export class ArtifactStorageService {
  readonly #deps: OperationsDeps;

  constructor(deps: OperationsDeps) {
    this.#deps = deps;
  }

  /** Stores artifacts with encryption and metadata: sealed for the grantee, as they are read. */
  async storeArtifacts(
    operationId: string,
    artifacts: readonly Artifact[],
    granteeAddress: string,
    expiration: Instant,
  ): Promise<ArtifactCollection> {
    const row = await findOperation(this.#deps.ledger.committed, operationId);
    if (row === undefined) throw unknownOperation(operationId);
    if (row.owner !== principalOf(granteeAddress)) throw unknownOperation(operationId);
    const names = new Set(artifacts.map(({ name }) => name));
    for (const { name } of await presentArtifacts(this.#deps, operationId)) names.add(name);
    if (names.size > artifactLimits.mostCount) throw tooMany(artifactLimits.mostCount);
    await this.#storeAll(row, artifacts, Math.min(expiration, await expiryOf(this.#deps, row)));
    return collectionOf(await presentArtifacts(this.#deps, operationId), true);
  }

  /** All of them or, where one cannot be stored, none. */
  async #storeAll(
    row: OperationRow,
    artifacts: readonly Artifact[],
    expiresAt: Instant,
  ): Promise<void> {
    const stored: ArtifactRow[] = [];
    try {
      for (const artifact of artifacts) {
        stored.push(await storeArtifact(this.#deps, row, { ...artifact, expiresAt }));
      }
    } catch (failure) {
      for (const one of stored) {
        await endArtifact(this.#deps, one, { why: 'deleted', actor: 'system' });
      }
      throw failure;
    }
  }

  /** Gets artifact metadata if access is permitted. */
  async getArtifactMetadata(
    operationId: string,
    requestingAddress: string,
  ): Promise<ArtifactCollection> {
    const principal = principalOf(requestingAddress);
    const { artifacts, sight } = await seeArtifacts(this.#deps, principal, operationId);
    return collectionOf(artifacts, sight === 'own');
  }

  /** The sealed content, as a stream. */
  async downloadArtifact(
    operationId: string,
    artifactName: string,
    requestingAddress: string,
  ): Promise<AsyncIterable<Uint8Array>> {
    const which = { id: operationId, name: artifactName };
    const found = await downloadArtifact(this.#deps, principalOf(requestingAddress), which);
    return found.open({ from: 0, to: found.artifact.stored_bytes });
  }

  /** To be called now and then; how many there were. */
  cleanupExpiredArtifacts(): Promise<number> {
    return expireArtifacts(this.#deps);
  }
}

function principalOf(address: string): string {
  const written = checksummed(address);
  if (written !== undefined) return granteeOf(written);
  throw new AosError('signature.bad', {
    message: `${quote(address.slice(0, 80))} is no address`,
    fix: 'Write 0x and 40 hex digits',
  });
}
