/** Commands of `aos` in this process, against a gateway of its own. */
import { version } from '../../src/app/version.ts';
import { runProgram } from '../../src/cli/core/program.ts';
import { type TemporaryGateway, temporaryGateway } from './temporary-gateway.ts';

export interface CommandChoices {
  /** What is piped in. */
  readonly piped?: string | Uint8Array;
  /** What somebody at a terminal types. */
  readonly typed?: string;
  readonly agent?: string;
  readonly signal?: AbortSignal;
  readonly onErr?: (text: string) => void;
}

export interface CommandRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandHome extends TemporaryGateway {
  aos(argv: readonly string[], choices?: CommandChoices): Promise<CommandRun>;
  /** What a command prints with --json as its data. */
  data(argv: readonly string[], choices?: CommandChoices): Promise<unknown>;
}

/** With these agents in it. */
export async function commandHome(...agents: readonly string[]): Promise<CommandHome> {
  const gateway = await temporaryGateway({ version });
  for (const name of agents) await gateway.client.register(name);
  const aos: CommandHome['aos'] = async (argv, { piped, typed, agent, signal, onErr } = {}) => {
    let stdout = '';
    let stderr = '';
    const terminal = {
      out: (text: string) => {
        stdout += text;
      },
      err: (text: string) => {
        stderr += text;
        onErr?.(text);
      },
      colorOut: false,
      colorErr: false,
      columns: 80,
      input: {
        isTerminal: piped === undefined,
        read: () => inputOf(piped ?? typed),
      },
    };
    const environment = { AOS_HOME: gateway.home.path, AOS_AGENT: agent };
    const stop = signal ?? new AbortController().signal;
    const code = await runProgram({ argv, environment, terminal, signal: stop });
    return { code, stdout, stderr };
  };
  return Object.assign(gateway, {
    aos,
    data: async (argv: readonly string[], choices?: CommandChoices) =>
      JSON.parse((await aos([...argv, '--json'], choices)).stdout).data,
  });
}

/** Without an end where nobody types anything. */
async function* inputOf(text: string | Uint8Array | undefined): AsyncGenerator<Uint8Array> {
  if (text === undefined) await new Promise(() => {});
  yield Buffer.from(text ?? '');
}
