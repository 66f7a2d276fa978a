/** The transfers of a home: the byte store, the rows, and who is told. */
import type { Blobs, Uploads } from '../../blobs/blobs.ts';
import type { RunningRelay } from '../../relay/open-relay.ts';
import { sendNote } from '../../relay/tell.ts';
import { principalKeys } from '../../security/identity/principal-keys.ts';
import type { TransferCounts, TransferLog } from '../../transfer/deps.ts';
import { openTransfers, type Transfers } from '../../transfer/transfers.ts';
import type { Settings } from '../config/settings.ts';
import { homeBlobs } from '../upkeep/blobs.ts';
import type { Engines } from './compose.ts';
import type { OpenHome } from './open-home.ts';

export interface HomeTransfers {
  readonly transfers: Transfers;
  /** The one store of this process. */
  readonly blobs: Blobs;
  readonly uploads: Uploads;
}

export interface HomeTransfersOptions {
  readonly open: Pick<OpenHome, 'home' | 'ledger' | 'grants'>;
  readonly log: TransferLog;
  readonly relay: Pick<RunningRelay, 'accept'>;
  readonly counts: TransferCounts;
}

/** What a crash has left undone is done before a caller asks for more. */
export async function openHomeTransfers(
  engines: Engines,
  settings: Pick<Settings, 'transferQuotaMegabytes' | 'transferDays'>,
  { open, log, relay, counts }: HomeTransfersOptions,
): Promise<HomeTransfers> {
  const { home, ledger, grants } = open;
  const store = homeBlobs(engines, home);
  const transfers = openTransfers({
    ...engines,
    ...store,
    ...{ home, ledger, grants, log, counts },
    keys: principalKeys({ ...engines, ledger }, home),
    limits: {
      quotaBytes: settings.transferQuotaMegabytes * 1024 * 1024,
      ttlMs: settings.transferDays * 24 * 3_600_000,
    },
    notify: (note) => sendNote(relay, note),
  });
  await transfers.recover();
  return { transfers, ...store };
}
