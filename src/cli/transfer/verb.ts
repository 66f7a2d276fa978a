/** What the commands about transfers have in common. */
import type { Command } from 'commander';
import { composeEngines } from '../../app/home/compose.ts';
import type { AgentTransfer } from '../../app/library/agent-transfer.ts';
import type { Client } from '../../gateway/client/client.ts';
import { AosError } from '../../kernel/errors.ts';
import { actingAs, agentDoor, withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { type ProgressView, progressView } from './progress.ts';

const holder = 'agent-transfer';

/** What every one of these commands takes. */
export interface As {
  readonly as?: string;
}

/** A command below `aos transfer`, which is below nothing as `agent-transfer`. */
export function transferVerb(group: Command, name: string, description: string): Command {
  return group
    .command(name)
    .description(description)
    .option('--as <agent>', 'act as this agent (AOS_AGENT, else owner)');
}

/** Does the work with the home, as whoever is acting. */
export function withTransfers<T>(
  context: Context,
  { as }: As,
  work: (client: Client, who: { readonly as: string | undefined }) => Promise<T>,
): Promise<T> {
  const who = { as: actingAs(context, as) };
  return withHome(context, { holder }, (client) => work(client, who));
}

/** The library, over the same home. */
export async function transfersOf(context: Context, { as }: As): Promise<AgentTransfer> {
  const sender = actingAs(context, as);
  // Loaded when it is needed: no other command pays for it.
  const { AgentTransfer } = await import('../../app/library/agent-transfer.ts');
  const use = <T>(work: (client: Client) => Promise<T>) => withHome(context, { holder }, work);
  return new AgentTransfer({ sender, handle: agentDoor(context)?.handle, use });
}

/** Bytes go while it lasts: with progress, and with words when it is interrupted. */
export async function moving<T>(
  context: Context,
  { command, kept }: { readonly command: Command; readonly kept: string },
  work: (view: ProgressView) => Promise<T>,
): Promise<T> {
  const { terminal, signal } = context;
  const json = isJson(command);
  using view = progressView({ terminal, clock: composeEngines().clock, json });
  try {
    return await work(view);
  } catch (failure) {
    view[Symbol.dispose]();
    if (signal.aborted && !json) terminal.err(`${kept}\n`);
    throw failure;
  }
}

export function isJson(command: Command): boolean {
  return command.optsWithGlobals()['json'] === true;
}

/** The same failure, with more said about it. */
export function withDetails(failure: AosError, message: string, details: unknown): AosError {
  const { code, fix } = failure;
  return new AosError(code, { message, fix, details, cause: failure });
}
