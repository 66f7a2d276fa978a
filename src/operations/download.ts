/** The sealed bytes of an artifact, for whom they are. */
import type { Blobs, ByteRange } from '../blobs/blobs.ts';
import { AosError } from '../kernel/errors.ts';
import type { ArtifactRow } from '../ledger/operations/artifacts.ts';
import { recordAccess, type Sight, seeArtifact, unknownArtifact } from './access.ts';
import type { OperationsDeps } from './deps.ts';
import { isTakenBack } from './expiry.ts';

export interface ArtifactDownload {
  readonly artifact: ArtifactRow;
  readonly sight: Sight;
  /** Ends with an error when the grant is revoked meanwhile. */
  open(range: { readonly from: number; readonly to: number }): Promise<AsyncIterable<Uint8Array>>;
}

/** It is on record that it was asked for, before the first byte goes out. */
export async function downloadArtifact(
  deps: OperationsDeps,
  principal: string,
  which: { readonly id: string; readonly name: string; readonly isWeak?: boolean },
): Promise<ArtifactDownload> {
  const { row, sight, artifact } = await seeArtifact(deps, principal, which);
  return {
    artifact,
    sight,
    open: async (range) => {
      const data = { artifact: artifact.id, name: artifact.name, ...range, weak: which.isWeak };
      const kind = 'artifact.downloaded';
      await recordAccess(deps, principal, { kind, operation: row.id, data });
      const stream = bytesOf(deps.blobs, artifact, range);
      return row.grant_id === null ? stream : whileGranted(deps, row.grant_id, stream);
    },
  };
}

/** Somebody may delete it just now, also before its first byte is read. */
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
  // It may have been since it was asked for, before anybody listened.
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
