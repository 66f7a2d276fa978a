/**
 * The agent `file_agent`, to which others write: a request as JSON, or a sentence. It answers
 * the sender, and is made when it is written to for the first time.
 *
 * M1. What it does it does for the sender, under their grants and under its own: no sender gets
 *     through it what they may not have themselves.
 * M2. A message is read only when its answer is on disk. After a crash it is worked on again, as
 *     the same call, and the same answer is sent once.
 */
import { answered } from '../../files/answer.ts';
import { checkedRequest } from '../../files/input.ts';
import type { Understood } from '../../files/sentence.ts';
import { AosError, toReport } from '../../kernel/errors.ts';
import { fileAgentName } from '../../kernel/files/file-agent-name.ts';
import type { FileAnswer, FileRequest } from '../../kernel/files/request.ts';
import { type Message, priorities } from '../../kernel/message/message.ts';
import type { Clock } from '../../kernel/ports.ts';
import { early } from '../../kernel/turns.ts';
import { presenceOf } from '../../ledger/agents.ts';
import { mailboxSize } from '../../ledger/messages/messages.ts';
import type { BundledAgents } from '../../relay/deps.ts';
import type { RunningRelay } from '../../relay/open-relay.ts';
import type { MailboxItem } from '../../relay/relay.ts';
import { registerAgent } from '../../security/register.ts';
import { answerOfFailure, answerOfOutcome } from '../../toolbox/files/answer-of-outcome.ts';
import type { ToolCalls } from '../../tools/call.ts';
import type { CallOutcome } from '../../tools/outcome.ts';
import type { Log } from '../log.ts';
import type { Engines } from './compose.ts';
import type { OpenHome } from './open-home.ts';

export interface FileAgentMailDeps {
  readonly engines: Pick<Engines, 'clock' | 'disk' | 'random'>;
  readonly open: OpenHome;
  readonly log: Log;
  readonly relay: RunningRelay;
  readonly calls: ToolCalls;
}

/** For the relay, which has it made when a sender first writes to it. */
export function bundledFileAgent(
  engines: Pick<Engines, 'clock' | 'disk' | 'random'>,
  open: OpenHome,
  root: string,
): BundledAgents {
  let isMade = false;
  return {
    has: (name) => !isMade && name === fileAgentName,
    async make() {
      await makeFileAgent(engines, open, root);
      isMade = true;
    },
  };
}

/** What it may delete, the owner has to grant. */
async function makeFileAgent(
  engines: Pick<Engines, 'clock' | 'disk' | 'random'>,
  open: OpenHome,
  root: string,
): Promise<void> {
  const { ledger, grants, home } = open;
  if ((await presenceOf(ledger.committed, fileAgentName)) !== undefined) return;
  const principal = `agent:${fileAgentName}`;
  const capability = `file:${root === '/' ? '' : root}/**:read,write,move`;
  await registerAgent({ ...engines, ledger, grants }, home, {
    ...{ name: fileAgentName, actor: 'system', isBundled: true },
    also: async (_tx, changes) => {
      const facts = { parent: null, granted_by: 'system', origin: 'default', asks: 0 } as const;
      await changes.give({ principal, capability, ...facts });
    },
  });
}

const atOnce = 8;
const lookAgainMs = 20_000;
const onItsWayMs = 20;

export interface ServedFileAgent extends AsyncDisposable {
  /** There may be something in the mailbox of this recipient. */
  mailFor(recipient: string): void;
}

/** Answers its mail until it is disposed of. */
export function serveFileAgent(deps: FileAgentMailDeps): ServedFileAgent {
  const stop = new AbortController();
  // Rung, it stays so until it was looked at.
  let bell = Promise.withResolvers<void>();
  const nextBell = (): Promise<void> => {
    bell = Promise.withResolvers();
    return bell.promise;
  };
  const served = serve(deps, nextBell, stop.signal).catch((failure: unknown) => {
    if (!stop.signal.aborted) deps.log.error({ err: failure }, 'the file agent stopped answering');
  });
  return {
    mailFor: (recipient) => {
      if (recipient === fileAgentName) bell.resolve();
    },
    async [Symbol.asyncDispose]() {
      stop.abort(new AosError('tool.interrupted', { message: 'The daemon stops' }));
      await served;
    },
  };
}

async function serve(
  deps: FileAgentMailDeps,
  nextBell: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { relay, open, engines } = deps;
  const running = new Map<string, Promise<void>>();
  while (!signal.aborted) {
    // Before the look: what comes during it rings.
    const bell = nextBell();
    const presence = await presenceOf(open.ledger.committed, fileAgentName);
    const isThere = presence !== undefined && presence !== 'terminated';
    if (isThere) relay.heardFrom(fileAgentName);
    const mail = isThere ? await relay.mailboxes.list(fileAgentName, { limit: 4 * atOnce }) : [];
    for (const item of mail) {
      if (running.size >= atOnce || running.has(item.id)) continue;
      const work = settle(deps, item, signal).finally(() => running.delete(item.id));
      running.set(item.id, work);
    }
    const isFull = running.size >= atOnce;
    // What is on its way into the mailbox is counted before it can be seen.
    const { pending } = await mailboxSize(open.ledger.committed, fileAgentName);
    const restMs = !isFull && pending > running.size ? onItsWayMs : lookAgainMs;
    const until = isFull ? [bell, ...running.values()] : [bell];
    await rested(engines.clock, { signal, restMs, until });
  }
  await Promise.allSettled(running.values());
}

