/**
 * Phases 1 and 2 of the way to artifacts that are downloaded: the answer carries them, sealed, as
 * base64. It is marked as deprecated, and large ones come with a warning.
 */
import type { FastifyReply } from 'fastify';
import { embedLimits } from '../../../kernel/agent/operation.ts';
import { AosError } from '../../../kernel/errors.ts';
import type { ArtifactRow } from '../../../ledger/operations/artifacts.ts';
import type { Operations } from '../../../operations/operations.ts';
import type { WireOperation } from './operation-wire.ts';

export interface Embedding {
  readonly operations: Operations;
  /** Who asks. */
  readonly principal: string;
  readonly rows: readonly ArtifactRow[];
  readonly reply: FastifyReply;
}

export async function embedArtifacts(
  operation: WireOperation,
  { operations, principal, rows, reply }: Embedding,
): Promise<WireOperation> {
  // RFC 9745: since when.
  void reply.header('deprecation', '@1763251200');
  void reply.header('link', '</docs>; rel="deprecation"; type="text/html"');
  let leftBytes = embedLimits.mostBytes;
  const large: string[] = [];
  const embedded = new Map<string, string>();
  for (const { name, stored_bytes } of rows) {
    if (stored_bytes > embedLimits.warnBytes) large.push(name);
    if (stored_bytes > leftBytes) continue;
    leftBytes -= stored_bytes;
    const content = await contentOf(operations, principal, {
      id: operation.id,
      name,
      stored_bytes,
    });
    if (content !== undefined) embedded.set(name, content);
  }
  if (large.length > 0) void reply.header('warning', warningOf(large));
  const { artifacts } = operation.artifacts;
  const withContent = artifacts.map((artifact) => {
    const content = embedded.get(artifact.name);
    return content === undefined ? artifact : { ...artifact, content };
  });
  return { ...operation, artifacts: { ...operation.artifacts, artifacts: withContent } };
}

/** Undefined for one that has gone meanwhile. */
async function contentOf(
  operations: Operations,
  principal: string,
  { id, name, stored_bytes }: Pick<ArtifactRow, 'id' | 'name' | 'stored_bytes'>,
): Promise<string | undefined> {
  try {
    const { open } = await operations.download(principal, { id, name });
    const bytes = await Array.fromAsync(await open({ from: 0, to: stored_bytes }));
    return Buffer.concat(bytes).toString('base64');
  } catch (failure) {
    if (failure instanceof AosError && failure.code.startsWith('artifact.')) return undefined;
    throw failure;
  }
}

function warningOf(names: readonly string[]): string {
  // A header is one line of plain characters.
  const shown = names.map((name) => encodeURIComponent(name)).join(', ');
  return `299 - "Embedded artifacts are large and deprecated; download them instead: ${shown.slice(0, 500)}"`;
}
