/** Those who send: by calling the relay, or by putting a file into an outbox. */
import { AosError } from '../../src/kernel/errors.ts';
import type { Message } from '../../src/kernel/message/message.ts';
import { printMessage } from '../../src/kernel/message/text.ts';
import { home, type RelayWorld } from './relay-world.ts';

export type Draft = Pick<Message, 'to'> & Partial<Message>;

export class SimulatedSenders {
  readonly #world: RelayWorld;
  #sent = 0;
  /** Of each stream, the chunk that comes next. */
  readonly #chunks = new Map<string, number>();

  constructor(world: RelayWorld) {
    this.#world = world;
  }

  /** Something that the seed chooses, from one of the agents or from the owner. */
  async sendAny(): Promise<void> {
    const { dice, plan } = this.#world;
    const names = plan.agents.map(({ name }) => name);
    const sender = dice.chance(8) ? 'owner' : (dice.oneOf(names) ?? 'owner');
    const way = dice.below(100);
    if (way < 8) return this.#sendChunk(sender, names);
    const draft = this.#draft(names);
    if (plan.outboxes && sender !== 'owner' && way < 45) return this.#sendFile(sender, draft);
    if (way > 90) return this.#sendBatch(sender, draft, names);
    if (draft.dedupKey !== undefined && dice.chance(60)) return this.#sendTwice(sender, draft);
    await this.send(sender, draft);
  }

  /** The id, when the relay has answered with one. */
  async send(sender: string, draft: Draft): Promise<string | undefined> {
    const [id] = await this.#sendAll(sender, [draft]);
    return id;
  }

  #draft(names: readonly string[]): Draft {
    const { dice } = this.#world;
    const name = dice.oneOf(names) ?? 'owner';
    const to = dice.pick([name, name, name, name, name, '*', '#talk', 'Lead', 'owner', 'nobody']);
    const kind = to === name && dice.chance(25) ? 'request' : 'message';
    return {
      to,
      kind,
      priority: dice.pick([5, 5, 5, 5, 1, 9]),
      ...(dice.chance(15) ? { ttlMs: dice.pick([1000, 1500, 10_000]) } : {}),
      ...(dice.chance(20) ? { dedupKey: `k${dice.below(1_000_000)}` } : {}),
      ...(dice.chance(10) ? { receipt: 'read' as const } : {}),
    };
  }

  async #sendChunk(sender: string, names: readonly string[]): Promise<void> {
    const { dice } = this.#world;
    const to = dice.oneOf(names) ?? 'owner';
    const stream = `${sender} ${to}`;
    const index = this.#chunks.get(stream) ?? 0;
    const chunk = { index, end: dice.chance(5) };
    const id = await this.send(sender, { to, kind: 'stream', thread: 'flow', chunk });
    if (id !== undefined) this.#chunks.set(stream, index + 1);
  }

  async #sendBatch(sender: string, first: Draft, names: readonly string[]): Promise<void> {
    const count = 2 + this.#world.dice.below(9);
    const drafts = Array.from({ length: count }, () => this.#draft(names));
    // A burst to one mailbox is where order can break.
    const isBurst = this.#world.dice.chance(60);
    const batch = isBurst ? drafts.map(() => ({ ...first, dedupKey: undefined })) : drafts;
    await this.#sendAll(sender, batch);
  }

  /** Whoever got no answer sends it again under the same key; so may anybody. */
  async #sendTwice(sender: string, draft: Draft): Promise<void> {
    const { clock, dice } = this.#world;
    const message = this.#compose(draft);
    void this.#hand(sender, [message]);
    await clock.sleep(dice.pick([0, 50, 3000]));
    await this.#hand(sender, [message]);
    await clock.sleep(8000);
    await this.#hand(sender, [message]);
  }

  #sendAll(sender: string, drafts: readonly Draft[]): Promise<(string | undefined)[]> {
    return this.#hand(
      sender,
      drafts.map((draft) => this.#compose(draft)),
    );
  }

  #compose(draft: Draft): Message {
    const body = `m${++this.#sent}`;
    return { kind: 'message', priority: 5, attachments: [], headers: [], body, ...draft };
  }

  async #hand(sender: string, messages: readonly Message[]): Promise<(string | undefined)[]> {
    const world = this.#world;
    const { node } = world;
    if (node === undefined) return [];
    for (const message of messages) this.#noteSent(sender, message);
    try {
      const answers = await node.relay.accept(messages.map((message) => ({ sender, message })));
      return messages.map(({ body: key }, place) => {
        const answer = answers[place];
        if (answer === undefined) return undefined;
        if (answer.kind === 'refused') {
          world.note(`refused ${key}: ${answer.error.code}`);
          return undefined;
        }
        world.saw({ kind: 'acknowledged', key, id: answer.id });
        return answer.id;
      });
    } catch (failure) {
      world.note(`not accepted: ${String(failure)}`);
      return [];
    }
  }

  #noteSent(sender: string, { body, to, priority }: Message): void {
    this.#world.saw({ kind: 'sent', key: body, sender, to, priority, body });
  }

  /** Seed 003, 3.1. An agent dies with the machine, at whatever step it is. */
  async #sendFile(sender: string, draft: Draft): Promise<void> {
    const { disk, clock, dice, boots } = this.#world;
    const message = this.#compose(draft);
    this.#noteSent(sender, message);
    const outbox = `${home}/agents/${sender}/outbox`;
    const name = `${clock.now()}${String(this.#sent).padStart(6, '0')}-0000abcd.msg`;
    const pending = `${outbox}/.pending/${name}`;
    try {
      await using writer = await disk.create(pending);
      await writer.append(Buffer.from(printMessage(message)));
      await clock.sleep(dice.pick([0, 0, 3, 150]));
      await writer.sync();
      await disk.rename(pending, `${outbox}/${name}`);
      await clock.sleep(dice.pick([0, 0, 3]));
      await disk.syncFolder(outbox);
      await disk.syncFolder(`${outbox}/.pending`);
    } catch (failure) {
      const isExpected = failure instanceof AosError || this.#world.boots !== boots;
      if (!isExpected) throw failure;
      return;
    }
    if (this.#world.boots === boots) this.#world.saw({ kind: 'stored', key: message.body });
  }
}
