/**
 * How a command reaches the home: through the daemon's socket where one answers, else by
 * opening the home itself for as long as the command takes. An agent's program, which finds a
 * socket and its handle in the environment, goes through those and nowhere else.
 */
import { join } from 'node:path';
import { agentDoorOf, agentOf, loadConfig } from '../../app/config/config.ts';
import { composeEngines } from '../../app/home/compose.ts';
import type { OnMended } from '../../app/home/open-home.ts';
import { type HomeUse, type ReachedHome, useHome } from '../../app/home/use-home.ts';
import { version } from '../../app/version.ts';
import { type Client, connectTo, createClient } from '../../gateway/client/client.ts';
import { socketTransport, withHandle } from '../../gateway/client/transport.ts';
import { AosError } from '../../kernel/errors.ts';
import { oneLine, quote } from '../../kernel/text/quote.ts';
import type { Context } from './context.ts';

/** The daemon of the home that this command is about. */
export async function reach(context: Context): Promise<ReachedHome> {
  const engines = composeEngines();
  const { environment } = context;
  const config = await loadConfig({ view: engines.disk, environment, flags: context.flags() });
  const { settings } = config;
  const door = agentDoor(context);
  const client =
    door === undefined
      ? connectTo({ ...engines, version }, join(settings.home, 'run', 'aos.sock'))
      : createClient({
          ...engines,
          version,
          transport: withHandle(socketTransport(engines.clock, door.socket), door.handle),
        });
  return { engines, settings, client };
}

/** Of the program that runs this command; a caller that names a home means that one. */
export function agentDoor({ environment, flags }: Pick<Context, 'environment' | 'flags'>) {
  return flags().some(({ flag }) => flag === '--home') ? undefined : agentDoorOf(environment);
}

/** Whom a command acts as: the agent that `--as` or AOS_AGENT names, or the caller alone. */
export function actingAs(context: Context, given: string | undefined): string | undefined {
  if (agentDoor(context) === undefined) return given ?? agentOf(context.environment);
  if (given === undefined) return undefined;
  throw new AosError('usage.bad-value', {
    message: `--as is for the owner: with AOS_HANDLE you act as the agent whose handle it is, not as ${quote(given.slice(0, 100))}`,
    fix: 'Leave --as out, or unset AOS_HANDLE',
  });
}

/** Does the work with the daemon; where none runs, with the home opened by this command. */
export async function withHome<T>(
  context: Context,
  use: HomeUse,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const reached = await reach(context);
  // An agent has no home of its own to open.
  if (agentDoor(context) !== undefined) return work(reached.client);
  const onMended = sayMended(context);
  return useHome(reached, { ...use, onMended, signal: context.signal }, work);
}

/** On stderr, so that stdout stays data; with `--json` too, because it is not said a second time. */
export function sayMended({ terminal }: Pick<Context, 'terminal'>): OnMended {
  return (words) => terminal.err(`${mendedLine(words)}\n`);
}

/** As `aos up` has it among its own lines. */
export function mendedLine(words: string): string {
  return `Mended: ${oneLine(words)}`;
}
