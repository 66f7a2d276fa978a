/**
 * The daemon's interface without a daemon: for a command that finds none. It opens the
 * home for as long as the command takes, and answers through the same routes.
 */

import type { Duplex } from 'node:stream';
import { createGateway } from '../gateway/server.ts';
import type { AosError } from '../kernel/errors.ts';
import type { Engines } from './compose.ts';
import { readDiskState } from './disk-watch.ts';
import { prepareHome } from './home-folder.ts';
import { openHomeLog } from './home-log.ts';
import { lockHome, openHome, openLedger } from './open-home.ts';
import { type RestoreRequest, type RestoreSummary, restoreHome } from './restore.ts';
import type { Settings } from './settings.ts';
import { upkeepOf } from './upkeep.ts';
import { version } from './version.ts';

export interface EmbeddedHome extends AsyncDisposable {
  /** A connection as the owner's, as to the daemon's socket. */
  connect(): Duplex;
}

export interface EmbedOptions {
  /** The words of the command, for whoever wants the home meanwhile. */
  readonly holder: string;
}

export async function embedHome(
  engines: Engines,
  settings: Settings,
  { holder }: EmbedOptions,
): Promise<EmbeddedHome> {
  await using opened = new AsyncDisposableStack();
  const open = opened.use(await openHome(engines, settings.home, { holder, onLost: thrownByCall }));
  const { log } = opened.use(openHomeLog(engines, open.home));
  const disk = {
    home: open.home,
    warnPercent: settings.diskWarnPercent,
    alertPercent: settings.diskAlertPercent,
  };
  const gateway = opened.use(
    await createGateway({
      ...engines,
      ...open,
      ...upkeepOf(engines, open),
      version,
      log,
      startedAt: engines.clock.now(),
      agentSocket: () => undefined,
      ready: () => true,
      shutdown: () => {},
      diskState: () => readDiskState(engines, disk),
    }),
  );
  const kept = opened.move();
  return { connect: () => gateway.connect(), [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

// Whoever calls is rejected with the same error, and a command has nothing else to end.
function thrownByCall(_why: AosError): void {}

/** `aos restore`: with the home locked, and its ledger closed until the backup is in place. */
export async function restoreInto(
  engines: Engines,
  settings: Settings,
  request: RestoreRequest,
): Promise<RestoreSummary> {
  const { home } = settings;
  await prepareHome(engines, home);
  await using lock = await lockHome(engines, home, { holder: 'aos restore' });
  const summary = await restoreHome(engines, home, request);
  await using ledger = await openLedger(engines, home, lock, thrownByCall);
  const { made_at, events } = summary;
  await ledger.transact((tx) =>
    tx.record({
      actor: 'owner',
      kind: 'ledger.restored',
      subject: 'ledger',
      data: { made_at, events },
    }),
  );
  return summary;
}
