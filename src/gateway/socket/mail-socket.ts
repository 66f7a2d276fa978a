/** Messages over a WebSocket, both ways. */
import type { WebSocket } from 'ws';
import { AosError } from '../../kernel/errors.ts';
import type { Clock } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import type { PrincipalName } from '../../relay/envelope.ts';
import type { Mailboxes } from '../../relay/relay.ts';
import { mostItems } from '../../verbs/limits.ts';
import type { SocketMessage, SocketRef, SocketRequest } from '../contract/socket.ts';
import { actingName } from '../server/authenticate.ts';
import { badRequest, hiddenBug, knownFailure, problemOf } from '../server/problem.ts';
import {
  type LiveMail,
  MailAttachment,
  type MailDeps,
  type MailReader,
} from './mail-attachment.ts';
import { SendFrames } from './send-frames.ts';
import type { SocketBrake, SocketWriter } from './socket-writer.ts';

export interface MailSocketParts {
  readonly socket: WebSocket;
  readonly writer: SocketWriter;
  readonly brake: SocketBrake;
  readonly gone: AbortSignal;
}

interface Attached extends AsyncDisposable {
  readonly mail: MailAttachment;
}

const mostAttached = 1000;

export class MailSocket implements AsyncDisposable {
  readonly #deps: MailDeps;
  readonly #reader: MailReader;
  readonly #parts: MailSocketParts;
  readonly #frames: SendFrames;
  readonly #attached = new Map<PrincipalName, Attached>();
  /** Attaching and detaching happen one after another. */
  #turn: Promise<void> = Promise.resolve();

  constructor(deps: MailDeps, reader: MailReader, parts: MailSocketParts) {
    this.#deps = deps;
    this.#reader = reader;
    this.#parts = parts;
    this.#frames = new SendFrames({ deps, reader, ...parts });
  }

  send(frame: SocketRequest<'send'>): void {
    this.#frames.add(frame);
  }

  read({ as, ids }: SocketRequest<'read'>): void {
    const { caller } = this.#reader;
    const principal = as ?? (caller.kind === 'owner' ? 'owner' : caller.name);
    const attached = this.#attached.get(principal);
    if (attached === undefined) throw notAttached(principal);
    attached.mail.read(ids);
  }

  attach({ ref = null, as, event_types: types, messages }: SocketRequest<'attach'>): void {
    this.#inTurn(ref, async () => {
      const principal = await actingName(this.#deps.ledger, this.#reader.caller, as);
      const before = this.#attached.get(principal);
      if (before === undefined && this.#attached.size >= mostAttached) throw tooManyAttached();
      const subscriptions = types === undefined ? undefined : await this.#idsOf(principal, types);
      const mail = new MailAttachment({
        ...this.#parts,
        mailboxes: this.#deps.relay.mailboxes,
        log: this.#deps.log,
        clock: this.#deps.clock,
        reader: this.#reader,
        principal,
        subscriptions,
        wantsMessages: messages ?? types === undefined,
      });
      if (this.#parts.gone.aborted) return;
      this.#tell({ type: 'attached', ref, as: principal });
      this.#attached.set(principal, this.#serve(principal, mail, messages ?? types === undefined));
      await before?.[Symbol.asyncDispose]();
    });
  }

  #serve(principal: PrincipalName, mail: MailAttachment, wantsMessages: boolean): Attached {
    const { live, clock, relay, log } = this.#deps;
    const { mailboxes } = relay;
    const backlog = { mailboxes, live, clock };
    live.add(principal, mail);
    let held: AsyncDisposable | undefined;
    const left = new AbortController();
    const serving = async (): Promise<void> => {
      if (wantsMessages) await pushBacklog(backlog, principal, mail);
      if (mail.isOver) return;
      held = mailboxes.attach(principal, mail);
      if (wantsMessages) await pushStragglers(backlog, principal, { mail, gone: left.signal });
    };
    const served = serving().catch((failure: unknown) => {
      if (!mail.isOver) log.warn({ err: failure, principal }, 'mail could not be pushed');
    });
    return {
      mail,
      [Symbol.asyncDispose]: async () => {
        mail.end();
        left.abort();
        await served;
        await mail.ended();
        live.remove(principal, mail);
        await held?.[Symbol.asyncDispose]();
      },
    };
  }

