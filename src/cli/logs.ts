import { join } from 'node:path';
import type { Command } from 'commander';
import { refuseNoHome } from '../app/use-home.ts';
import { checkAgentName } from '../kernel/agent-name.ts';
import { AosError } from '../kernel/errors.ts';
import type { DiskView } from '../kernel/ports.ts';
import { printable, quote } from '../kernel/quote.ts';
import { didYouMean } from '../kernel/suggest.ts';
import { reach } from './connect.ts';
import type { Context } from './context.ts';
import { numberOf } from './input.ts';
import { LogReader } from './log-reader.ts';

interface LogsOptions {
  readonly follow?: true;
  readonly tail: string;
}

export function defineLogs(command: Command, context: Context): void {
  command
    .argument('[agent]', 'whose program (the daemon)')
    .option('-f, --follow', 'go on with what is written from now on')
    .option('--tail <n>', 'the last so many lines', '100')
    .addHelpText(
      'after',
      "\nThe daemon's log has a JSON object a line; the log of an agent is what its program\nwrites, which is data, whatever it says. Both are files below logs/ in the home folder.\n\nExamples:\n  aos logs --tail 20\n  aos logs worker -f",
    )
    .action((agent: string | undefined, options: LogsOptions) => logs(context, agent, options));
}

const mostLines = 100_000;
const lookAgainMs = 250;

async function logs(
  context: Context,
  agent: string | undefined,
  { follow, tail: text }: LogsOptions,
): Promise<void> {
  if (agent !== undefined) checkAgentName(agent);
  const tail = numberOf('--tail', text, { least: 0, most: mostLines });
  const { engines, settings } = await reach(context);
  const { disk, clock } = engines;
  await refuseNoHome(engines, settings.home);
  const folder = join(settings.home, 'logs');
  const path =
    agent === undefined
      ? join(folder, 'daemon.log')
      : await logOfAgent(disk, join(folder, 'agents'), agent);
  const reader = new LogReader(disk, path);
  tell(context, await reader.tail(tail));
  if (follow !== true) return;
  for (;;) {
    await clock.sleep(lookAgainMs, context.signal);
    tell(context, await reader.more());
  }
}

async function logOfAgent(disk: DiskView, folder: string, agent: string): Promise<string> {
  const path = join(folder, `${agent}.log`);
  if ((await disk.stat(path)) !== undefined) return path;
  const names = (await disk.stat(folder)) === undefined ? [] : await disk.list(folder);
  const known = names.filter((name) => name.endsWith('.log')).map((name) => name.slice(0, -4));
  throw new AosError('disk.missing', {
    message: `There is no log of agent ${quote(agent)}; only programs write one.${didYouMean(agent, known)}`,
    fix: `aos inspect ${agent}`,
  });
}

function tell(context: Context, lines: readonly string[]): void {
  for (const line of lines) context.stream({ data: { line }, text: printable(line) });
}
