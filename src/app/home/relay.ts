/** The relay of a home: the message service over its ledger and its folders. */

import { join } from 'node:path';
import type { Blobs } from '../../blobs/blobs.ts';
import { FileBlobs, type FileBlobsDeps } from '../../blobs/fs.ts';
import type { Attachments } from '../../gateway/server/deps.ts';
import type { BulkDisk } from '../../kernel/disk/bulk-disk.ts';
import { toReport } from '../../kernel/errors.ts';
import { fileAgentName } from '../../kernel/files/file-agent-name.ts';
import type { Clock } from '../../kernel/ports.ts';
import { everyAgent } from '../../ledger/agents.ts';
import { type Ledger, readState, writeState } from '../../ledger/ledger.ts';
import { addBlobReference, principalRefersTo, refersTo } from '../../ledger/transfers/blobs.ts';
import {
  type BundledAgents,
  defaultRelayLimits,
  type RelayLimits,
  type RelayMetrics,
} from '../../relay/deps.ts';
import { locateFile } from '../../relay/files/archive.ts';
import { InboxFiles, InboxWatch } from '../../relay/files/inbox-files.ts';
import { NoticeBursts } from '../../relay/files/outbox.ts';
import { Outboxes } from '../../relay/files/outboxes.ts';
import { openRelay, type RunningRelay } from '../../relay/open-relay.ts';
import { registerGuest } from '../../security/register.ts';
import type { Settings } from '../config/settings.ts';
import type { Log } from '../log.ts';
import type { Engines } from './compose.ts';
import type { OpenHome } from './open-home.ts';

export interface HomeRelay extends AsyncDisposable {
  readonly relay: RunningRelay;
  readonly attachments: Attachments;
  /** Where they lie: the one store of this process. */
  readonly attachmentBlobs: Blobs;
  /** Takes in what agents write into their outboxes, until it is disposed of. */
  watchOutboxes(): Promise<AsyncDisposable>;
}

export interface HomeRelayOptions {
  readonly open: OpenHome;
  readonly log: Log;
  readonly metrics: RelayMetrics;
  /** The agents that take their mail in their turns. */
  readonly modelAgents: ReadonlySet<string>;
  readonly onMail?: ((recipient: string) => void) | undefined;
  /** Agents that answer in this process are made when they are written to; undefined without. */
  readonly bundled?: BundledAgents | undefined;
}

