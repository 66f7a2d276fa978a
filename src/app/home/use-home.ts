/**
 * How a program of the owner gets to work with a home: through the daemon's socket where one
 * answers, else by opening the home itself for as long as the work takes.
 */
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { type Client, createClient } from '../../gateway/client/client.ts';
import { connectionTransport } from '../../gateway/client/transport.ts';
import { AosError } from '../../kernel/errors.ts';
import { quote } from '../../kernel/text/quote.ts';
import type { Settings } from '../config/settings.ts';
import { version } from '../version.ts';
import type { Engines } from './compose.ts';
import type { OnMended } from './open-home.ts';

export interface ReachedHome {
  readonly engines: Engines;
  readonly settings: Settings;
  /** Of the daemon, whether or not there is one. */
  readonly client: Client;
}

export interface HomeUse {
  /** The words of the command, for a process that wants the home meanwhile. */
  readonly holder: string;
  /** Whether the command makes a home where there is none. */
  readonly mayCreate?: boolean;
  readonly onMended?: OnMended | undefined;
}

// Another command is done in less, and so is the start of a daemon.
const patienceMs = 5000;
const lookAgainMs = 50;

/** Does the work with the daemon; where none runs, with the home opened for that long. */
export async function useHome<T>(
  reached: ReachedHome,
  use: HomeUse & { readonly signal?: AbortSignal | undefined },
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const { engines, client } = reached;
  const deadline = engines.clock.monotonicMs() + patienceMs;
  for (;;) {
    if (await answers(client, use.signal)) return work(client);
    try {
      await using home = await openHere(reached, use);
      return await work(home.client);
    } catch (failure) {
      if (!isBusy(failure) || engines.clock.monotonicMs() > deadline) throw failure;
    }
    await engines.clock.sleep(lookAgainMs, use.signal);
  }
}

async function openHere(
  { engines, settings }: ReachedHome,
  { holder, mayCreate = false, onMended }: HomeUse,
): Promise<{ readonly client: Client } & AsyncDisposable> {
  if (!mayCreate) await refuseNoHome(engines, settings.home);
  // The threads of the garbage collector would begin to mark just before a short command is done:
  // a tenth of all the CPU that it takes, for nothing.
  setFlagsFromString('--no-concurrent-marking');
  const { inside } = await import('../inside.ts');
  const home = await inside.embedHome(engines, settings, { holder, onMended });
  const transport = connectionTransport({ clock: engines.clock, connect: () => home.connect() });
  return {
    client: createClient({ ...engines, version, transport }),
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}

/** A mistyped --home should not become a home. */
export async function refuseNoHome({ disk }: Engines, home: string): Promise<void> {
  for (const name of ['ledger.db', 'keys', '.lock']) {
    if ((await disk.stat(join(home, name))) !== undefined) return;
  }
  throw new AosError('home.missing', {
    message: `There is no home folder of Agent OS at ${quote(home)}`,
    fix: 'Check --home and AOS_HOME; "aos up" makes a home where there is none',
  });
}

function isBusy(failure: unknown): boolean {
  return failure instanceof AosError && failure.code === 'home.busy';
}

/** False when no daemon listens; a daemon that listens and says nothing is an error. */
export async function answers(client: Client, signal?: AbortSignal): Promise<boolean> {
  try {
    await client.status({ signal });
    return true;
  } catch (failure) {
    if (failure instanceof AosError && failure.code === 'daemon.down') return false;
    throw failure;
  }
}
