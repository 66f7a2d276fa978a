/**
 * How a command reaches the home: through the daemon's socket where one answers, else by
 * opening the home itself for as long as the command takes.
 */
import { join } from 'node:path';
import { composeEngines, type Engines } from '../app/compose.ts';
import { loadConfig } from '../app/config.ts';
import type { Settings } from '../app/settings.ts';
import { version } from '../app/version.ts';
import { type Client, connectTo, createClient } from '../gateway/client.ts';
import { connectionTransport } from '../gateway/transport.ts';
import { AosError } from '../kernel/errors.ts';
import type { Context } from './context.ts';

export interface Reached {
  readonly engines: Engines;
  readonly settings: Settings;
  /** Of the daemon, whether or not there is one. */
  readonly client: Client;
}

/** The daemon of the home that this command is about. */
export async function reach(context: Context): Promise<Reached> {
  const engines = composeEngines();
  const { environment } = context;
  const config = await loadConfig({ view: engines.disk, environment, flags: context.flags() });
  const { settings } = config;
  const client = connectTo({ ...engines, version }, join(settings.home, 'run', 'aos.sock'));
  return { engines, settings, client };
}

/** Does the work with the daemon; where none runs, with the home opened by this command. */
export async function withHome<T>(
  context: Context,
  holder: string,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const { engines, settings, client } = await reach(context);
  if (await answers(client, context.signal)) return work(client);
  const { inside } = await import('../app/inside.ts');
  await using home = await inside.embedHome(engines, settings, { holder });
  const transport = connectionTransport({ clock: engines.clock, connect: () => home.connect() });
  return await work(createClient({ ...engines, version, transport }));
}

/** False when nobody listens; a daemon that listens and says nothing is an error. */
export async function answers(client: Client, signal: AbortSignal): Promise<boolean> {
  try {
    await client.status({ signal });
    return true;
  } catch (failure) {
    if (failure instanceof AosError && failure.code === 'daemon.down') return false;
    throw failure;
  }
}
