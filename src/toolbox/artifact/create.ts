/** The tool `artifact.create`. */
import { AosError } from '../../kernel/errors.ts';
import { operationOfKey } from '../../kernel/journal/step.ts';
import { timeText } from '../../kernel/text/time-text.ts';
import type { ArtifactRow } from '../../ledger/operations/artifacts.ts';
import type { Operations } from '../../operations/operations.ts';
import { bytesOf, tooLarge } from '../../operations/store-artifact.ts';
import { type Tool, type ToolArgs, type ToolCall, toolOf } from '../../tools/tool.ts';
import { artifactTool } from '../../verbs/file-tools.ts';
import { givenBytes } from '../call-bytes.ts';
import { type FileDeps, permitOf, walkTo } from '../file/read.ts';

export interface ArtifactToolDeps extends FileDeps {
  /** Undefined where nothing is worked on. */
  operations(): Operations | undefined;
}

export function artifactCreate(deps: ArtifactToolDeps): Tool {
  return toolOf(artifactTool, deps, {
    // In the place of the one of the same name.
    repeatable: true,
    run: (args, call) => create(deps, args, call),
  });
}

async function create(
  deps: ArtifactToolDeps,
  { name, path, content_type: contentType, ...given }: ToolArgs<typeof artifactTool>,
  call: ToolCall,
): Promise<unknown> {
  const operations = deps.operations();
  const operation = operationOfKey(call.key);
  if (operations === undefined || operation === undefined) throw noOperation();
  const store = (source: AsyncIterable<Uint8Array>): Promise<ArtifactRow> =>
    operations.create(operation, { name, contentType, content: until(call.signal, source) });
  if (path === undefined) return toView(await store(givenBytes(given)));
  const target = { path, action: 'read', permit: permitOf(call) } as const;
  await using place = await walkTo(deps, call, target, (entry) => deps.disk.read(entry));
  const most = place.permit.sizeBytes;
  if (most !== undefined && (await place.found.sizeBytes()) > most) throw tooLarge(name);
  return toView(await store(bytesOf(place.found)));
}

function toView({ id, name, size_bytes, sha256, e2e, expires_at }: ArtifactRow): unknown {
  const expires = timeText(expires_at);
  return { id, name, size: size_bytes, checksum: `sha256:${sha256}`, e2e: e2e === 1, expires };
}

async function* until(
  signal: AbortSignal,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  for await (const bytes of source) {
    signal.throwIfAborted();
    yield bytes;
  }
}

function noOperation(): AosError {
  return new AosError('artifact.no-operation', {
    message: 'An artifact belongs to an operation, and this call is made for none',
    fix: 'Let an operation make it: aos run "…"',
  });
}
