import type { Ledger } from '../../ledger/ledger.ts';
import type { Spawned, SpawnOrder } from '../../runtime/spawn.ts';

export interface AgentToolDeps {
  readonly ledger: Ledger;
  /** The home folder without symlinks. */
  readonly home: string;
  /** The runtime, which is put together after the tools; undefined where none runs. */
  runtime(): AgentToolRuntime | undefined;
  /** What an agent without a model of its own gives its children. */
  readonly defaultModel: string;
}

export interface AgentToolRuntime {
  spawn(order: SpawnOrder): Promise<Spawned>;
  terminate(name: string, why: { readonly by: string; readonly reason?: string }): Promise<void>;
}
