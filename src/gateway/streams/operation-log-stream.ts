/**
 * The log of an operation as server-sent events, for one reader: "log" with the number of the
 * line as its id, "state", and "end" when it is over and all lines were written.
 */
import type { ServerResponse } from 'node:http';
import { AosError } from '../../kernel/errors.ts';
import type { Clock } from '../../kernel/ports.ts';
import type { OperationRow } from '../../ledger/operations/operations.ts';
import type { AgentRuntime } from '../../runtime/runtime.ts';
import { statusOf } from '../routes/views/operation-wire.ts';
import { knownFailure } from '../server/problem.ts';
import { drained, eventText } from './event-stream-answer.ts';
import { type FeedDeps, isTooSlow } from './feed-connection.ts';
import { GoalWatch } from './goal-watch.ts';

export interface LogStreamDeps {
  readonly clock: Clock;
  readonly feeds: FeedDeps;
  readonly runtime?: Pick<AgentRuntime, 'followers'> | undefined;
}

export interface OperationLogReader {
  readonly id: string;
  /** The last line that it has. */
  readonly after: number;
  /** As it is now; throws when the reader may not see it any more. */
  look(): Promise<OperationRow>;
  lines(): Promise<readonly string[]>;
}

const lookMs = 500;

/** Takes the response over and writes to it until the operation is over or one side ends it. */
export async function answerWithLog(
  deps: LogStreamDeps,
  reader: OperationLogReader,
  {
    response,
    headers,
  }: { readonly response: ServerResponse; readonly headers: Readonly<Record<string, string>> },
): Promise<void> {
  const { feeds, clock, runtime } = deps;
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const type = { 'content-type': 'text/event-stream; charset=utf-8', connection: 'close' };
  response.writeHead(200, { ...headers, ...type });
  const signal = AbortSignal.any([gone.signal, feeds.closing]);
  feeds.metrics.feedClients++;
  try {
    using watch = new GoalWatch(clock, runtime?.followers, reader.id);
    await writeAll(deps, reader, { response, signal, watch });
    response.end();
  } catch (failure) {
    response.destroy();
    // The reader hears of it when it comes again.
    if (knownFailure(failure) === undefined) throw failure;
  } finally {
    feeds.metrics.feedClients--;
  }
}

async function writeAll(
  { clock, feeds }: LogStreamDeps,
  reader: OperationLogReader,
  {
    response,
    signal,
    watch,
  }: {
    readonly response: ServerResponse;
    readonly signal: AbortSignal;
    readonly watch: GoalWatch;
  },
): Promise<void> {
  let place = reader.after;
  let told: string | undefined;
  let heardAt = clock.monotonicMs();
  const write = async (text: string): Promise<void> => {
    heardAt = clock.monotonicMs();
    if (response.write(text)) return;
    if (await isTooSlow(feeds, drained(response), signal)) throw tooSlow();
  };
  while (!signal.aborted) {
    const row = await reader.look();
    const status = statusOf(row);
    for (const line of (await reader.lines()).slice(place)) {
      await write(`id: ${++place}\n${eventText('log', line)}`);
    }
    if (status !== told) await write(eventText('state', { status }));
    told = status;
    if (status !== 'pending' && status !== 'running') {
      await write(eventText('end', { status }));
      return;
    }
    if (clock.monotonicMs() - heardAt >= feeds.limits.heartbeatMs) await write(': still there\n\n');
    await watch.next(lookMs, signal);
    watch.beginBehind(place);
  }
}

function tooSlow(): AosError {
  return new AosError('gateway.slow-request', { message: 'Nobody took what was written' });
}
