/** The real daemon on a home where the script of the seed looks for it. */
import { type Run, runAos } from './run-aos.ts';
import { type RunningDaemon, startDaemon } from './running-daemon.ts';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';

export interface RelayHome extends AsyncDisposable {
  readonly folder: TemporaryFolder;
  readonly home: string;
  readonly daemon: RunningDaemon;
  aos(...words: readonly string[]): Promise<Run>;
  /** What a command prints with --json as its data. */
  data(...words: readonly string[]): Promise<unknown>;
}

/** With these agents in it. */
export async function relayHome(...agents: readonly string[]): Promise<RelayHome> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(temporaryFolder());
  const home = folder.at('.agent-relay');
  const daemon = opened.use(await startDaemon(home));
  for (const name of agents) await daemon.client.register(name);
  const aos = (...words: readonly string[]) => runAos(['--home', home, ...words]);
  const kept = opened.move();
  return {
    ...{ folder, home, daemon, aos },
    data: async (...words) => JSON.parse((await aos('--json', ...words)).stdout).data,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
