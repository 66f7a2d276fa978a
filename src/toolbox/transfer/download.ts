import { basename } from 'node:path';
import * as z from 'zod';
import { AosError } from '../../kernel/errors.ts';
import { partyOf } from '../../relay/envelope.ts';
import { defineTool, type Tool, type ToolCall } from '../../tools/tool.ts';
import { receive } from '../../transfer/ends/receive.ts';
import { fileDeed } from '../file/file-deed.ts';
import { toFileError } from '../file/file-errors.ts';
import { walkTo } from '../file/walk-path.ts';
import { endsOf, type TransferToolDeps } from './deps.ts';

const schema = z.strictObject({
  id: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .describe('Of the transfer, as transfer.list tells it'),
  path: z.string().describe('Where it is to be: the whole path, from the root, with its new name'),
  force: z.boolean().default(false).describe('Replace what stands there'),
});

/** `transfer.download` */
export function transferDownload(deps: TransferToolDeps): Tool {
  return defineTool({
    name: 'transfer.download',
    summary: 'Fetch a file or a folder that was sent to you; its sender is told',
    schema,
    effect: 'write',
    deeds: ({ path }) => [fileDeed(deps.home, path, 'write')],
    run: (args, call) => download(deps, args, call),
  });
}

async function download(
  deps: TransferToolDeps,
  { id, path, force }: z.infer<typeof schema>,
  call: ToolCall,
): Promise<unknown> {
  const [permit] = call.permits;
  if (permit === undefined) throw new Error('a call came without the permit for its deed');
  const way = { path, action: 'write', permit } as const;
  await using place = await walkTo(deps, call, way, async () => undefined);
  await checkSize(deps, call, id, place.permit.sizeBytes);
  try {
    const { transfer } = await receive(endsOf(deps, call), id, {
      // In the very folder that was walked to, whatever takes its name meanwhile.
      ...{ dest: place.folder.path, name: basename(place.path), force, signal: call.signal },
    });
    const { filename, sender, file_size_bytes, sha256 } = transfer;
    return { path: place.path, filename, sender, file_size_bytes, sha256 };
  } catch (failure) {
    throw toFileError(failure, place.path);
  }
}

async function checkSize(
  { transfers }: TransferToolDeps,
  { principal }: ToolCall,
  id: string,
  mostBytes: number | undefined,
): Promise<void> {
  if (mostBytes === undefined) return;
  const row = await transfers.find(id);
  if (row === undefined || row.recipient !== partyOf(principal)) return;
  if (row.file_size_bytes <= mostBytes) return;
  throw new AosError('file.too-large', {
    message: `The transfer has ${row.file_size_bytes} bytes, and the grant allows ${mostBytes}`,
    fix: 'Ask for a grant of a larger size',
    details: { limit_bytes: mostBytes },
  });
}
