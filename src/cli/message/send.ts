/** `aos send`: a message, with attachments. */
import { Argument, type Command, Option } from 'commander';
import { agentOf } from '../../app/config/config.ts';
import { composeEngines, type Engines } from '../../app/home/compose.ts';
import type { Client } from '../../gateway/client/client.ts';
import type { Answer, WireHistory, WireOutgoing } from '../../gateway/contract/contract.ts';
import { AosError, type ErrorCode } from '../../kernel/errors.ts';
import { messageKinds, priorities, retryDelayMs } from '../../kernel/message/message.ts';
import { must } from '../../kernel/must.ts';
import { oneLine, quote } from '../../kernel/text/quote.ts';
import { withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { durationOf, fileParts, numberOf, readText } from '../core/input.ts';
import { counted } from '../core/words.ts';

interface SendOptions {
  readonly from?: string;
  readonly as?: string;
  readonly kind?: WireOutgoing['kind'];
  readonly thread?: string;
  readonly priority?: string;
  readonly re?: string;
  readonly ttl?: string;
  readonly attach?: readonly string[];
  readonly dedup?: string;
  readonly event?: string;
  readonly receipt?: true;
  readonly wait?: WaitedState;
  readonly timeout: string;
}

export function defineSend(command: Command, context: Context): void {
  command
    .addArgument(new Argument('<to>', 'a name, "*" for all, "#channel", Lead, or owner'))
    .addArgument(new Argument('[text]', 'the message; "-", or nothing, reads what is piped in'))
    .option('--from <agent>', 'send as this agent (AOS_AGENT, else owner)')
    .option('--as <agent>', 'the same as --from')
    .addOption(new Option('--kind <kind>', 'what it is (message)').choices([...messageKinds]))
    .option('--thread <thread>', 'the conversation that it belongs to')
    .option('--priority <n>', '0 comes first, 9 last (5)')
    .option('--re <id>', 'the message that it answers')
    .option('--ttl <time>', 'expire when it is not read by then, as 15m or 2h (7d)')
    .option('--attach <file>', 'send this file along (may be repeated)', collect)
    .option('--dedup <key>', 'send nothing when this sender has used the key before')
    .option('--event <type>', 'an event of this type, for all who subscribed to it')
    .option('--receipt', 'be told when it has been read')
    .addOption(
      new Option('--wait <state>', 'wait until everybody has got that far').choices([
        ...waitedStates,
      ]),
    )
    .option('--timeout <time>', 'how long --wait waits', '60s')
    .addHelpText(
      'after',
      '\nEnds well once the message cannot be lost any more; "aos why ID" says what became of it.\nQuote "*" and "#channel", which mean something to your shell.\n\nExamples:\n  aos send jean "Please look at the build"\n  aos send \'#news\' --from jean "Done" --thread build-7\n  git diff | aos send jean - --kind request --wait acked --timeout 10m\n  aos send jean "The log" --attach build.log',
    )
    .action((to: string, text: string | undefined, options: SendOptions) =>
      send(context, { to, text, options }),
    );
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

interface MessageSending {
  readonly to: string;
  readonly text: string | undefined;
  readonly options: SendOptions;
}

async function send(context: Context, { to, text, options }: MessageSending): Promise<void> {
  const engines = composeEngines();
  const message = messageOf(context, engines, to, options);
  const timeoutMs = durationOf('--timeout', options.timeout);
  // Of an attachment the text may be left out.
  const isNeeded = options.attach === undefined || text !== undefined;
  if (options.wait === 'acked' && options.kind !== 'request') throw endsWhenRead(options.kind);
  const body = isNeeded ? await readText(context.terminal.input, text) : '';
  const sent = await withHome(context, { holder: 'aos send' }, async (client) => {
    const attachments = await attach(engines, client, options.attach ?? [], context.signal);
    const accepted = await sendWithRetries(engines, context, () =>
      client.send({ ...message, body, attachments }, { signal: context.signal }),
    );
    if (options.wait === undefined) return accepted;
    const deliveries = await waitForState(engines, client, {
      id: accepted.id,
      state: options.wait,
      timeoutMs,
      signal: context.signal,
    });
    return { ...accepted, deliveries };
  });
  context.print({ data: sent, text: words(to, sent, options.wait) });
}

function messageOf(
  context: Context,
  { random }: Engines,
  to: string,
  options: SendOptions,
): WireOutgoing {
  const { kind, thread, re, event, dedup, priority, ttl } = options;
  return {
    to,
    kind: kind ?? (event === undefined ? undefined : 'event'),
    thread,
    re,
    event_type: event,
    priority:
      priority === undefined
        ? undefined
        : numberOf('--priority', priority, { least: priorities.highest, most: priorities.lowest }),
    ttl_ms: ttl === undefined ? undefined : durationOf('--ttl', ttl),
    receipt: options.receipt === true ? 'read' : undefined,
    // A send that is tried again, because the answer to it was lost, is still one message.
    dedup_key: dedup ?? `aos-send-${Buffer.from(random.bytes(16)).toString('hex')}`,
    from: options.from ?? options.as ?? agentOf(context.environment),
  };
}

async function attach(
  { disk }: Engines,
  client: Client,
  files: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  const hashes: string[] = [];
  for (const file of files) {
    const { hash } = await client.putAttachment(fileParts(disk, file), { signal });
    hashes.push(hash);
  }
  return hashes;
}

const mostTries = 5;
const passing: ReadonlySet<ErrorCode> = new Set(['disk.full', 'ledger.full', 'gateway.too-many']);

/** A full disk may have room again in a moment: the oldest of the archive is being removed. */
async function sendWithRetries<T>(
  { clock, random }: Engines,
  { signal }: Context,
  work: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (failure) {
      const isPassing = failure instanceof AosError && passing.has(failure.code);
      if (!isPassing || tries === mostTries) throw failure;
    }
    const byte = must(random.bytes(1)[0], 'a byte of chance');
    await clock.sleep(retryDelayMs(tries, byte / 256), signal);
  }
}

function endsWhenRead(kind = 'message'): AosError {
  return new AosError('usage.bad-value', {
    message: `A message of the kind ${kind} ends when it is read; only a request is acknowledged`,
    fix: 'Use --wait read, or --kind request',
  });
}

const waitWords: Readonly<Record<WaitedState, string>> = {
  delivered: 'delivered to',
  read: 'read by',
  acked: 'acknowledged by',
};

function words(to: string, sent: Answer<'send'>, wait: WaitedState | undefined): string {
  const { id, state, recipients } = sent;
  if (state === 'duplicate') return `Message ${id} had been sent before; nothing was sent now.`;
  const whom = recipients === 1 ? oneLine(to) : counted(recipients ?? 0, 'recipient');
  if (to === '__orchestrator__') return `Message ${id} was taken by the orchestrator.`;
  if (recipients === 0) return `Message ${id} waits: nobody is there for ${oneLine(to)} yet.`;
  return wait === undefined
    ? `Message ${id} is on its way to ${whom}.`
    : `Message ${id} is ${waitWords[wait]} ${whom}.`;
}

/** In the order in which a delivery goes through them. */
const waitedStates = ['delivered', 'read', 'acked'] as const;
type WaitedState = (typeof waitedStates)[number];

interface DeliveryWait {
  readonly id: string;
  readonly state: WaitedState;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const lookAgainMs = 200;

/** Until every delivery of the message is that far; throws when one never will be. */
async function waitForState(
  { clock }: Engines,
  client: Client,
  { id, state, timeoutMs, signal }: DeliveryWait,
): Promise<WireHistory['deliveries']> {
  const deadline = clock.monotonicMs() + timeoutMs;
  for (;;) {
    const { deliveries } = await client.message(id, { signal });
    const failed = deliveries.find((one) => one.state === 'expired' || one.state === 'dead');
    if (failed !== undefined) throw undelivered(id, failed);
    const behind = deliveries.filter((one) => placeOf(one.state) < placeOf(state));
    if (behind.length === 0 && deliveries.length > 0) return deliveries;
    if (clock.monotonicMs() >= deadline) throw notYet(id, state, behind);
    await clock.sleep(lookAgainMs, signal);
  }
}

function placeOf(state: string): number {
  const inOrder: readonly string[] = waitedStates;
  return inOrder.indexOf(state);
}

type Delivery = WireHistory['deliveries'][number];

function undelivered(id: string, { recipient, state, error }: Delivery): AosError {
  const why = error === null ? '' : `: ${error}`;
  const what = state === 'dead' ? 'could not be delivered' : 'has expired';
  return new AosError('message.undelivered', {
    message: `Message ${id} to ${quote(recipient)} ${what}${why}`,
    fix: `aos why ${id}`,
    details: { id, recipient, state },
  });
}

function notYet(id: string, state: WaitedState, behind: readonly Delivery[]): AosError {
  const [first] = behind;
  const who = first === undefined ? 'Nobody' : quote(first.recipient);
  const how = first === undefined ? 'has got it yet' : `is at "${first.state}", not "${state}"`;
  return new AosError('message.not-yet', {
    message: `Message ${id} was sent, and ${who} ${how}`,
    fix: `aos why ${id}`,
    details: { id, behind },
  });
}
