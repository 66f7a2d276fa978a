import { type StretchWorks, worksFor } from '../../blobs/seal/stretch.ts';
import type { Processes, Random, TreeDisk } from '../../kernel/ports.ts';
import { partyOf } from '../../relay/envelope.ts';
import type { ToolCall } from '../../tools/tool.ts';
import type { ReceiveDeps } from '../../transfer/ends/receive.ts';
import type { SendDeps } from '../../transfer/ends/send.ts';
import { directCalls, type Transfers } from '../../transfer/transfers.ts';
import type { FileDeps } from '../file/deps.ts';

export interface TransferToolDeps extends FileDeps {
  readonly transfers: Transfers;
  readonly clock: SendDeps['clock'];
  readonly random: Random;
  readonly processes: Processes;
  readonly treeDisk: TreeDisk;
  readonly openStretches: () => StretchWorks;
}

/** What both ends need, as whoever calls the tool. The door has asked whether it may. */
export function endsOf(deps: TransferToolDeps, { principal }: ToolCall): SendDeps & ReceiveDeps {
  const actor = { party: partyOf(principal), isLocal: true, isPermitted: true } as const;
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
