/** The artifacts of an operation as they are told to people: seed 002's ArtifactCollection. */
import { timeText } from '../kernel/text/time-text.ts';
import type { ArtifactRow } from '../ledger/operations/artifacts.ts';

export interface ArtifactCollection {
  readonly count: number;
  /** Of the plain bytes of all. */
  readonly total_size: number;
  readonly artifacts: readonly ArtifactMetadata[];
}

export interface ArtifactMetadata {
  readonly name: string;
  readonly size: number;
  readonly content_type: string;
  readonly created_at: string;
  readonly download_url: string;
  readonly checksum: string;
  readonly id: string;
  readonly expires_at: string;
  readonly e2e: boolean;
  readonly encryption_key_encrypted: string | null;
}

/** With the keys for whom they are wrapped. */
export function collectionOf(rows: readonly ArtifactRow[], isOwn: boolean): ArtifactCollection {
  return {
    count: rows.length,
    total_size: rows.reduce((sum, { size_bytes }) => sum + size_bytes, 0),
    artifacts: rows.map((row) => metadataOf(row, isOwn)),
  };
}

function metadataOf(row: ArtifactRow, isOwn: boolean): ArtifactMetadata {
  const { operation, name } = row;
  return {
    name,
    size: row.size_bytes,
    content_type: row.content_type,
    created_at: timeText(row.created_at),
    download_url: `/api/v1/operations/${operation}/artifacts/${encodeURIComponent(name)}`,
    checksum: `sha256:${row.sha256}`,
    id: row.id,
    expires_at: timeText(row.expires_at),
    e2e: row.e2e === 1,
    encryption_key_encrypted: keyFor(row, isOwn),
  };
}

/** What the server can open is nobody's yet. */
export function keyFor(row: ArtifactRow, isOwn: boolean): string | null {
  return isOwn && row.server_key === null ? row.wrapped_key : null;
}
