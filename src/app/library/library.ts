/** Messages for programs: a bus that reaches the daemon of a home. */
import { join } from 'node:path';
import { connectTo } from '../../gateway/client/client.ts';
import { MessageBus } from '../../gateway/client/message-bus.ts';
import { MessageConnection } from '../../gateway/client/message-client.ts';
import { loadConfig, processEnvironment } from '../config/config.ts';
import { composeEngines } from '../home/compose.ts';
import { version } from '../version.ts';

export interface ConnectOptions {
  /** The home folder; else `AOS_HOME`, else `~/.agent-relay`. */
  readonly home?: string | undefined;
  /** What a callback has thrown; what it was called with stays unread. */
  readonly onFailure?: ((failure: unknown) => void) | undefined;
}

/**
 * A bus over the owner's socket: it may act as any agent of the home. It connects over
 * restarts of the daemon until it is disposed of.
 */
export async function connect({ home, onFailure }: ConnectOptions = {}): Promise<MessageBus> {
  const engines = composeEngines();
  const flags = home === undefined ? [] : [{ key: 'home', text: home, flag: '--home' } as const];
  const environment = processEnvironment();
  const { settings } = await loadConfig({ view: engines.disk, environment, flags });
  const socketPath = join(settings.home, 'run', 'aos.sock');
  const client = connectTo({ ...engines, version }, socketPath);
  const connection = new MessageConnection({ ...engines, version }, { socketPath });
  return new MessageBus({ ...engines, client, connection, onFailure });
}
