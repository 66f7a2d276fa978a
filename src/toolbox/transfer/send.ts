import { basename } from 'node:path';
import * as z from 'zod';
import { AosError } from '../../kernel/errors.ts';
import { checkFileName } from '../../kernel/files/names.ts';
import { quote } from '../../kernel/text/quote.ts';
import { defineTool, type Tool, type ToolCall } from '../../tools/tool.ts';
import type { Source } from '../../transfer/ends/calls.ts';
import { sendSource } from '../../transfer/ends/send.ts';
import { fileDeed } from '../file/file-deed.ts';
import { toFileError } from '../file/file-errors.ts';
import { walkTo } from '../file/walk-path.ts';
import { endsOf, type TransferToolDeps } from './deps.ts';

const schema = z.strictObject({
  path: z.string().describe('The whole path of the file, from the root'),
  to: z.array(z.string().max(100)).min(1).max(100).describe('Names of agents, or "owner"'),
  name: z.string().max(300).optional().describe('The name under which it arrives'),
  metadata: z.record(z.string().max(200), z.unknown()).optional(),
  expires_ms: z.int().min(1000).optional().describe('A week where nothing is said'),
});

/** `transfer.send` */
export function transferSend(deps: TransferToolDeps): Tool {
  return defineTool({
    name: 'transfer.send',
    summary: 'Send a file to agents or to the owner, sealed for each of them',
    schema,
    effect: 'external',
    deeds: ({ path, to }) => [
      fileDeed(deps.home, path, 'read'),
      ...[...new Set(to)].map((name) => ({ resource: 'transfer', action: 'send', name }) as const),
    ],
    run: (args, call) => send(deps, args, call),
  });
}

async function send(
  deps: TransferToolDeps,
  { path, to, name, metadata, expires_ms: expiresMs }: z.infer<typeof schema>,
  call: ToolCall,
): Promise<unknown> {
  const [permit] = call.permits;
  if (permit === undefined) throw new Error('a call came without the permit for its deed');
  const way = { path, action: 'read', permit } as const;
  await using place = await walkTo(deps, call, way, (entry) => deps.disk.read(entry));
  const filename = name ?? basename(place.path);
  checkFileName(filename);
  try {
    const reader = place.found;
    const sizeBytes = await reader.sizeBytes();
    checkSize(place.path, sizeBytes, place.permit.sizeBytes);
    const source: Source = {
      ...{ kind: 'file', filename, sizeBytes },
      read: async (offset, into) => (await reader.readAt(offset, into.length, into)).length,
      [Symbol.asyncDispose]: async () => {},
    };
    const options = { to, metadata, expiresMs, signal: call.signal };
    const sent = await sendSource(endsOf(deps, call), source, options);
    return {
      transfers: sent.transfers.map(({ id, recipient }) => ({ id, recipient })),
      filename,
      file_size_bytes: sizeBytes,
      saved_bytes: sent.savedBytes,
    };
  } catch (failure) {
    throw toFileError(failure, place.path);
  }
}

function checkSize(path: string, sizeBytes: number, mostBytes: number | undefined): void {
  if (mostBytes === undefined || sizeBytes <= mostBytes) return;
  throw new AosError('file.too-large', {
    message: `${quote(path)} has more than the ${mostBytes} bytes that the grant allows`,
    fix: 'Send less, or ask for a grant of a larger size',
    details: { limit_bytes: mostBytes },
  });
}
