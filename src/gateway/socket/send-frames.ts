/**
 * Messages that a client sends over a WebSocket, many in a frame.
 *
 * S1. Frames are accepted in the order in which they came, also when one has to wait.
 * S2. A sender above its rate, or with too many frames under way, is not read from.
 *     Nothing is dropped.
 * S3. A frame has one answer, once everything in it is on disk or refused.
 */
import type { WebSocket } from 'ws';
import type { Message } from '../../kernel/message/message.ts';
import { checkMessage } from '../../kernel/message/text.ts';
import type { Acceptance, IncomingMessage, PrincipalName } from '../../relay/envelope.ts';
import type { SendResult, SocketRequest } from '../contract/socket.ts';
import { checkAttachments, messageOf } from '../routes/views/message-wire.ts';
import { actingName } from '../server/authenticate.ts';
import { hiddenBug, knownFailure, problemOf } from '../server/problem.ts';
import type { MailDeps, MailReader } from './mail-attachment.ts';
import type { SocketBrake, SocketWriter } from './socket-writer.ts';

type Frame = SocketRequest<'send'>;

const mostUnderWay = 8;

export interface SendFramesParts {
  readonly deps: MailDeps;
  readonly reader: MailReader;
  readonly socket: WebSocket;
  readonly writer: SocketWriter;
  readonly brake: SocketBrake;
  readonly gone: AbortSignal;
}

export class SendFrames {
  readonly #parts: SendFramesParts;
  readonly #waiting: Frame[] = [];
  readonly #senders = new Map<string, PrincipalName>();
  #running: Promise<void> | undefined;
  #underWay = 0;
  #onRoom: (() => void) | undefined;
  #onIdle: (() => void) | undefined;

  constructor(parts: SendFramesParts) {
    this.#parts = parts;
  }

  add(frame: Frame): void {
    this.#waiting.push(frame);
    this.#running ??= this.#run();
  }

  /** Resolves when nothing that was accepted waits for its answer any more. */
  async ended(): Promise<void> {
    await this.#running;
    if (this.#underWay === 0) return;
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
  }

  async #run(): Promise<void> {
    const { gone, socket, deps } = this.#parts;
    try {
      for (let frame = this.#waiting.shift(); frame !== undefined && !gone.aborted; ) {
        await this.#begin(frame);
        frame = this.#waiting.shift();
      }
    } catch (failure) {
      // A handle that was revoked, or the end of the connection while it was slowed down.
      socket.terminate();
      if (gone.aborted || knownFailure(failure) !== undefined) return;
      deps.log.error({ err: failure }, 'a WebSocket broke');
    } finally {
      this.#running = undefined;
    }
  }

  /** S1: resolves as soon as the next frame may begin. */
  async #begin(frame: Frame): Promise<void> {
    const { reader, brake, deps } = this.#parts;
    const admitted = reader.stillAdmitted();
    if (admitted instanceof Promise) await admitted;
    const results: SendResult[] = [];
    const batch: IncomingMessage[] = [];
    const places: number[] = [];
    for (const [place, raw] of frame.messages.entries()) {
      const taken = this.#messageIn(raw);
      const incoming = taken instanceof Promise ? await taken : taken;
      if ('problem' in incoming) results[place] = incoming;
      else {
        batch.push(incoming);
        places.push(place);
      }
    }
    // S2
    const slowed = this.#slowed(batch);
    if (slowed !== undefined) await brake.during(slowed);
    if (this.#underWay >= mostUnderWay) await brake.during(this.#room());
    this.#underWay++;
    const accepting = batch.length === 0 ? Promise.resolve([]) : deps.relay.accept(batch);
    accepting.then(
      (acceptances) => this.#answer(frame, results, places, acceptances.map(resultOf)),
      (failure: unknown) => {
        const problem = this.#problem(failure);
        this.#answer(
          frame,
          results,
          places,
          places.map(() => ({ problem })),
        );
      },
    );
  }

  #messageIn(raw: unknown): IncomingMessage | Problematic | Promise<IncomingMessage | Problematic> {
    const checked = this.#parts.deps.checks.outgoing(raw);
    if (checked.kind === 'bad') return { problem: problemOf(checked.error) };
    const { value } = checked;
    try {
      const message = messageOf(value);
      checkMessage(message);
      const sender = this.#senders.get(value.from ?? '');
      const needsLook = sender === undefined || message.attachments.length > 0;
      return needsLook ? this.#lookUp(value.from, message) : { sender, message };
    } catch (failure) {
      return { problem: this.#problem(failure) };
    }
  }

  async #lookUp(
    from: string | undefined,
    message: Message,
  ): Promise<IncomingMessage | Problematic> {
    const { deps, reader } = this.#parts;
    try {
      await checkAttachments(deps, reader.caller, message);
      return { sender: await this.#senderOf(from), message };
    } catch (failure) {
      return { problem: this.#problem(failure) };
    }
  }

  async #senderOf(named: string | undefined): Promise<PrincipalName> {
    const { deps, reader } = this.#parts;
    const sender = await actingName(deps.ledger, reader.caller, named);
    this.#senders.set(named ?? '', sender);
    return sender;
  }

  #slowed(batch: readonly IncomingMessage[]): Promise<unknown> | undefined {
    const { deps, gone } = this.#parts;
    const { rate } = deps.relay;
    const counts = new Map<PrincipalName, number>();
    for (const { sender } of batch) counts.set(sender, (counts.get(sender) ?? 0) + 1);
    const waits: Promise<void>[] = [];
    for (const [sender, wanted] of counts) {
      const taken = rate.take(sender, wanted);
      if (taken < wanted) waits.push(rate.pass(sender, wanted - taken, gone));
    }
    return waits.length === 0 ? undefined : Promise.all(waits);
  }

  #room(): Promise<void> {
    return new Promise((resolve) => {
      this.#onRoom = resolve;
    });
  }

  /** S3 */
  #answer(
    { ref = null }: Frame,
    results: SendResult[],
    places: readonly number[],
    found: readonly SendResult[],
  ): void {
    for (const [index, place] of places.entries()) {
      const result = found[index];
      if (result !== undefined) results[place] = result;
    }
    // Not before it has left: who does not read the answers gets no more of them.
    this.#parts.writer.write({ type: 'accepted', ref, results }, () => {
      this.#underWay--;
      this.#onRoom?.();
      if (this.#underWay === 0) this.#onIdle?.();
    });
  }

  #problem(failure: unknown): Problematic['problem'] {
    const known = knownFailure(failure);
    if (known === undefined) this.#parts.deps.log.error({ err: failure }, 'a message broke');
    return problemOf(known ?? hiddenBug('a message over a WebSocket'));
  }
}

type Problematic = Extract<SendResult, { problem: unknown }>;

function resultOf(acceptance: Acceptance): SendResult {
  if (acceptance.kind === 'refused') return { problem: problemOf(acceptance.error) };
  const { kind: state, id } = acceptance;
  return { id, state, recipients: acceptance.kind === 'accepted' ? acceptance.recipients : null };
}
