/**
 * The daemon's interface without a daemon: for a command that finds none. It opens the
 * home for as long as the command takes, and answers through the same routes.
 */

import type { Duplex } from 'node:stream';
import type { GatewayDeps } from '../gateway/server/deps.ts';
import { createGateway } from '../gateway/server/server.ts';
import { signatureTimes } from '../kernel/agent/operation.ts';
import { AosError } from '../kernel/errors.ts';
import type { DiskView } from '../kernel/ports.ts';
import { everyAgent, uidOf } from '../ledger/agents.ts';
import { type Sql, writeState } from '../ledger/ledger.ts';
import { findPrincipal } from '../ledger/security/principals.ts';
import { listSecrets } from '../ledger/security/secrets.ts';
import { signaturesSince } from '../ledger/security/seen-requests.ts';
import { makeAgentFolders } from '../security/agent-folders.ts';
import { keysFolder, loadKey, type PrincipalId } from '../security/identity/key-file.ts';
import type { KeyPair } from '../security/identity/key-pair.ts';
import { type GivenUpSecrets, giveUpSecrets } from '../security/secrets/secrets.ts';
import type { Settings } from './config/settings.ts';
import type { Engines } from './home/compose.ts';
import { prepareHome } from './home/home-folder.ts';
import { lockHome, type OnMended, openHome, openLedger } from './home/open-home.ts';
import { openHomeParts, servedParts } from './home/open-parts.ts';
import { openHomeLog } from './log.ts';
import type { BackupRequest } from './upkeep/backup.ts';
import { plainerIfFull } from './upkeep/reserve.ts';
import { type RestoreRequest, type RestoreSummary, restoreHome } from './upkeep/restore.ts';

export interface EmbeddedHome extends AsyncDisposable {
  /** A connection as the owner's, as to the daemon's socket. */
  connect(): Duplex;
}

export interface EmbedOptions {
  /** The words of the command, for a process that wants the home meanwhile. */
  readonly holder: string;
  readonly onMended?: OnMended | undefined;
}

export async function embedHome(
  engines: Engines,
  settings: Settings,
  options: EmbedOptions,
): Promise<EmbeddedHome> {
  try {
    return await openAndEmbed(engines, settings, options);
  } catch (failure) {
    throw await plainerIfFull(engines, settings.home, failure);
  }
}

