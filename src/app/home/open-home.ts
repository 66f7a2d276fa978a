/**
 * Opening a home to work in it: for the daemon as long as it runs, for a command as long
 * as that takes. The process that has it open is its only writer.
 */
import { join } from 'node:path';
import { AosError } from '../../kernel/errors.ts';
import { quote } from '../../kernel/text/quote.ts';
import { agentsInState } from '../../ledger/agents.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { openSqliteLedger } from '../../ledger/sqlite/sqlite.ts';
import { Grants } from '../../security/grants/grants.ts';
import type { Signer } from '../../security/identity/key-file.ts';
import {
  ledgerWithBodies,
  type OperationKeys,
  openOperationKeys,
} from '../../security/operation-keys.ts';
import { ensureOwner } from '../../security/owner.ts';
import { scrubbedLedger } from '../../security/secrets/scrub.ts';
import { openSecrets, type Secrets } from '../../security/secrets/secrets.ts';
import type { Engines } from './compose.ts';
import { prepareHome, withoutSymlinks } from './home-folder.ts';
import { type HomeLock, takeHomeLock, takeOver } from './home-lock.ts';

export interface OpenOptions {
  /** `daemon`, or the words of the command. */
  readonly holder: string;
  /** Kill the process that has it open. */
  readonly takeover?: boolean;
  /** Called once, when this process can write no more. */
  readonly onLost: (why: AosError) => void;
  /** Called with each thing that was mended, even where the home cannot be opened after that. */
  readonly onMended?: OnMended | undefined;
}

/** Hears in words what of a home was mended. */
export type OnMended = (words: string) => void;

export interface OpenHome extends AsyncDisposable {
  readonly home: string;
  /** `home` without symlinks on the way. */
  readonly realHome: string;
  readonly epoch: number;
  readonly ledger: Ledger;
  readonly grants: Grants;
  readonly secrets: Secrets;
  readonly owner: Signer;
  readonly operationKeys: OperationKeys;
  /** What was mended so that it could be opened, in words. */
  readonly mended: readonly string[];
}

export async function openHome(
  engines: Engines,
  home: string,
  options: OpenOptions,
): Promise<OpenHome> {
  const mended = await prepareHome(engines, home);
  for (const words of mended) options.onMended?.(words);
  await using opened = new AsyncDisposableStack();
  const lock = opened.use(await lockHome(engines, home, options));
  await refuseLostLedger(engines, home);
  const raw = opened.use(await openLedger(engines, home, lock, options.onLost));
  const secrets = await openSecrets({ ...engines, ledger: raw }, home);
  const operationKeys = await openOperationKeys(engines, home);
  const ledger = scrubbedLedger(ledgerWithBodies(raw, operationKeys), secrets.scrubber);
  const owner = await ensureOwner({ ...engines, ledger }, home);
  const realHome = await withoutSymlinks(engines.disk, home);
  const grants = new Grants({ ...engines, ledger });
  // Before anything is delivered: what a paused guest holds does not count, and its mail waits.
  for (const name of await agentsInState(ledger.committed, 'paused', 'guest')) {
    grants.setPaused(`agent:${name}`, true);
  }
  const kept = opened.move();
  return {
    home,
    realHome,
    epoch: lock.epoch,
    ledger,
    grants,
    secrets,
    owner,
    operationKeys,
    mended,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

// The ledger is made before the owner's key, so a key without a ledger is a ledger that was
// lost. To begin a new one would look as if nothing had ever happened.
async function refuseLostLedger({ disk }: Engines, home: string): Promise<void> {
  const ledger = await disk.stat(join(home, 'ledger.db'));
  if (ledger !== undefined && ledger.sizeBytes > 0) return;
  if ((await disk.stat(join(home, 'keys', 'owner.key'))) === undefined) return;
  throw new AosError('ledger.missing', {
    message: `The ledger of ${quote(home)} is ${ledger === undefined ? 'gone' : 'empty'}, and its keys are there`,
    fix: 'Put a backup back: aos restore FILE --replace; or, to begin anew, move the whole folder away',
  });
}

// Commands hold the home for as long as they take, which is not long.
const patienceMs = 5000;
const lookAgainMs = 50;

/** Waits for a command that has the home open; a daemon that has it is told of at once. */
export async function lockHome(
  engines: Engines,
  home: string,
  { holder, takeover = false }: Pick<OpenOptions, 'holder' | 'takeover'>,
): Promise<HomeLock> {
  if (takeover) return takeOver(engines, home, { holder });
  const deadline = engines.clock.monotonicMs() + patienceMs;
  for (;;) {
    try {
      return await takeHomeLock(engines, home, { holder });
    } catch (failure) {
      if (!mayPass(failure) || engines.clock.monotonicMs() > deadline) throw failure;
    }
    await engines.clock.sleep(lookAgainMs);
  }
}

/** A command ends soon; and who is not known yet has just come, and is known in a moment. */
function mayPass(failure: unknown): boolean {
  if (!(failure instanceof AosError) || failure.code !== 'home.busy') return false;
  const { details } = failure;
  const isKnown = typeof details === 'object' && details !== null && 'what' in details;
  return !isKnown || details.what !== 'daemon';
}

/** Where `.lock` was removed, or a backup was put back, the ledger knows later owners. */
export async function openLedger(
  engines: Engines,
  home: string,
  lock: HomeLock,
  onLost: OpenOptions['onLost'],
): Promise<Ledger> {
  const open = () =>
    openSqliteLedger(engines, { path: join(home, 'ledger.db'), epoch: lock.epoch, onLost });
  try {
    return await open();
  } catch (failure) {
    const known = laterEpoch(failure);
    if (known === undefined) throw failure;
    lock.raiseEpoch(known + 1);
    return open();
  }
}

function laterEpoch(failure: unknown): number | undefined {
  if (!(failure instanceof AosError) || failure.code !== 'ledger.fenced') return undefined;
  const { details } = failure;
  return typeof details === 'object' && details !== null && 'epoch' in details
    ? Number(details.epoch)
    : undefined;
}
