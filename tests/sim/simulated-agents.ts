/** Those who receive: by taking files out of their inbox, or by calling the relay. */
import { readWholeFile } from '../../src/kernel/disk/durable-file.ts';
import { AosError } from '../../src/kernel/errors.ts';
import type { MessageKind } from '../../src/kernel/message/message.ts';
import { parseMessage } from '../../src/kernel/message/text.ts';
import type { MailboxItem } from '../../src/relay/relay.ts';
import type { PlannedAgent } from './relay-plan.ts';
import { home, type RelayWorld } from './relay-world.ts';
import type { SimulatedNode } from './simulated-node.ts';
import type { SimulatedSenders } from './simulated-senders.ts';

interface Letter {
  readonly id: string;
  readonly from: string;
  readonly kind: MessageKind;
  readonly body: string;
}

interface Attachment {
  readonly node: SimulatedNode;
  readonly handle: AsyncDisposable;
  readonly sink: object;
}

export class SimulatedAgent {
  readonly name: string;
  readonly ways: PlannedAgent['ways'];
  readonly #world: RelayWorld;
  readonly #senders: SimulatedSenders;
  /** Files that it has seen in its inbox, since the machine was started. */
  #seen = new Map<string, Letter>();
  #seenInBoot = 1;
  #attachment: Attachment | undefined;
  #isBusy = false;

  constructor(world: RelayWorld, senders: SimulatedSenders, { name, ways }: PlannedAgent) {
    this.#world = world;
    this.#senders = senders;
    this.name = name;
    this.ways = ways;
  }

  /** One thing that the seed chooses. */
  async act(): Promise<void> {
    const { dice } = this.#world;
    if (this.ways === 'files') return this.takeFiles(dice.chance(50) ? 100 : 1 + dice.below(3));
    if (this.ways === 'broken') return;
    if (dice.chance(50)) return this.pull(1 + dice.below(5));
    return this.#attachment === undefined ? this.#attach() : this.detach();
  }

  /** Everything that is there now. */
  async takeAll(): Promise<void> {
    if (this.ways === 'files') await this.takeFiles(Number.POSITIVE_INFINITY);
    if (this.ways === 'calls') await this.pull(100);
  }

