/** Commands of `aos` in this process, against a real daemon with a runtime. */
import { writeFileSync } from 'node:fs';
import { runProgram } from '../../src/cli/core/program.ts';
import type { ScriptText } from '../../src/models/scripted/script.ts';
import type { CommandRun } from './command-home.ts';
import { type DaemonChoices, type RunningDaemon, startDaemon } from './running-daemon.ts';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';

export interface DaemonCommand {
  readonly signal?: AbortSignal;
  readonly piped?: string;
  /** Called with everything that was said on stderr, or printed, so far. */
  readonly onErr?: (soFar: string) => void;
  readonly onOut?: (soFar: string) => void;
}

export interface DaemonHome extends AsyncDisposable {
  readonly folder: TemporaryFolder;
  readonly home: string;
  daemon: RunningDaemon;
  /** Starts another one where the one before is gone. */
  start(choices?: DaemonChoices): Promise<void>;
  aos(argv: readonly string[], command?: DaemonCommand): Promise<CommandRun>;
  /** The name of a scripted model that follows these turns. */
  script(name: string, turns: ScriptText['turns']): string;
}

export async function daemonHome(): Promise<DaemonHome> {
  const folder = temporaryFolder();
  const home = folder.at('home');
  const opened: DaemonHome = {
    folder,
    home,
    daemon: await startDaemon(home),
    async start(choices) {
      opened.daemon = await startDaemon(home, choices);
    },
    aos: (argv, command) => runIn(home, argv, command),
    script(name, turns) {
      const path = folder.at(`${name}.json`);
      writeFileSync(path, JSON.stringify({ scripted_model: 1, turns }));
      return `scripted:${path}`;
    },
    async [Symbol.asyncDispose]() {
      await endAgents(opened);
      await opened.daemon[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
  return opened;
}

async function runIn(
  home: string,
  argv: readonly string[],
  { signal = new AbortController().signal, piped, onErr, onOut }: DaemonCommand = {},
): Promise<CommandRun> {
  let stdout = '';
  let stderr = '';
  const terminal = {
    out: (text: string) => {
      stdout += text;
      onOut?.(stdout);
    },
    err: (text: string) => {
      stderr += text;
      onErr?.(stderr);
    },
    colorOut: false,
    colorErr: false,
    columns: 80,
    input: {
      isTerminal: piped === undefined,
      read: async function* () {
        yield Buffer.from(piped ?? '');
      },
    },
  };
  const code = await runProgram({ argv, environment: { AOS_HOME: home }, terminal, signal });
  return { code, stdout, stderr };
}

/** Programs live longer than their daemon; with an agent of a model its goals are cancelled. */
export async function endAgents({ daemon }: Pick<DaemonHome, 'daemon'>): Promise<void> {
  const agents = await Array.fromAsync(daemon.client.agents()).catch(() => []);
  for (const { name, body, state } of agents) {
    if (body === 'guest' || state === 'terminated') continue;
    // Its parent may have been ended before it.
    await daemon.client.killAgent(name).catch(() => {});
  }
}