export async function openHomeRelay(
  engines: Engines,
  settings: Settings,
  { open, log, metrics, modelAgents, onMail = () => {}, bundled }: HomeRelayOptions,
): Promise<HomeRelay> {
  const takesInTurns = (name: string): boolean => modelAgents.has(name) || name === fileAgentName;
  const { home, realHome, ledger, grants, epoch } = open;
  const watching = engines.fileWatching;
  const blobs = attachmentsOf(engines, home);
  await using opened = new AsyncDisposableStack();
  const onGone = (recipient: string, names: readonly string[]): void => {
    // What a failure leaves unnoted, the next look at the inboxes finds.
    relay.gone(recipient, names).catch((failure: unknown) => {
      log.error({ error: toReport(failure), recipient }, 'a reading was not noted');
    });
  };
  const onTrouble = (failure: unknown): void =>
    log.warn({ err: failure }, 'files are worked off without a thread of their own');
  const bulk = opened.use(engines.openBulkDisk({ onTrouble }));
  const bursts = new NoticeBursts(engines.eventLoop);
  const inboxWatch = opened.use(
    new InboxWatch({ ...engines, watching, bursts, log, home, onGone }),
  );
  const sameBoot = await isSameBoot(engines, ledger);
  const relay: RunningRelay = opened.use(
    await openRelay({
      ...engines,
      ledger,
      grants,
      realHome,
      log,
      metrics,
      inboxes: new InboxFiles({ ...engines, bulk, home }),
      limits: relayLimits(settings),
      takesInTurns,
      onMail,
      bundled,
      hasAttachment: async (hash) => (await blobs.stat(hash)) !== undefined,
      holder: `daemon ${epoch}`,
      sameBoot,
      locate: (message) => locateFile(engines.disk, home, message),
      inboxWatch,
    }),
  );
  await noteBoot(engines, ledger);
  const kept = opened.move();
  return {
    relay,
    attachments: attachmentDoor({ ...engines, ledger }, blobs),
    attachmentBlobs: blobs,
    watchOutboxes: () => watchOutboxes(engines, { open, log, relay, bulk, bursts }),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

function relayLimits(settings: Settings): RelayLimits {
  const { messagesPerSecond, messageBurst, mailboxMessages, mailboxMegabytes } = settings;
  return {
    ...defaultRelayLimits,
    ...{ messagesPerSecond, messageBurst, mailboxMessages },
    mailboxBytes: mailboxMegabytes * 1024 * 1024,
    ttlMs: settings.messageDays * 24 * 3_600_000,
    requestTtlMs: settings.requestSeconds * 1000,
    noteWithinMs: 20,
  };
}

const bootKey = 'relay.boot';

/** Whether the machine has been up since the last owner of this home; no when that is not known. */
async function isSameBoot({ processes }: Engines, ledger: Ledger): Promise<boolean> {
  const bootId = processes.bootId();
  return bootId !== undefined && (await readState(ledger.committed, bootKey)) === bootId;
}

async function noteBoot({ processes, clock }: Engines, ledger: Ledger): Promise<void> {
  const bootId = processes.bootId();
  if (bootId === undefined || (await readState(ledger.committed, bootKey)) === bootId) return;
  await ledger.transact((tx) => writeState(tx, bootKey, bootId, clock.now()));
}

interface OutboxParts {
  readonly open: OpenHome;
  readonly log: Log;
  readonly relay: RunningRelay;
  readonly bulk: BulkDisk;
  readonly bursts: NoticeBursts;
}

async function watchOutboxes(
  engines: Engines,
  { open, log, relay, bulk, bursts }: OutboxParts,
): Promise<AsyncDisposable> {
  const { home, ledger, grants } = open;
  const outboxes = new Outboxes({
    ...engines,
    bulk,
    bursts,
    watching: engines.fileWatching,
    log,
    home,
    accept: (batch) => relay.accept(batch),
    filesDone: (files) => relay.filesDone(files),
    rate: relay.rate,
    noteTrouble: (kind, data) => {
      const event = { actor: 'system', kind, subject: 'relay', data };
      // A full disk has no room for this either; the log has it, and the recovery will be noted.
      ledger.transact((tx) => tx.record(event)).catch(() => {});
    },
    agents: async () => {
      const names: string[] = [];
      // A model agent has no folder to look into, or one that only its tools write to.
      for await (const { name, body } of everyAgent(ledger.committed)) {
        if (body !== 'model') names.push(name);
      }
      return names;
    },
    registerGuest: async (name) => {
      await registerGuest({ ...engines, ledger, grants }, home, name);
      relay.wake(name);
    },
  });
  await outboxes.start();
  return outboxes;
}

// The attachments of a home: where they lie, and who may have them.

export function attachmentsOf(deps: FileBlobsDeps, home: string): Blobs {
  return new FileBlobs(deps, { root: join(home, 'attachments'), temporary: join(home, 'tmp') });
}

export function attachmentDoor(
  { clock, ledger }: { readonly clock: Pick<Clock, 'now'>; readonly ledger: Ledger },
  blobs: Pick<Blobs, 'put' | 'get'>,
): Attachments {
  return {
    put: async (principal, source) => {
      const stored = await blobs.put(source);
      // A principal that has put bytes may send them; to know their hash is not enough.
      const reference = { hash: stored.hash, referrer: principal, at: clock.now() };
      await ledger.transact((tx) => addBlobReference(tx, reference));
      return stored;
    },
    open: (hash, part) => blobs.get(hash, part),
    mayRead: async (principal, hash) =>
      (await refersTo(ledger.committed, principal, hash)) ||
      (await principalRefersTo(ledger.committed, principal.replace(/^agent:/, ''), hash)),
  };
}
