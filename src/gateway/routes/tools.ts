import { AosError } from '../../kernel/errors.ts';
import { timeText } from '../../kernel/text/time-text.ts';
import type { Sql } from '../../ledger/ledger.ts';
import { findApprovalOfCall } from '../../ledger/security/approvals.ts';
import {
  type CallRow,
  callIdsFrom,
  findCall,
  listCalls,
  stateOfCall,
} from '../../ledger/security/journal.ts';
import type { CallRequest } from '../../tools/ask.ts';
import { outcomeOf } from '../../tools/outcome.ts';
import { unknownCall } from '../../tools/recover.ts';
import { longestWaitMs } from '../../verbs/limits.ts';
import type { Answer, WireCall } from '../contract/contract.ts';
import { actingPrincipal, type HomeCaller, whose } from '../server/authenticate.ts';
import { untilHangUp, whileAsked } from '../server/connections.ts';
import { hiddenBug, knownFailure } from '../server/problem.ts';
import { pageLimit, queryNumber } from '../streams/event-query.ts';
import { ToolStream } from '../streams/tool-stream.ts';
import type { Call, Handles, RouteDeps } from './handlers.ts';
import { nameOf, timeOrNull } from './views/event-wire.ts';
import { findRow, nextPlace } from './views/rows.ts';

export function toolRoutes(
  deps: RouteDeps,
): Handles<'tools' | 'callTool' | 'streamTool' | 'calls' | 'call' | 'resolveCall'> {
  const { tools, calls, ledger } = deps;
  const sql = ledger.committed;
  return {
    tools: () => ({
      items: tools.list().map(({ name, summary, inputSchema }) => ({
        ...{ name, summary },
        input_schema: inputSchema,
      })),
    }),
    callTool: (call) => callTool(deps, call),
    streamTool: (call) => streamTool(deps, call),
    calls: async ({ caller, query: { agent, state, before, ...query } }) => {
      const limit = pageLimit(query.limit);
      const page = { principal: await whose(ledger, caller, agent), state, before };
      const rows = await listCalls(sql, { ...page, limit: limit + 1 });
      const items = await Promise.all(rows.slice(0, limit).map((row) => summaryOf(sql, row)));
      return {
        items,
        next: nextPlace(items, { hasMore: rows.length > limit }, (item) => item.call_id),
      };
    },
    call: (call) => oneCall(deps, call),
    resolveCall: async ({ caller, params, body }) => {
      const { call_id: callId } = await visibleCall(sql, caller, params.id);
      return wireCall(sql, await calls.resolve({ callId, as: body.as, by: caller.id }));
    },
  };
}

type ToolCallMade = Pick<Call<'callTool'>, 'caller' | 'params' | 'body' | 'request' | 'reply'>;
type Onlooker = Pick<CallRequest, 'onStart' | 'onOutput'>;

async function callTool(
  deps: RouteDeps,
  { caller, params, body, request, reply }: ToolCallMade,
  onlooker: Onlooker = {},
): Promise<Answer<'callTool'>> {
  const { calls, ledger } = deps;
  const sql = ledger.committed;
  const principal = await actingPrincipal(ledger, caller, body.as);
  const header = request.headers['idempotency-key'];
  const outcome = await calls.call({
    ...{ principal, tool: params.name, args: body.args, timeoutMs: body.timeout_ms },
    key: header === undefined ? undefined : String(header),
    signal: signalOfCaller(deps, { principal, tool: params.name, reply }),
    ...onlooker,
  });
  const { callId, tool, kind } = outcome;
  if (kind === 'failed') throw withCallId(outcome.error, callId);
  const facts = { call_id: callId, tool, trust: 'data' } as const;
  if (kind === 'answered') {
    const { output, bytes } = outcome;
    return { ...facts, state: 'answered', output, bytes, approval: null };
  }
  const approval = (await findApprovalOfCall(sql, callId))?.id ?? null;
  return { ...facts, state: kind === 'waiting' ? 'waiting' : 'started', bytes: null, approval };
}

/** The owner's Ctrl-C ends what is done for them alone; what agents asked for goes on. */
export function signalOfCaller(
  { tools, feeds }: Pick<RouteDeps, 'tools' | 'feeds'>,
  asked: {
    readonly principal: string;
    readonly tool: string;
    readonly reply: Call<'call'>['reply'];
  },
): AbortSignal | undefined {
  const ends = asked.principal === 'owner' && tools.get(asked.tool).endsWithCaller;
  return ends ? whileAsked(asked.reply, feeds.closing) : undefined;
}

