/** The tools `transfer.*`. */
import { basename } from 'node:path';
import { type StretchWorks, worksFor } from '../../blobs/seal/stretch.ts';
import { AosError } from '../../kernel/errors.ts';
import { checkFileName } from '../../kernel/files/names.ts';
import type { Processes, Random, TreeDisk } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import { principalNameOf } from '../../relay/envelope.ts';
import { type Tool, type ToolArgs, type ToolCall, toolOf } from '../../tools/tool.ts';
import type { ByteSource } from '../../transfer/client/options.ts';
import { type ReceiveDeps, receive } from '../../transfer/client/receive.ts';
import { sendSource, type TransferSendDeps } from '../../transfer/client/send.ts';
import { directCalls, type Transfers } from '../../transfer/transfers.ts';
import { transferTools as verbs } from '../../verbs/agent-tools.ts';
import { toFileError } from '../file/file-errors.ts';
import { type FileDeps, permitOf, walkTo } from '../file/read.ts';

export interface TransferToolDeps extends FileDeps {
  readonly transfers: Transfers;
  readonly clock: TransferSendDeps['clock'];
  readonly random: Random;
  readonly processes: Processes;
  readonly treeDisk: TreeDisk;
  readonly openStretches: () => StretchWorks;
}

export function transferTools(deps: TransferToolDeps): readonly Tool[] {
  return [
    toolOf(verbs.send, deps, { run: (args, call) => send(deps, args, call) }),
    toolOf(verbs.list, deps, {
      run: async (query, { principal, signal }) => {
        const wanted = { ...query, principal: principalNameOf(principal) };
        const page = await deps.transfers.list(wanted, { waitMs: 0, signal });
        return { transfers: page.items };
      },
    }),
    toolOf(verbs.download, deps, { run: (args, call) => download(deps, args, call) }),
  ];
}

async function send(
  deps: TransferToolDeps,
  { path, to, name, metadata, expires_ms: expiresMs }: ToolArgs<typeof verbs.send>,
  call: ToolCall,
): Promise<unknown> {
  const target = { path, action: 'read', permit: permitOf(call) } as const;
  await using place = await walkTo(deps, call, target, (entry) => deps.disk.read(entry));
  const filename = name ?? basename(place.path);
  checkFileName(filename);
  try {
    const reader = place.found;
    const sizeBytes = await reader.sizeBytes();
    checkSize(place.path, sizeBytes, place.permit.sizeBytes);
    const source: ByteSource = {
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

async function download(
  deps: TransferToolDeps,
  { id, path, force }: ToolArgs<typeof verbs.download>,
  call: ToolCall,
): Promise<unknown> {
  const target = { path, action: 'write', permit: permitOf(call) } as const;
  await using place = await walkTo(deps, call, target, async () => undefined);
  await checkGranted(deps, call, id, place.permit.sizeBytes);
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

async function checkGranted(
  { transfers }: TransferToolDeps,
  { principal }: ToolCall,
  id: string,
  mostBytes: number | undefined,
): Promise<void> {
  if (mostBytes === undefined) return;
  const row = await transfers.find(id);
  if (row === undefined || row.recipient !== principalNameOf(principal)) return;
  if (row.file_size_bytes <= mostBytes) return;
  throw new AosError('file.too-large', {
    message: `The transfer has ${row.file_size_bytes} bytes, and the grant allows ${mostBytes}`,
    fix: 'Ask for a grant of a larger size',
    details: { limit_bytes: mostBytes },
  });
}

/** What both ends need, as the caller of the tool. The door has asked whether it may. */
function endsOf(deps: TransferToolDeps, { principal }: ToolCall): TransferSendDeps & ReceiveDeps {
  const actor = {
    principal: principalNameOf(principal),
    isLocal: true,
    isPermitted: true,
  } as const;
  const calls = directCalls(deps.transfers, actor);
  return {
    ...deps,
    tree: deps.treeDisk,
    use: (work) => work(calls),
    as: undefined,
    isOwner: true,
    openWorks: (sizeBytes) => worksFor(sizeBytes, deps.openStretches),
  };
}
