/** `aos tool calls`: calls of tools, and how each ended. */
import { type Command, Option } from 'commander';
import { agentOf } from '../../app/config/config.ts';
import { composeEngines } from '../../app/home/compose.ts';
import type { WireCall } from '../../gateway/contract/contract.ts';
import type { Instant } from '../../kernel/ports.ts';
import { oneLine, safeJson } from '../../kernel/text/quote.ts';
import { withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { numberOf } from '../core/input.ts';
import { callIds, idOf, shortIds } from '../core/names.ts';
import { bytesWords, counted, durationWords, table, trimLines } from '../core/words.ts';
import { outputText } from './call.ts';

interface CallsOptions {
  readonly as?: string;
  readonly agent?: string;
  readonly state?: WireCall['state'];
  readonly limit: string;
}

const states = ['waiting', 'started', 'answered', 'failed', 'denied', 'unsure'] as const;

/** `aos tool calls`. */
export function defineCalls(command: Command, context: Context): void {
  command
    .description('list the newest calls, or tell all about one')
    .argument('[id]', 'a call, by its id or the beginning of it')
    .option('--agent <agent>', 'only those of this agent (AOS_AGENT, else all)')
    .option('--as <agent>', 'the same as --agent')
    .addOption(new Option('--state <state>', 'only those that are so').choices([...states]))
    .option('--limit <n>', 'at most so many', '50')
    .addHelpText(
      'after',
      '\nA call that is "unsure" was cut off: nobody knows whether it had its effect. Look, and\nsay so with "aos resolve".\n\nExamples:\n  aos tool calls --agent jean\n  aos tool calls --state unsure\n  aos tool calls 018d3e4b7a10',
    )
    .action((id: string | undefined, options: CallsOptions) =>
      id === undefined ? list(context, options) : show(context, id),
    );
}

async function list(context: Context, { as, state, ...options }: CallsOptions): Promise<void> {
  const agent = options.agent ?? as ?? agentOf(context.environment);
  const limit = String(numberOf('--limit', options.limit, { least: 1, most: 1000 }));
  const found = await withHome(context, { holder: 'aos tool calls' }, (client) =>
    client.calls({ agent, state, limit }, { signal: context.signal }),
  );
  const now = composeEngines().clock.now();
  const shortOf = shortIds(found.items.map(({ call_id }) => call_id));
  const rows = found.items.map((call) => [
    shortOf(call.call_id),
    call.agent,
    call.tool,
    call.state,
    `${durationWords(Math.max(0, now - Date.parse(call.asked_at)))} ago`,
    oneLine(call.error?.message ?? ''),
  ]);
  const text = rows.length === 0 ? 'There are no such calls.' : trimLines(table(rows));
  context.print({ data: found, text });
}

async function show(context: Context, typed: string): Promise<void> {
  const id = idOf(callIds, typed);
  const call = await withHome(context, { holder: 'aos tool calls' }, (client) =>
    client.toolCall(id, { signal: context.signal }),
  );
  context.print({ data: call, text: callText(call, composeEngines().clock.now()) });
}

export function callText(call: WireCall, now: Instant): string {
  const { state, started_at, ended_at, approval, error, bytes } = call;
  const asked = `${call.asked_at}, ${durationWords(Math.max(0, now - Date.parse(call.asked_at)))} ago`;
  const facts = [
    ['call', call.call_id],
    ['agent', call.agent],
    ['tool', `${call.tool} (${call.effect})`],
    ['state', call.runs > 1 ? `${state}, ${counted(call.runs, 'run')}` : state],
    ['asked', asked],
    ...(started_at === null ? [] : [['started', started_at]]),
    ...(ended_at === null ? [] : [['ended', ended_at]]),
    ...(approval === null ? [] : [['approval', approval]]),
    ['key', call.idempotency_key],
    ['arguments', safeJson(call.arguments)],
    ...(bytes === null ? [] : [['result', bytesWords(bytes)]]),
    ...(error === null ? [] : [['error', `${error.code}: ${error.message}`]]),
    ...(error?.fix === undefined ? [] : [['try', error.fix]]),
  ];
  const text = table(facts.map((row) => row.map(oneLine)));
  return state === 'answered' ? `${text}\n\n${outputText(call.output)}` : text;
}
