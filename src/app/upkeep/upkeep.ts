/** Looking after an open home: backups, what takes room, what can go. */
import type { Blobs } from '../../blobs/blobs.ts';
import type { GatewayDeps } from '../../gateway/server/deps.ts';
import { AosError } from '../../kernel/errors.ts';
import type { Engines } from '../home/compose.ts';
import type { OpenHome } from '../home/open-home.ts';
import { version } from '../version.ts';
import { backupHome } from './backup.ts';
import { verifyHomeBlobs } from './blobs.ts';
import { findGarbage, type Garbage, removeGarbage } from './garbage.ts';
import { measureHome } from './home-usage.ts';
import { keepReserve } from './reserve.ts';

export function upkeepOf(
  engines: Engines,
  { home, ledger }: OpenHome,
  stores: { readonly blobs: Blobs; readonly attachments: Blobs },
): Pick<GatewayDeps, 'backup' | 'usage' | 'gc' | 'verifyBlobs'> {
  return {
    backup: async (request) => {
      const summary = await backupHome({ ...engines, ledger, version }, home, request);
      const { path, bytes, keys } = summary;
      const data = { path, bytes, keys };
      await ledger.transact((tx) =>
        tx.record({ actor: 'owner', kind: 'ledger.backed-up', subject: 'ledger', data }),
      );
      return summary;
    },
    usage: () => measureHome(engines, home),
    verifyBlobs: (signal) => verifyHomeBlobs({ ...engines, ...stores, ledger }, signal),
    gc: async ({ dryRun }) => {
      const items = await findGarbage(engines, home);
      if (dryRun) return { items, freed_bytes: 0, failed: [] };
      return sweep(engines, { home, ledger }, items);
    },
  };
}

async function sweep(
  engines: Engines,
  { home, ledger }: Pick<OpenHome, 'home' | 'ledger'>,
  items: readonly Garbage[],
) {
  const { items: removed, freed_bytes, failed } = await removeGarbage(engines, home, items);
  // Moved into the ledger, the log takes no room of its own. A disk that has none for it, or a
  // reader, leaves it as it is.
  await ledger.forget().catch(onlyOurs);
  await keepReserve(engines, home);
  return { items: [...removed], freed_bytes, failed: [...failed] };
}

function onlyOurs(failure: unknown): void {
  if (!(failure instanceof AosError)) throw failure;
}
