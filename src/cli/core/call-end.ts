/** How a call of a tool ends when no connection waited for it. */
import { composeEngines } from '../../app/home/compose.ts';
import { answers } from '../../app/home/use-home.ts';
import type { Client } from '../../gateway/client/client.ts';
import { problemError } from '../../gateway/client/exchange.ts';
import type { WireCall } from '../../gateway/contract/contract.ts';
import { AosError, type ErrorCode } from '../../kernel/errors.ts';
import type { FileAnswer } from '../../kernel/files/request.ts';
import { reach } from './connect.ts';
import type { Context } from './context.ts';

export interface EndWait {
  /** How long to wait for it; without a limit when not said. */
  readonly mostMs?: number | undefined;
  readonly signal: AbortSignal;
}

// The daemon keeps no request waiting for longer than half a minute.
const onePollMs = 25_000;
const pauseMs = 200;
// A daemon that is started again has kept the call, and answers in a moment.
const passing: ReadonlySet<ErrorCode> = new Set(['daemon.down', 'gateway.not-ready']);

/** The call once it is over, or as it is when the time has passed. */
export async function waitForEnd(
  client: Client,
  id: string,
  { mostMs = Number.POSITIVE_INFINITY, signal }: EndWait,
): Promise<WireCall> {
  const { clock } = composeEngines();
  const deadline = clock.monotonicMs() + mostMs;
  for (;;) {
    const leftMs = deadline - clock.monotonicMs();
    const waitMs = Math.floor(Math.max(0, Math.min(onePollMs, leftMs)));
    try {
      const call = await client.toolCall(id, { waitMs, signal });
      if (isOver(call) || leftMs <= 0) return call;
    } catch (failure) {
      const isPassing = failure instanceof AosError && passing.has(failure.code);
      if (!isPassing || leftMs <= 0) throw failure;
      await clock.sleep(Math.min(pauseMs, leftMs), signal);
    }
  }
}

function isOver({ state }: WireCall): boolean {
  return state !== 'waiting' && state !== 'started';
}

const aMomentMs = 3000;

/**
 * What became of a call that goes on because of this command. A daemon does that by itself;
 * without one it runs in this process, which must not end before it.
 */
export async function endAfter<T extends { readonly call_id: string }>(
  context: Context,
  client: Client,
  answer: () => Promise<T>,
): Promise<{ readonly answer: T; readonly call: WireCall }> {
  const { signal } = context;
  const hasDaemon = await answers((await reach(context)).client, signal);
  const answered = await answer();
  const mostMs = hasDaemon ? aMomentMs : undefined;
  return { answer: answered, call: await waitForEnd(client, answered.call_id, { mostMs, signal }) };
}

/** What went wrong with a call, as the daemon would have answered a caller that had waited. */
export function errorOfCall({ call_id, error }: WireCall): AosError {
  const { code, message, fix, details } = error ?? { code: '', message: 'it has no result' };
  const known = typeof details === 'object' && details !== null ? details : {};
  return problemError(0, { code, detail: message, fix, details: { ...known, call_id } });
}

const endings = {
  waiting: 'waits',
  started: 'is still running',
  answered: 'is answered',
  failed: 'has failed',
  denied: 'was denied',
  unsure: 'is unsure',
} as const;

/** To follow "The call …". */
export function endWords(call: WireCall): string {
  const { call_id, state, error } = call;
  if (error !== null) return `${endings[state]}: ${error.message}`;
  if (state === 'started') return `is still running; "aos tool calls ${call_id}" shows its end`;
  const answer = fileAnswerOf(call);
  if (answer === undefined) return endings[state];
  if (answer.error !== undefined) return `is answered with an error: ${answer.error.message}`;
  return `is answered: ${answer.action_performed}`;
}

/** Of the file agent, which answers with an error where others fail. */
function fileAnswerOf({ tool, state, output }: WireCall): FileAnswer | undefined {
  const isOne = state === 'answered' && tool.startsWith('files.');
  const isShaped = typeof output === 'object' && output !== null && 'action_performed' in output;
  // The tools of these names answer nothing else.
  return isOne && isShaped ? (output as FileAnswer) : undefined;
}