async function openAndEmbed(
  engines: Engines,
  settings: Settings,
  options: EmbedOptions,
): Promise<EmbeddedHome> {
  await using opened = new AsyncDisposableStack();
  const open = opened.use(
    await openHome(engines, settings.home, { ...options, onLost: thrownByCall }),
  );
  const { log, scrubWith } = opened.use(openHomeLog(engines, open.home));
  scrubWith(open.secrets.scrubber);
  const parts = opened.use(await openHomeParts(engines, settings, { open, log }));
  const served = servedParts(engines, settings, { open, log }, parts);
  const { backup } = opened.use(stoppable(served.backup));
  const gateway = opened.use(
    await createGateway({
      ...{ ...served, backup },
      startedAt: engines.clock.now(),
      agentSocket: () => undefined,
      ready: () => true,
      shutdown: () => {},
    }),
  );
  const kept = opened.move();
  return { connect: () => gateway.connect(), [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

interface StoppableBackup extends AsyncDisposable {
  readonly backup: GatewayDeps['backup'];
}

/** A command that ends, by Ctrl-C say, takes its backup along; a daemon would go on with it. */
function stoppable(backup: GatewayDeps['backup']): StoppableBackup {
  const stop = new AbortController();
  const running = new Set<Promise<unknown>>();
  return {
    backup: (asked) => {
      const request: BackupRequest = { ...asked, signal: stop.signal };
      const work = backup(request);
      running.add(work);
      return work;
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort(new AosError('interrupted.signal', { message: 'The backup was stopped' }));
      await Promise.allSettled(running);
    },
  };
}

// The caller is rejected with the same error, and a command has nothing else to end.
function thrownByCall(_why: AosError): void {}

export interface RestoredHome extends RestoreSummary {
  /** Those who cannot sign until their key files are put back. */
  readonly agents_without_keys: readonly string[];
}

/** `aos restore`: with the home locked, and its ledger closed until the backup is in place. */
export async function restoreInto(
  engines: Engines,
  settings: Settings,
  request: RestoreRequest,
  onMended?: OnMended,
): Promise<RestoredHome> {
  const { home } = settings;
  for (const words of await prepareHome(engines, home)) onMended?.(words);
  await using lock = await lockHome(engines, home, { holder: 'aos restore' });
  const summary = await restoreHome(engines, home, request);
  await using ledger = await openLedger(engines, home, lock, thrownByCall);
  const { made_at, events } = summary;
  const now = engines.clock.now();
  await ledger.transact(async (tx) => {
    // What was signed and seen since the backup was made is not in it; a clock may be ahead.
    const since = now + 1000 * signatureTimes.skewSeconds;
    await writeState(tx, signaturesSince, String(since), now);
    await tx.record({
      actor: 'owner',
      kind: 'ledger.restored',
      subject: 'ledger',
      data: { made_at, events },
    });
  });
  const { withoutKeys, warnings } = await completeAgents(engines, home, ledger.committed);
  return {
    ...summary,
    warnings: [...summary.warnings, ...warnings],
    agents_without_keys: withoutKeys,
  };
}

/**
 * `aos secret rm --all` where the key is lost, so that no process can open the home. `confirm`
 * hears what will be forgotten, and throws when that is not to be.
 */
export async function giveUpSecretsIn(
  engines: Engines,
  { home }: Settings,
  confirm: (names: readonly string[]) => Promise<void>,
  onMended: OnMended,
): Promise<GivenUpSecrets> {
  for (const words of await prepareHome(engines, home)) onMended(words);
  await using lock = await lockHome(engines, home, { holder: 'aos secret rm' });
  await using ledger = await openLedger(engines, home, lock, thrownByCall);
  await confirm((await listSecrets(ledger.committed)).map(({ name }) => name));
  return await giveUpSecrets({ ...engines, ledger }, home);
}

interface CompletedAgents {
  readonly withoutKeys: readonly string[];
  readonly warnings: readonly string[];
}

// What stands in the way of one agent's folder must not keep the others from theirs.
async function completeAgents(engines: Engines, home: string, sql: Sql): Promise<CompletedAgents> {
  const withoutKeys: string[] = [];
  const warnings: string[] = [];
  for await (const agent of everyAgent(sql)) {
    // It is made of rows, and its key is derived from keys/agents.key.
    if (agent.body === 'model') continue;
    const principal = await findPrincipal(sql, `agent:${agent.name}`);
    try {
      await makeAgentFolders(engines, home, {
        name: agent.name,
        uid: await uidOf(sql, agent.name),
        registeredAt: agent.registered_at,
        body: agent.body,
        address: principal?.address ?? '',
        publicKey: principal?.public_key ?? '',
      });
    } catch (failure) {
      if (!(failure instanceof AosError)) throw failure;
      warnings.push(`The folders of agent ${agent.name} are not complete. ${failure.message}`);
    }
    const key = await keyIfGood(engines.disk, home, `agent:${agent.name}`);
    if (key === undefined || key.address !== principal?.address) withoutKeys.push(agent.name);
  }
  return { withoutKeys, warnings };
}

async function keyIfGood(
  view: DiskView,
  home: string,
  principal: PrincipalId,
): Promise<KeyPair | undefined> {
  try {
    return await loadKey(view, keysFolder(home), principal);
  } catch (failure) {
    // A key that cannot be used is as good as none here; who needs it is told what is wrong.
    if (failure instanceof AosError) return undefined;
    throw failure;
  }
}
