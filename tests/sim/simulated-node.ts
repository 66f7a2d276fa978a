/** One process of the daemon, as far as messages go: the real relay and the real file adapter. */
import { bulkOver } from '../../src/kernel/disk/bulk-disk.ts';
import { activeAgentNames, insertAgent } from '../../src/ledger/agents.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import {
  defaultRelayLimits,
  noMetrics,
  type RelayLimits,
  type RelayLog,
} from '../../src/relay/deps.ts';
import { locateFile } from '../../src/relay/files/archive.ts';
import { InboxFiles, InboxWatch } from '../../src/relay/files/inbox-files.ts';
import { NoticeBursts } from '../../src/relay/files/outbox.ts';
import { Outboxes } from '../../src/relay/files/outboxes.ts';
import { openRelay, type RunningRelay } from '../../src/relay/open-relay.ts';
import { giveDefaults } from '../../src/security/grants/default-grants.ts';
import { Grants } from '../../src/security/grants/grants.ts';
import { gatedDisk } from './gated-disk.ts';
import type { Life } from './life.ts';
import { seededRandom } from './random.ts';
import { home, type RelayWorld } from './relay-world.ts';
import { SimulatedWatching } from './watching.ts';

export interface SimulatedNode {
  readonly relay: RunningRelay;
  readonly life: Life;
  /** Nothing reaches it any more; what it has begun is never answered. */
  abandon(): void;
}

export interface NodeChoices {
  readonly life: Life;
  readonly ledger: Ledger;
  readonly place: number;
  readonly start: number;
  readonly sameBoot: boolean;
}

/**
 * Short enough to see the end of each, long enough for eight tries. Every other seed notes
 * deliveries late, as the daemon does.
 */
const limitsOf = (seed: number): RelayLimits => ({
  ...defaultRelayLimits,
  ...{ ttlMs: 70_000, requestTtlMs: 15_000, streamWindow: 3 },
  noteWithinMs: seed % 2 === 0 ? 20 : 0,
});

export async function openNode(world: RelayWorld, choices: NodeChoices): Promise<SimulatedNode> {
  const { life, place, start, sameBoot } = choices;
  const { plan, eventLoop } = world;
  const clock = life.clock(() => nowOn(world, place));
  const disk = gatedDisk(world.disk, life, world.faults);
  const ledger = life.ledger(choices.ledger);
  const random = seededRandom(`node ${plan.seed}/${start}`);
  const log = logOf(world, start);
  const watching = new SimulatedWatching({
    ...{ disk: world.disk, clock, seed: plan.seed + start },
    ...{ lostPercent: plan.lostNoticesPercent, latePercent: 20, latestMs: 300 },
  });
  const gone = (recipient: string, names: readonly string[]): void => {
    // What could not be noted now is found by the sweep.
    void relayOf()
      .gone(recipient, names)
      .catch(() => {});
  };
  const bursts = new NoticeBursts(eventLoop);
  const inboxWatch = new InboxWatch({ disk, watching, bursts, clock, log, home, onGone: gone });
  let relay: RunningRelay | undefined;
  const relayOf = (): RunningRelay => {
    if (relay === undefined) throw new Error('the relay is not open yet');
    return relay;
  };
  const grants = new Grants({ ledger, clock, random });
  relay = await openRelay({
    ...{ ledger, grants, clock, random, log, inboxWatch, sameBoot, metrics: noMetrics },
    inboxes: new InboxFiles({ disk, bulk: bulkOver(disk), eventLoop, random, home }),
    limits: { ...limitsOf(plan.seed), mailboxMessages: plan.mailboxMessages },
    realHome: home,
    holder: `node-${start}`,
    takesInTurns: () => false,
    onMail: () => {},
    hasAttachment: async () => false,
    locate: (message) => locateFile(disk, home, message),
  });
  await registerAgents(world, grants);
  if (plan.outboxes)
    await openOutboxes({ disk, watching, bursts, clock, eventLoop, log, relay, ledger });
  return {
    ...{ relay, life },
    abandon: () => watching[Symbol.dispose](),
  };
}

// Two machines never give out the same stamp: their clocks differ.
function nowOn({ clock, plan }: RelayWorld, place: number): number {
  const now = clock.now();
  return plan.nodes === 1 ? now : now - (now % 2) + place;
}

function logOf(world: RelayWorld, start: number): RelayLog {
  const write = (facts: object, words: string): void => {
    world.note(`node ${start}: ${words} ${shown(facts)}`);
  };
  return { info: write, warn: write, error: write };
}

function shown(facts: object): string {
  return JSON.stringify(facts, (_key, value: unknown) =>
    value instanceof Error ? value.message : value,
  ).slice(0, 200);
}

async function registerAgents({ plan, clock }: RelayWorld, grants: Grants): Promise<void> {
  await grants.change(async (tx, changes) => {
    for (const { name } of plan.agents) {
      const facts = { status: 'active', state: 'pending', body: 'guest' } as const;
      await insertAgent(tx, { name, registered_at: clock.now(), ...facts });
      await giveDefaults(changes, `agent:${name}`, 'guest');
    }
  });
}

type OutboxParts = Pick<
  ConstructorParameters<typeof Outboxes>[0],
  'disk' | 'watching' | 'bursts' | 'clock'
> &
  Pick<ConstructorParameters<typeof Outboxes>[0], 'eventLoop' | 'log'> & {
    readonly relay: RunningRelay;
    readonly ledger: Ledger;
  };

async function openOutboxes({ relay, ledger, ...parts }: OutboxParts): Promise<void> {
  const outboxes = new Outboxes({
    ...parts,
    bulk: bulkOver(parts.disk),
    home,
    accept: (batch) => relay.accept(batch),
    filesDone: (files) => relay.filesDone(files),
    rate: relay.rate,
    registerGuest: async () => {},
    agents: () => activeAgentNames(ledger.committed),
  });
  await outboxes.start();
}
