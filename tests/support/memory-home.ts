import { atTerminal } from './at-terminal.ts';
import { type RelayHome, relayHome } from './relay-home.ts';
import { launcher, type Run, runAos } from './run-aos.ts';

export interface MemoryHome extends RelayHome {
  /** `aos memory …` */
  memory(...words: readonly string[]): Promise<Run>;
  /** The same as JSON. */
  json(...words: readonly string[]): Promise<Printed>;
  /** What a shell prints makes its way into the command. */
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
  const relay = await relayHome('jean', 'sam');
  const capability = 'memory:**:read,write,search,share';
  await relay.daemon.client.grant({ agent: 'jean', capability });
  const argv = (words: readonly string[]) => ['--home', relay.home, 'memory', ...words];
  const pipe = (source: string) => ['sh', '-c', `${source} | "$@"`, 'sh'];
  return Object.assign(relay, {
    memory: (...words: readonly string[]) => runAos(argv(words)),
    json: async (...words: readonly string[]) =>
      JSON.parse((await runAos([...argv(words), '--json'])).stdout),
    piped: (source: string, ...words: readonly string[]) =>
      runAos(argv(words), { through: pipe(source) }),
    typed: (lines: readonly string[], ...words: readonly string[]) =>
      atTerminal({ lines, command: [process.execPath, launcher, ...argv(words)] }),
  });
}
