import * as z from 'zod';
import { artifactLimits } from '../../kernel/agent/operation.ts';
import { AosError } from '../../kernel/errors.ts';
import { operationOfKey } from '../../kernel/journal/step.ts';
import { timeText } from '../../kernel/text/time-text.ts';
import type { ArtifactRow } from '../../ledger/operations/artifacts.ts';
import { bytesOf } from '../../operations/collect.ts';
import type { Operations } from '../../operations/operations.ts';
import { tooLarge } from '../../operations/store-artifact.ts';
import { defineTool, type Tool, type ToolCall } from '../../tools/tool.ts';
import type { FileDeps } from '../file/deps.ts';
import { fileDeed, permitOf } from '../file/file-deed.ts';
import { walkTo } from '../file/walk-path.ts';
import { givenBytes } from '../given-bytes.ts';

export interface ArtifactToolDeps extends FileDeps {
  /** Undefined where nothing is worked on. */
  operations(): Operations | undefined;
}

const schema = z
  .strictObject({
    name: z
      .string()
      .min(1)
      .max(artifactLimits.nameLength)
      .describe('What it is called; "/" makes folders. One of the same name is replaced'),
    content: z
      .string()
      .refine((text) => text.isWellFormed(), 'it has half a character in it')
      .optional()
      .describe('The text of it'),
    content_base64: z.base64().optional().describe('The bytes of it, instead of a text'),
    path: z.string().optional().describe('A file to make it of: the whole path, from the root'),
    content_type: z
      .string()
      .regex(/^[a-z0-9][a-z0-9.+-]*\/[a-z0-9][a-z0-9.+-]*(?:; ?[a-z0-9-]+=[A-Za-z0-9._-]+)*$/)
      .max(200)
      .optional()
      .describe('As text/markdown; by the name where nothing is said'),
  })
  .refine(
    ({ content, content_base64, path }) =>
      [content, content_base64, path].filter((given) => given !== undefined).length === 1,
    'it takes one of content, content_base64 and path',
  );

/** `artifact.create` */
export function artifactCreate(deps: ArtifactToolDeps): Tool {
  return defineTool({
    name: 'artifact.create',
    summary: 'Make an artifact of the operation: sealed for whoever submitted it',
    schema,
    effect: 'write',
    // In the place of the one of the same name.
    repeatable: true,
    deeds: ({ path }) => (path === undefined ? [] : [fileDeed(deps.home, path, 'read')]),
    run: (args, call) => create(deps, args, call),
  });
}

async function create(
  deps: ArtifactToolDeps,
  { name, path, content_type: contentType, ...given }: z.infer<typeof schema>,
  call: ToolCall,
): Promise<unknown> {
  const operations = deps.operations();
  const operation = operationOfKey(call.key);
  if (operations === undefined || operation === undefined) throw noOperation();
  const store = (source: AsyncIterable<Uint8Array>): Promise<ArtifactRow> =>
    operations.create(operation, { name, contentType, content: until(call.signal, source) });
  if (path === undefined) return told(await store(givenBytes(given)));
  const way = { path, action: 'read', permit: permitOf(call) } as const;
  await using place = await walkTo(deps, call, way, (entry) => deps.disk.read(entry));
  const most = place.permit.sizeBytes;
  if (most !== undefined && (await place.found.sizeBytes()) > most) throw tooLarge(name);
  return told(await store(bytesOf(place.found)));
}

function told({ id, name, size_bytes, sha256, e2e, expires_at }: ArtifactRow): unknown {
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