  async takeFiles(most: number): Promise<void> {
    // What the power cut has left of files that nobody flushed is no business of an agent's.
    if (this.#isBusy || !this.#world.isUp) return;
    this.#isBusy = true;
    try {
      await this.#look();
      let left = most;
      for (const [file, letter] of [...this.#seen].sort(byName)) {
        if (left-- <= 0) break;
        await this.#take(file, letter);
      }
    } catch (failure) {
      // The power may go while it reads, and a file may be taken away before it.
      if (!(failure instanceof AosError)) this.#world.note(`${this.name}: ${String(failure)}`);
    } finally {
      this.#isBusy = false;
    }
  }

  async #look(): Promise<void> {
    const { disk, boots } = this.#world;
    if (this.#seenInBoot !== boots) this.#seen = new Map();
    this.#seenInBoot = boots;
    const folder = `${home}/agents/${this.name}/inbox`;
    for (const file of await disk.list(folder)) {
      if (!file.endsWith('.msg') || this.#seen.has(file)) continue;
      const letter = letterIn(await readWholeFile(disk, `${folder}/${file}`, 100_000));
      // What a power cut has left of a file that nobody flushed is no message.
      if (letter === undefined) continue;
      this.#seen.set(file, letter);
      this.#appeared(letter, 'inbox');
    }
  }

  async #take(file: string, letter: Letter): Promise<void> {
    const { disk } = this.#world;
    this.#seen.delete(file);
    try {
      await disk.remove(`${home}/agents/${this.name}/inbox/${file}`);
    } catch (failure) {
      if (failure instanceof AosError && failure.code === 'disk.missing') return;
      throw failure;
    }
    this.#world.saw({ kind: 'read', recipient: this.name, id: letter.id, how: 'file' });
    void this.#answer(letter);
  }

  async pull(limit: number): Promise<void> {
    const { node } = this.#world;
    if (node === undefined) return;
    try {
      for (const item of await node.relay.mailboxes.take(this.name, { limit })) {
        this.#appeared(item, 'pull');
        this.#world.saw({ kind: 'read', recipient: this.name, id: item.id, how: 'call' });
        void this.#answer(item);
      }
    } catch (failure) {
      this.#world.note(`${this.name} cannot pull: ${String(failure)}`);
    }
  }

  #attach(): void {
    const { node } = this.#world;
    if (node === undefined) return;
    const sink = {
      wants: ({ subscription }: { readonly subscription: number | null }) => subscription === null,
      push: (items: readonly MailboxItem[]) =>
        node.life.pass(async () => {
          // As the gateway does it: what was under way when it was closed is not shown any more.
          if (this.#attachment?.sink !== sink) throw brokenConnection();
          await this.#pushed(node, items);
        }),
    };
    this.#world.note(`${this.name} attaches`);
    this.#attachment = { node, sink, handle: node.relay.mailboxes.attach(this.name, sink) };
  }

  async #pushed(node: SimulatedNode, items: readonly MailboxItem[]): Promise<void> {
    const { dice } = this.#world;
    if (dice.chance(15)) throw brokenConnection();
    for (const item of items) this.#appeared(item, 'push');
    if (dice.chance(80)) void this.#readPushed(node, items);
  }

  async #readPushed({ relay }: SimulatedNode, items: readonly MailboxItem[]): Promise<void> {
    const { clock, dice } = this.#world;
    await clock.sleep(dice.pick([0, 0, 10, 2000]));
    try {
      const read = await relay.mailboxes.markRead(
        this.name,
        items.map(({ id }) => id),
      );
      for (const id of read) {
        this.#world.saw({ kind: 'read', recipient: this.name, id, how: 'call' });
      }
    } catch (failure) {
      this.#world.note(`${this.name} cannot say that it read: ${String(failure)}`);
    }
    for (const item of items) void this.#answer(item);
  }

  async detach(): Promise<void> {
    const attachment = this.#attachment;
    this.#attachment = undefined;
    if (attachment === undefined || attachment.node.life.isDead) return;
    this.#world.note(`${this.name} detaches`);
    try {
      await attachment.handle[Symbol.asyncDispose]();
    } catch (failure) {
      this.#world.note(`${this.name} cannot detach: ${String(failure)}`);
    }
  }

  #appeared({ id, from, body }: Letter, way: 'inbox' | 'push' | 'pull'): void {
    this.#world.saw({ kind: 'appeared', recipient: this.name, id, from, body, way });
  }

  async #answer({ id, from, kind }: Letter): Promise<void> {
    const { dice, clock } = this.#world;
    if (from === '__orchestrator__' || kind === 'ack' || kind === 'nack') return;
    const percent = kind === 'request' ? 80 : 10;
    if (!dice.chance(percent)) return;
    await clock.sleep(dice.pick([0, 100, 8000]));
    const answers: readonly MessageKind[] = ['ack', 'nack', 'response'];
    const answer = answers[dice.below(kind === 'request' ? 3 : 2)] ?? 'ack';
    await this.#senders.send(this.name, { to: from, kind: answer, re: id });
  }
}

function brokenConnection(): AosError {
  return new AosError('message.no-recipient', { message: 'The connection is broken' });
}

function byName([one]: readonly [string, Letter], [other]: readonly [string, Letter]): number {
  return one < other ? -1 : 1;
}

function letterIn(bytes: Uint8Array): Letter | undefined {
  try {
    const { origin, kind, body } = parseMessage(bytes);
    return origin === undefined ? undefined : { id: origin.id, from: origin.from, kind, body };
  } catch {
    return undefined;
  }
}
