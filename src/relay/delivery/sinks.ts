/** Who is attached to which mailbox, and what was pushed to them and is not read yet. */
import type { Queue } from '../../ledger/messages/deliveries.ts';
import type { Mail } from '../../ledger/messages/find-mail.ts';
import type { Party } from '../envelope.ts';
import type { Outgoing } from '../mail.ts';
import type { PushSink } from '../relay.ts';

export class Sinks {
  readonly #byRecipient = new Map<Party, PushSink[]>();
  /** By the id of the message. */
  readonly #unread = new Map<PushSink, Map<string, Outgoing>>();

  /** The one through which this queue goes now; undefined when there is none. */
  of({ recipient, subscription }: Queue): PushSink | undefined {
    const wanted = { subscription: subscription === 0 ? null : subscription };
    return this.#byRecipient.get(recipient)?.find((sink) => sink.wants(wanted));
  }

  /** Those who have somebody attached. */
  recipients(): readonly Party[] {
    return [...this.#byRecipient.keys()];
  }

  add(recipient: Party, sink: PushSink): void {
    this.#byRecipient.set(recipient, [...(this.#byRecipient.get(recipient) ?? []), sink]);
    this.#unread.set(sink, new Map());
  }

  /** What it was pushed and has not read. */
  remove(recipient: Party, sink: PushSink): readonly Outgoing[] {
    const others = (this.#byRecipient.get(recipient) ?? []).filter((other) => other !== sink);
    if (others.length === 0) this.#byRecipient.delete(recipient);
    else this.#byRecipient.set(recipient, others);
    const unread = [...(this.#unread.get(sink)?.values() ?? [])];
    this.#unread.delete(sink);
    return unread;
  }

  pushed(sink: PushSink, batch: readonly Outgoing[]): void {
    const unread = this.#unread.get(sink);
    for (const outgoing of batch) unread?.set(outgoing.mail.message_id, outgoing);
  }

  notPushed(sink: PushSink, batch: readonly Outgoing[]): void {
    const unread = this.#unread.get(sink);
    for (const { mail } of batch) unread?.delete(mail.message_id);
  }

  /** What was pushed to the recipient under this id, and not read. */
  pushedMail(recipient: Party, messageId: string): Mail | undefined {
    for (const sink of this.#byRecipient.get(recipient) ?? []) {
      const pushed = this.#unread.get(sink)?.get(messageId);
      if (pushed !== undefined) return pushed.mail;
    }
    return undefined;
  }

  read(recipient: Party, messageId: string): void {
    for (const sink of this.#byRecipient.get(recipient) ?? []) {
      this.#unread.get(sink)?.delete(messageId);
    }
  }

  /** Those of the batch whose sink has left before it was noted that they were pushed. */
  leftBehind(recipient: Party, batch: readonly Outgoing[]): readonly Outgoing[] {
    const sinks = this.#byRecipient.get(recipient) ?? [];
    return batch.filter(
      ({ mail }) => !sinks.some((sink) => this.#unread.get(sink)?.has(mail.message_id) === true),
    );
  }
}
