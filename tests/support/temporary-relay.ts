/** A relay over a real ledger, with inboxes in memory: for what does not need a disk. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { realClock, realRandom } from '../../src/engines/clock.ts';
import { diskError } from '../../src/kernel/disk/errors.ts';
import type { AosError } from '../../src/kernel/errors.ts';
import type { Message } from '../../src/kernel/message/message.ts';
import type { Clock } from '../../src/kernel/ports.ts';
import { insertAgent } from '../../src/ledger/agents.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { defaultRelayLimits, noMetrics, type RelayLimits } from '../../src/relay/deps.ts';
import type { Acceptance, FileSource } from '../../src/relay/envelope.ts';
import type { Inboxes, InboxFile, InterruptedBatch } from '../../src/relay/mail.ts';
import { type OpenRelayDeps, openRelay, type RunningRelay } from '../../src/relay/open-relay.ts';
import type { MailboxItem } from '../../src/relay/relay.ts';
import { giveDefaults } from '../../src/security/grants/default-grants.ts';
import { Grants } from '../../src/security/grants/grants.ts';
import { SimulatedClock } from '../sim/clock.ts';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';
import { openTestLedger } from './temporary-ledger.ts';
import { until } from './until.ts';

export interface TemporaryRelay extends AsyncDisposable {
  readonly relay: RunningRelay;
  readonly ledger: Ledger;
  readonly grants: Grants;
  readonly inboxes: MemoryInboxes;
  register(...names: readonly string[]): Promise<void>;
  /** Accepts one message, or throws why it was refused. */
  send(from: string, message: Draft): Promise<string>;
  /** Hands in a file of that name; `modifiedNs` tells one writing of it from another. */
  handIn(
    from: string,
    stem: string,
    what: { readonly message: Draft; readonly modifiedNs?: string } | { readonly fault: AosError },
  ): Promise<Acceptance>;
  /** Waits until that many lie unread in the mailbox, and resolves to them. */
  unread(recipient: string, count: number): Promise<readonly MailboxItem[]>;
  /** Waits until the message has come so far for its one recipient. */
  until(id: string, state: MailboxItem['state']): Promise<void>;
  /** What `aos why` tells of it. */
  steps(id: string): Promise<readonly string[]>;
  /** Ends this relay and opens another one over the same ledger. */
  restart(deps?: Partial<OpenRelayDeps>): Promise<void>;
}

export type Draft = Partial<Message> & { readonly to: string };

export interface RelayChoices {
  readonly clock?: Clock;
  readonly limits?: Partial<RelayLimits>;
  readonly deps?: Partial<OpenRelayDeps>;
}