/** Until one of them, and not for ever: a sign of life is due now and then. */
async function rested(
  clock: Clock,
  {
    signal,
    restMs,
    until,
  }: {
    readonly signal: AbortSignal;
    readonly restMs: number;
    readonly until: readonly Promise<void>[];
  },
): Promise<void> {
  const enough = new AbortController();
  const waited = clock.sleep(restMs, AbortSignal.any([signal, enough.signal])).catch(() => {});
  await Promise.race([waited, ...until]);
  enough.abort(early);
}

async function settle(
  deps: FileAgentMailDeps,
  item: MailboxItem,
  signal: AbortSignal,
): Promise<void> {
  const { relay, log } = deps;
  try {
    // Receipts of what it has sent itself want no answer, nor do answers.
    if (item.kind === 'message' || item.kind === 'request') {
      await reply(deps, item, await answerTo(deps, item, signal));
    }
    // M2
    await relay.mailboxes.markRead(fileAgentName, [item.id]);
  } catch (failure) {
    if (signal.aborted) return;
    log.error({ error: toReport(failure), message: item.id }, 'a message was not answered');
    // One that breaks us would break us for ever.
    await relay.mailboxes.markRead(fileAgentName, [item.id]).catch(() => {});
  }
}

async function answerTo(
  { calls, open, log }: FileAgentMailDeps,
  { id, from, body }: MailboxItem,
  signal: AbortSignal,
): Promise<FileAnswer> {
  const principal = from === 'owner' ? 'owner' : `agent:${from}`;
  const sql = open.ledger.committed;
  const make = (tool: string, args: unknown, step: string): Promise<CallOutcome> =>
    calls.call({ ...{ principal, tool, args, signal }, key: `file_agent:${id}${step}` });
  try {
    const request = await requestIn(body, (sentence) =>
      make('files.understand', { sentence }, ':understand'),
    );
    if ('status' in request) return request;
    const { action, ...args } = request;
    return withWhoMay(await answerOfOutcome(sql, await make(`files.${action}`, args, '')));
  } catch (failure) {
    signal.throwIfAborted();
    return withWhoMay(answerOfAny(log, id, failure));
  }
}

/** A sender that waits for an answer gets one, whatever broke. */
function answerOfAny(log: Log, message: string, failure: unknown): FileAnswer {
  try {
    return answerOfFailure(failure);
  } catch {
    const isKnown = failure instanceof AosError && failure.code !== 'internal.bug';
    if (!isKnown) log.error({ err: failure, message }, 'a request to the file agent broke');
    return refused('FAILED', isKnown ? failure.message : 'That broke where it should not have');
  }
}

/** M1: it may be either of the two who may not. */
function withWhoMay(answer: FileAnswer): FileAnswer {
  if (answer.error?.code !== 'PERMISSION_DENIED') return answer;
  const fix = `You and ${fileAgentName} both need a grant for it: aos cap check NAME ACTION file:PATH --why`;
  return { ...answer, error: { ...answer.error, fix } };
}

/** Or why there is none. */
async function requestIn(
  body: string,
  understand: (sentence: string) => Promise<CallOutcome>,
): Promise<FileRequest | FileAnswer> {
  const text = body.trim();
  if (text.startsWith('{')) return requestInJson(text);
  const outcome = await understand(text);
  if (outcome.kind === 'failed') throw outcome.error;
  if (outcome.kind !== 'answered') return refused('NOT_UNDERSTOOD', 'That is not understood yet');
  // The tool of that name answers nothing else.
  const found = outcome.output as Understood;
  if (found.kind === 'understood') return found.request;
  if (found.kind === 'refused') return refused('OUT_OF_SCOPE', found.message);
  return refused('NOT_UNDERSTOOD', found.question);
}

function requestInJson(text: string): FileRequest | FileAnswer {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // What the parser says of a place in the text does not help the sender.
    return refused('INVALID_INPUT', 'The message begins as JSON and is none');
  }
  return checkedRequest(value);
}

function refused(code: string, message: string): FileAnswer {
  const error = { code, message };
  return answered({ status: 'error', words: 'Nothing was done', result: null, error }, 0);
}

async function reply(
  { relay }: FileAgentMailDeps,
  { id, from, thread, kind }: MailboxItem,
  answer: FileAnswer,
): Promise<void> {
  const message: Message = {
    ...{ to: from, kind: kind === 'request' ? 'response' : 'message', re: id, thread },
    ...{ priority: priorities.usual, attachments: [], headers: [] },
    dedupKey: `file_agent:${id}`,
    body: JSON.stringify(answer),
  };
  const [accepted] = await relay.accept([{ sender: fileAgentName, message }]);
  if (accepted?.kind === 'refused') throw accepted.error;
}