/** Like callTool(), and the caller sees what the tool shows while it runs. */
async function streamTool(
  deps: RouteDeps,
  call: Call<'streamTool'>,
): Promise<Call<'streamTool'>['reply']> {
  const { caller, request, reply } = call;
  const headers = { ...deps.commonHeaders, 'x-request-id': request.id };
  const { stillAdmitted } = deps.readerOf({ caller, query: {}, request });
  const stream = new ToolStream(deps, { reply, headers, stillAdmitted });
  try {
    const answer = await callTool(deps, call, {
      onStart: () => stream.begin(),
      onOutput: (part) => stream.show(part),
    });
    await stream.answer(answer);
  } catch (failure) {
    if (!stream.hasBegun) throw failure;
    const known = knownFailure(failure);
    if (known === undefined) {
      deps.log.error({ err: failure, request_id: request.id }, 'a request broke');
    }
    await stream.fail(known ?? hiddenBug(request.id));
  }
  return reply;
}

/** So that a caller that was refused can find the call in the journal and in the audit. */
export function withCallId({ code, message, fix, details }: AosError, callId: string): AosError {
  const known = typeof details === 'object' && details !== null ? details : {};
  return new AosError(code, { message, fix, details: { ...known, call_id: callId } });
}

const lookAgainMs = 200;

async function oneCall(
  { ledger, clock, feeds }: RouteDeps,
  { caller, params, query, reply }: Call<'call'>,
): Promise<WireCall> {
  const sql = ledger.committed;
  const waitMs = Math.min(queryNumber(query.wait_ms) ?? 0, longestWaitMs);
  const deadline = clock.monotonicMs() + waitMs;
  const signal = untilHangUp(reply, feeds.closing);
  const row = await visibleCall(sql, caller, params.id);
  // The row may be long: until there is an end only its state is looked at.
  let { state } = row;
  while (state === 'waiting' || state === 'started') {
    const leftMs = deadline - clock.monotonicMs();
    if (leftMs <= 0) return wireCall(sql, row);
    await clock.sleep(Math.min(lookAgainMs, leftMs), signal);
    state = (await stateOfCall(sql, row.call_id)) ?? 'failed';
  }
  return wireCall(sql, await visibleCall(sql, caller, row.call_id));
}

function visibleCall(sql: Sql, caller: HomeCaller, typed: string): Promise<CallRow> {
  return findRow(
    {
      what: 'calls',
      find: (id) => findCall(sql, id),
      idsFrom: (start, limit) => callIdsFrom(sql, start, limit),
      idOf: ({ call_id }) => call_id,
      isVisible: ({ principal }) => caller.kind === 'owner' || principal === caller.id,
      unknown: unknownCall,
    },
    typed,
  );
}

async function wireCall(sql: Sql, row: CallRow): Promise<WireCall> {
  const outcome = outcomeOf(row);
  return {
    ...(await summaryOf(sql, row)),
    arguments: JSON.parse(row.arguments),
    trust: 'data',
    output: outcome.kind === 'answered' ? outcome.output : undefined,
  };
}

type Summary = Answer<'calls'>['items'][number];

async function summaryOf(sql: Sql, row: CallRow): Promise<Summary> {
  const { call_id, tool, effect, state, idempotency_key, runs } = row;
  // A long result is not read to say that there is one.
  const outcome = state === 'answered' ? undefined : outcomeOf(row);
  return {
    ...{ call_id, agent: nameOf(row.principal), tool, effect, state, idempotency_key, runs },
    asked_at: timeText(row.asked_at),
    started_at: timeOrNull(row.started_at),
    ended_at: timeOrNull(row.ended_at),
    approval: (await findApprovalOfCall(sql, call_id))?.id ?? null,
    bytes: row.result_bytes,
    error: outcome?.kind === 'failed' ? errorOf(outcome.error) : null,
  };
}

function errorOf({ code, message, fix, details }: AosError): NonNullable<WireCall['error']> {
  return {
    code,
    message,
    ...(fix === undefined ? {} : { fix }),
    ...(details === undefined ? {} : { details }),
  };
}