export async function temporaryRelay(choices: RelayChoices = {}): Promise<TemporaryRelay> {
  const folder: TemporaryFolder = temporaryFolder();
  const clock = choices.clock ?? realClock;
  const ledger = await openTestLedger(folder.at('ledger.db'), { clock });
  const grants = new Grants({ ledger, clock, random: realRandom });
  const inboxes = new MemoryInboxes();
  const open = (deps: Partial<OpenRelayDeps> = {}) =>
    openRelay({
      ...{ ledger, grants, clock, inboxes, random: realRandom, metrics: noMetrics },
      limits: { ...defaultRelayLimits, ...choices.limits },
      log: { info: () => {}, warn: () => {}, error: () => {} },
      realHome: folder.path,
      takesInTurns: () => false,
      onMail: () => {},
      hasAttachment: async () => false,
      holder: '1',
      sameBoot: true,
      locate: async () => 'gone',
      inboxWatch: { expect: () => {}, forget: () => {} },
      ...choices.deps,
      ...deps,
    });
  let relay = await open();
  return {
    ...{ ledger, grants, inboxes },
    get relay() {
      return relay;
    },
    register: (...names) => registerAll(grants, clock, names),
    async send(sender, message) {
      const [accepted] = await relay.accept([{ sender, message: wholeMessage(message) }]);
      if (accepted?.kind === 'refused') throw accepted.error;
      return accepted?.id ?? '';
    },
    async handIn(sender, stem, what) {
      const modifiedNs = 'modifiedNs' in what ? what.modifiedNs : undefined;
      const source = fileNamed(sender, stem, modifiedNs ?? '1');
      const incoming =
        'fault' in what
          ? { sender, source, fault: what.fault }
          : { sender, source, message: wholeMessage(what.message) };
      const [acceptance] = await relay.accept([incoming]);
      if (acceptance === undefined) throw new Error('the relay did not answer');
      return acceptance;
    },
    unread: (recipient, count) =>
      until(async () => {
        const items = await relay.mailboxes.list(recipient, { limit: 10_000 });
        if (items.length !== count) throw new Error(`${items.length} unread, not ${count}`);
        return items;
      }),
    until: (id, state) =>
      until(async () => {
        const now = (await relay.history(id))?.deliveries[0]?.state;
        if (now !== state) throw new Error(`it is ${now}, not ${state}`);
      }),
    steps: async (id) => (await relay.history(id))?.steps.map(({ what }) => what) ?? [],
    async restart(deps) {
      await end(relay, clock);
      relay = await open(deps);
    },
    async [Symbol.asyncDispose]() {
      await end(relay, clock);
      await ledger[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** A relay that ends waits a little for what is on its way, which takes time to pass. */
async function end(relay: RunningRelay, clock: Clock): Promise<void> {
  let hasEnded = false;
  const ending = Promise.resolve(relay[Symbol.asyncDispose]()).finally(() => {
    hasEnded = true;
  });
  while (!hasEnded && clock instanceof SimulatedClock) {
    await clock.advance(1000);
    await nextTurn();
  }
  await ending;
}

function registerAll(grants: Grants, clock: Clock, names: readonly string[]): Promise<void> {
  return grants.change(async (tx, changes) => {
    for (const name of names) {
      const facts = { status: 'active', state: 'pending', body: 'guest' } as const;
      await insertAgent(tx, { name, registered_at: clock.now(), ...facts });
      await giveDefaults(changes, `agent:${name}`, 'guest');
    }
  });
}

export function wholeMessage(message: Draft): Message {
  return { kind: 'message', priority: 5, attachments: [], headers: [], body: '', ...message };
}

function fileNamed(sender: string, stem: string, modifiedNs: string): FileSource {
  const path = `agents/${sender}/outbox/${stem}.msg`;
  return { path, stem, sizeBytes: 10, modifiedNs, inode: '7' };
}

/** Inboxes that a test can look into, take from, hold up and break. */
export class MemoryInboxes implements Inboxes {
  readonly #files = new Map<string, Map<string, string>>();
  readonly #gone = new Set<string>();
  /** Set to let writes fail. */
  failure: Awaited<ReturnType<Inboxes['write']>>['failure'];
  /** Set to let looks and removals fail. */
  lookFailure: AosError | undefined;
  /** Set to hold up writes until it resolves. */
  gate: Promise<void> | undefined;
  /** Left behind by a process that died. */
  left: readonly InterruptedBatch[] = [];
  /** How many writes were begun. */
  writes = 0;

  async write(recipient: string, files: readonly InboxFile[]) {
    this.writes++;
    await this.gate;
    const isInboxGone = this.#gone.has(recipient);
    const failure = isInboxGone ? diskError('ENOENT', 'inbox') : this.failure;
    const inbox = this.#files.get(recipient) ?? new Map<string, string>();
    if (failure === undefined) for (const { name, text } of files) inbox.set(name, text);
    this.#files.set(recipient, inbox);
    const count = failure === undefined ? files.length : 0;
    return { count, failure, isInboxGone, noted: async () => {} };
  }

  async make(recipient: string): Promise<void> {
    this.#gone.delete(recipient);
  }

  async interrupted() {
    return this.left;
  }

  async remove(recipient: string, names: readonly string[]): Promise<void> {
    if (this.lookFailure !== undefined) throw this.lookFailure;
    for (const name of names) this.#files.get(recipient)?.delete(name);
  }

  async list(recipient: string): Promise<ReadonlySet<string> | undefined> {
    if (this.lookFailure !== undefined) throw this.lookFailure;
    if (this.#gone.has(recipient)) return undefined;
    return new Set(this.names(recipient));
  }

  names(recipient: string): readonly string[] {
    return [...(this.#files.get(recipient)?.keys() ?? [])].sort();
  }

  /** As an agent does who has read it: nobody is told. */
  takeAway(recipient: string, name: string): void {
    this.#files.get(recipient)?.delete(name);
  }

  /** With everything in it. */
  moveInboxAway(recipient: string): void {
    this.#files.delete(recipient);
    this.#gone.add(recipient);
  }

  /** The texts, in the order of their names. */
  texts(recipient: string): readonly string[] {
    return this.names(recipient).map((name) => this.#files.get(recipient)?.get(name) ?? '');
  }
}
