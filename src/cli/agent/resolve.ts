import { Argument, type Command } from 'commander';
import type { WireCall } from '../../gateway/contract/contract.ts';
import { oneLine } from '../../kernel/text/quote.ts';
import { endAfter, endWords } from '../core/call-end.ts';
import { withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { callIds, idOf } from '../core/names.ts';

const verdicts = ['done', 'redo', 'fail'] as const;
type CallVerdict = (typeof verdicts)[number];

export function defineResolve(command: Command, context: Context): void {
  command
    .argument('<call>', 'a call that is unsure, by its id or the beginning of it')
    .addArgument(
      new Argument(
        '<as>',
        'done: it had its effect; redo: make it again; fail: it had none',
      ).choices(verdicts),
    )
    .addHelpText(
      'after',
      '\nA call that was cut off, and may have had its effect elsewhere, is not made again by\nitself. Look what became of it there, then say so.\n\nExamples:\n  aos tool calls --state unsure\n  aos resolve 018d3e4b7a10 done',
    )
    .action((typed: string, as: CallVerdict) => resolve(context, typed, as));
}

async function resolve(context: Context, typed: string, as: CallVerdict): Promise<void> {
  const id = idOf(callIds, typed);
  const { call } = await withHome(context, { holder: 'aos resolve' }, (client) =>
    endAfter(context, client, () => client.resolveCall(id, as, { signal: context.signal })),
  );
  context.print({ data: call, text: oneLine(words(call, as)) });
}

function words(call: WireCall, as: CallVerdict): string {
  const { call_id, tool } = call;
  const what = `Call ${call_id} of ${tool}`;
  if (as === 'done') return `${what} counts as done: it had its effect, and is not made again.`;
  if (as === 'fail') return `${what} counts as failed: it had no effect, and is not made again.`;
  return `${what} is made again. It ${endWords(call)}.`;
}