  detach({ ref = null, as }: SocketRequest<'detach'>): void {
    this.#inTurn(ref, async () => {
      const principal = await actingName(this.#deps.ledger, this.#reader.caller, as);
      const attached = this.#attached.get(principal);
      if (attached === undefined) throw notAttached(principal);
      this.#attached.delete(principal);
      await attached[Symbol.asyncDispose]();
      this.#tell({ type: 'detached', ref, as: principal });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { mail } of this.#attached.values()) mail.end();
    await this.#turn;
    await this.#frames.ended();
    const all = [...this.#attached.values()];
    this.#attached.clear();
    await Promise.all(all.map((attached) => attached[Symbol.asyncDispose]()));
  }

  #inTurn(ref: SocketRef, work: () => Promise<void>): void {
    this.#turn = this.#turn.then(work).catch((failure: unknown) => {
      const known = knownFailure(failure);
      if (known === undefined) this.#deps.log.error({ err: failure }, 'a WebSocket broke');
      const problem = problemOf(known ?? hiddenBug('a message over a WebSocket'));
      this.#tell({ type: 'error', ref, problem });
    });
  }

  // Whether it arrived, the end of the connection tells.
  #tell(message: SocketMessage): void {
    this.#parts.writer.write(message, () => {});
  }

  async #idsOf(principal: PrincipalName, types: readonly string[]): Promise<ReadonlySet<number>> {
    const known = await this.#deps.relay.groups.subscriptions(principal);
    const ids = types.map((type) => {
      const found = known.find(({ eventType }) => eventType === type);
      if (found === undefined) throw notSubscribed(principal, type);
      return found.id;
    });
    return new Set(ids);
  }
}

function notAttached(principal: PrincipalName): AosError {
  return badRequest(
    `This connection is not attached to the messages of ${quote(principal.slice(0, 100))}`,
    'Send {"type":"attach"} first',
  );
}

function notSubscribed(principal: PrincipalName, type: string): AosError {
  return badRequest(
    `${quote(principal)} has not subscribed to events of the type ${quote(type.slice(0, 100))}`,
    'POST /api/v1/subscriptions first',
  );
}

function tooManyAttached(): AosError {
  return new AosError('gateway.too-many', {
    message: `A connection can be attached to the messages of ${mostAttached} agents, and not to more`,
    fix: 'Open one more connection',
  });
}

// What lies unread in the inbox folder when a reader attaches: it came first, so it is
// pushed first.

interface BacklogDeps {
  readonly mailboxes: Pick<Mailboxes, 'list'>;
  readonly live: LiveMail;
  readonly clock: Clock;
}

async function pushBacklog(
  { mailboxes, live }: BacklogDeps,
  principal: PrincipalName,
  mail: MailAttachment,
): Promise<void> {
  while (!mail.isOver) {
    const unread = await mailboxes.list(principal, { limit: mostItems });
    // What is still to be delivered, the relay pushes; what the reader has, it has.
    const lying = unread.filter(
      ({ id, state }) => state === 'delivered' && !live.has(principal, id),
    );
    if (lying.length === 0) return;
    await mail.push(lying);
    if (unread.length < mostItems) return;
    // A look shows the first only, so these must be read before the next shows more.
    await mail.allRead();
  }
}

// A file is written in less than the first; the others are for a disk that is busy.
const straggling = [10, 100, 1000, 5000] as const;

/**
 * What was on its way to the inbox folder at the moment of attaching, which is not seen
 * until it is there.
 */
async function pushStragglers(
  deps: BacklogDeps,
  principal: PrincipalName,
  { mail, gone }: { readonly mail: MailAttachment; readonly gone: AbortSignal },
): Promise<void> {
  for (const pauseMs of straggling) {
    await deps.clock.sleep(pauseMs, gone);
    await pushBacklog(deps, principal, mail);
  }
}
