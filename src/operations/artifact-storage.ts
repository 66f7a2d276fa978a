/** The four methods that seed 002 names, over the same rows and bytes as everything else. */

import type { Blobs, ByteRange } from '../blobs/blobs.ts';
import { artifactLimits, granteeOf } from '../kernel/agent/operation.ts';
import { AosError } from '../kernel/errors.ts';
import type { Instant } from '../kernel/ports.ts';
import { quote } from '../kernel/text/quote.ts';
import type { ArtifactRow } from '../ledger/operations/artifacts.ts';
import { findOperation, type OperationRow } from '../ledger/operations/operations.ts';
import { checksummed } from '../security/identity/key-pair.ts';
import {
  type OperationAccess,
  presentArtifacts,
  recordAccess,
  seeArtifact,
  seeArtifacts,
  unknownArtifact,
  unknownOperation,
} from './access.ts';
import type { OperationsDeps } from './deps.ts';
import { endArtifact, expireArtifacts, expiryOf, isTakenBack } from './expire.ts';
import {
  type ArtifactCollection,
  type ArtifactContent,
  collectionOf,
  storeArtifact,
  tooMany,
} from './store-artifact.ts';

export class ArtifactStorageService {
  readonly #deps: OperationsDeps;

  constructor(deps: OperationsDeps) {
    this.#deps = deps;
  }

  /** Stores artifacts with encryption and metadata: sealed for the grantee, as they are read. */
  async storeArtifacts(
    operationId: string,
    artifacts: readonly ArtifactContent[],
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
    artifacts: readonly ArtifactContent[],
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
    const { artifacts, access } = await seeArtifacts(this.#deps, principal, operationId);
    return collectionOf(artifacts, access === 'own');
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

// The sealed bytes of an artifact, for whom they are.

export interface ArtifactDownload {
  readonly artifact: ArtifactRow;
  readonly access: OperationAccess;
  /** Ends with an error when the grant is revoked meanwhile. */
  open(range: { readonly from: number; readonly to: number }): Promise<AsyncIterable<Uint8Array>>;
}

/** It is on record that it was asked for, before the first byte goes out. */
export async function downloadArtifact(
  deps: OperationsDeps,
  principal: string,
  which: { readonly id: string; readonly name: string; readonly isWeak?: boolean },
): Promise<ArtifactDownload> {
  const { row, access, artifact } = await seeArtifact(deps, principal, which);
  return {
    artifact,
    access,
    open: async (range) => {
      const data = { artifact: artifact.id, name: artifact.name, ...range, weak: which.isWeak };
      const kind = 'artifact.downloaded';
      await recordAccess(deps, principal, { kind, operation: row.id, data });
      const stream = bytesOf(deps.blobs, artifact, range);
      return row.grant_id === null ? stream : whileGranted(deps, row.grant_id, stream);
    },
  };
}

/** A caller may delete it just now, also before its first byte is read. */
async function* bytesOf(
  blobs: Blobs,
  { hash, name }: ArtifactRow,
  range: ByteRange,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* (await blobs.get(hash, range)).stream;
  } catch (failure) {
    const isGone = failure instanceof AosError && failure.code === 'blob.missing';
    throw isGone ? unknownArtifact(name) : failure;
  }
}

async function* whileGranted(
  { grants, ledger }: Pick<OperationsDeps, 'grants' | 'ledger'>,
  grant: string,
  stream: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  // It may have been since it was asked for, before there was a listener.
  let mayBeRevoked = true;
  using _watch = grants.onRevoked(() => {
    mayBeRevoked = true;
  });
  for await (const bytes of stream) {
    if (mayBeRevoked) {
      mayBeRevoked = false;
      if (await isTakenBack(ledger.committed, grant)) throw revokedMeanwhile();
    }
    yield bytes;
  }
}

function revokedMeanwhile(): AosError {
  return new AosError('capability.denied', {
    message: 'The grant was revoked while the artifact was sent',
    fix: 'Ask the owner of the home for another',
  });
}
