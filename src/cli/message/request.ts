import type { Command } from 'commander';
import { agentOf } from '../../app/config/config.ts';
import { AosError } from '../../kernel/errors.ts';
import { printable } from '../../kernel/text/quote.ts';
import { withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { durationOf, readText } from '../core/input.ts';

interface RequestOptions {
  readonly timeout: string;
  readonly from?: string;
  readonly as?: string;
  readonly thread?: string;
}

const longestMs = 600_000;

export function defineRequest(command: Command, context: Context): void {
  command
    .argument('<to>', 'whom to ask')
    .argument('[text]', 'what to ask; "-", or nothing, reads what is piped in')
    .option('--timeout <time>', 'how long to wait for the response, at most 10m', '60s')
    .option('--from <agent>', 'ask as this agent (AOS_AGENT, else owner)')
    .option('--as <agent>', 'the same as --from')
    .option('--thread <thread>', 'the conversation that it belongs to')
    .addHelpText(
      'after',
      '\nPrints what the response says. Exit code 8 when there is none in time, 5 when it is\nrefused. Whoever is asked answers with: aos send owner "…" --kind response --re ID\n\nExamples:\n  aos request jean "Is the build green?"\n  aos request jean "Summarise this" --timeout 5m --json',
    )
    .action((to: string, text: string | undefined, options: RequestOptions) =>
      request(context, to, text, options),
    );
}

async function request(
  context: Context,
  to: string,
  text: string | undefined,
  options: RequestOptions,
): Promise<void> {
  const timeout_ms = durationOf('--timeout', options.timeout);
  if (timeout_ms > longestMs) throw tooPatient();
  const body = await readText(context.terminal.input, text);
  const from = options.from ?? options.as ?? agentOf(context.environment);
  const { thread } = options;
  const answer = await withHome(context, { holder: 'aos request' }, (client) =>
    client.request({ to, body, timeout_ms, from, thread }, { signal: context.signal }),
  );
  context.print({ data: answer, text: printable(answer.response.body.replace(/\r?\n$/, '')) });
}

function tooPatient(): AosError {
  return new AosError('usage.bad-value', {
    message: '--timeout is at most 10m for a request',
    fix: 'Send it with "aos send --kind request" and look at "aos inbox" later',
  });
}
