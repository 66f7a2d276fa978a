import { aosHere, type HereOptions } from './aos-here.ts';
import { atTerminal } from './at-terminal.ts';
import { type RelayHome, relayHome } from './relay-home.ts';
import { launcher, type Run, runAos } from './run-aos.ts';

export interface MemoryHome extends Omit<RelayHome, 'aos'> {
  /** `aos …` and `aos memory …`, in this process. */
  aos(...words: readonly string[]): Promise<Run>;
  memory(...words: readonly string[]): Promise<Run>;
  /** The same as JSON. */
  json(...words: readonly string[]): Promise<Printed>;
  piped(text: string, ...words: readonly string[]): Promise<Run>;
  typed(lines: readonly string[], ...words: readonly string[]): Promise<Run>;
  /** A new agent, who may do everything to its own memories. */
  agent(name: string): Promise<string>;
  readonly program: MemoryProgram;
}

/** `aos memory …` as the real program. */
export interface MemoryProgram {
  memory(...words: readonly string[]): Promise<Run>;
  /** What a shell prints is piped into the command. */
  piped(source: string, ...words: readonly string[]): Promise<Run>;
  typed(lines: readonly string[], ...words: readonly string[]): Promise<Run>;
}

// As parsed: tests look at it with matchers.
interface Printed {
  readonly ok: boolean;
  readonly data?: Record<string, unknown>;
  readonly error?: { readonly code: string; readonly message: string; readonly details?: unknown };
}

/** A daemon, and jean and sam. Jean may do everything to her own memories. */
export async function memoryHome(): Promise<MemoryHome> {
  const relay = await relayHome('sam');
  const { client } = relay.daemon;
  const argv = (words: readonly string[]) => ['--home', relay.home, 'memory', ...words];
  const memory = (words: readonly string[], options?: HereOptions) => aosHere(argv(words), options);
  const pipe = (source: string) => ['sh', '-c', `${source} | "$@"`, 'sh'];
  const agent = async (name: string) => {
    await client.register(name);
    await client.grant({ agent: name, capability: 'memory:**:read,write,search,share' });
    return name;
  };
  await agent('jean');
  return {
    ...relay,
    ...{ agent, memory: (...words) => memory(words) },
    aos: (...words) => aosHere(['--home', relay.home, ...words]),
    json: async (...words) => JSON.parse((await memory([...words, '--json'])).stdout),
    piped: (piped, ...words) => memory(words, { piped }),
    typed: (typed, ...words) => memory(words, { typed }),
    program: {
      memory: (...words) => runAos(argv(words)),
      piped: (source, ...words) => runAos(argv(words), { through: pipe(source) }),
      typed: (lines, ...words) =>
        atTerminal({ lines, command: [process.execPath, launcher, ...argv(words)] }),
    },
  };
}
