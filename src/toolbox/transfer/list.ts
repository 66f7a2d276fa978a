import * as z from 'zod';
import { transferStatuses } from '../../kernel/transfer/transfer.ts';
import { partyOf } from '../../relay/envelope.ts';
import { defineTool, type Tool } from '../../tools/tool.ts';
import type { TransferToolDeps } from './deps.ts';

const schema = z.strictObject({
  box: z.enum(['received', 'sent']).default('received'),
  status: z.enum(transferStatuses).optional().describe('pending for what is not downloaded yet'),
  from: z.string().max(100).optional(),
  metadata: z.record(z.string().max(200), z.unknown()).optional().describe('What has to be in it'),
  limit: z.int().min(1).max(100).default(20),
});

/** `transfer.list` */
export function transferList({ transfers }: Pick<TransferToolDeps, 'transfers'>): Tool {
  return defineTool({
    name: 'transfer.list',
    summary: 'List the files that were sent to you, or by you; the newest first',
    schema,
    effect: 'read',
    deeds: () => [],
    run: async (query, { principal, signal }) => {
      const page = await transfers.list(
        { ...query, party: partyOf(principal) },
        { waitMs: 0, signal },
      );
      return { transfers: page.items };
    },
  });
}
