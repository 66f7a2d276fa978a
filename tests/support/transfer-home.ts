/** A home with the three agents of the seed, and a shell in which each of them works. */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { programScript, type Run, runAos } from './run-aos.ts';
import { type RunningDaemon, startDaemon } from './running-daemon.ts';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';

export const agents = ['samantha', 'jared', 'jean'] as const;
export type Agent = (typeof agents)[number];

export interface TransferHome extends AsyncDisposable {
  readonly folder: TemporaryFolder;
  readonly home: string;
  readonly daemon: RunningDaemon | undefined;
  /** The environment in which a program acts as that agent, by the owner's leave. */
  environmentOf(agent: Agent | 'owner'): Record<string, string>;
  /** One with nothing but the agent's own handle. */
  withHandle(agent: Agent): Record<string, string>;
  /** A line of shell, in the folder of the agent. */
  type(who: Agent | 'owner', line: string): Promise<Run>;
  typeIn(environment: Readonly<Record<string, string>>, line: string): Promise<Run>;
  /** What a line prints with --json as its data. */
  data(who: Agent | 'owner', line: string): Promise<Record<string, unknown>>;
}

export interface TransferHomeChoices {
  readonly withDaemon: boolean;
}

export async function transferHome({ withDaemon }: TransferHomeChoices): Promise<TransferHome> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(temporaryFolder());
  const home = folder.at('.agent-relay');
  for (const name of ['bin', 'downloads', ...agents]) mkdirSync(folder.at(name));
  for (const name of ['aos', 'agent-transfer'] as const) {
    writeFileSync(folder.at('bin', name), programScript(name), { mode: 0o755 });
  }
  const daemon = withDaemon ? opened.use(await startDaemon(home)) : undefined;
  const handles = new Map<string, string>();
  for (const name of agents) {
    const agent = await (daemon?.client.register(name) ?? registered(home, name));
    handles.set(name, agent.handle);
  }
  const common = { HOME: folder.path, PATH: `${folder.at('bin')}:${process.env['PATH']}` };
  const typeIn: TransferHome['typeIn'] = (environment, line) =>
    shell(line, folder.path, { ...common, ...environment });
  const environmentOf: TransferHome['environmentOf'] = (agent) => ({
    ...{ ...common, AOS_HOME: home },
    ...(agent === 'owner' ? {} : { AOS_AGENT: agent }),
  });
  const type: TransferHome['type'] = (who, line) => typeIn(environmentOf(who), line);
  const kept = opened.move();
  return {
    ...{ folder, home, daemon, environmentOf, typeIn, type },
    withHandle: (agent) => ({
      AOS_SOCKET: `${home}/run/agents/${agent}.sock`,
      AOS_HANDLE: handles.get(agent) ?? '',
    }),
    data: async (who, line) => {
      const run = await type(who, `${line} --json`);
      const answer: unknown = JSON.parse(run.stdout);
      const { ok, data } = answer as { ok: boolean; data: Record<string, unknown> };
      if (!ok) throw new Error(`${line} printed ${run.stdout}`);
      return data;
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

async function registered(home: string, name: string): Promise<{ readonly handle: string }> {
  const { stdout } = await runAos(['--home', home, 'register', name, '--json']);
  const answer = JSON.parse(stdout) as { readonly data: { readonly handle: string } };
  return answer.data;
}

// Far above what a line takes, so that one that hangs fails its test by name.
const deadlineMs = 40_000;

function shell(line: string, cwd: string, env: Readonly<Record<string, string>>): Promise<Run> {
  return new Promise((resolve, reject) => {
    const mark = process.env['AOS_TEST_MARK'] ?? '';
    const child = spawn('sh', ['-c', line], {
      ...{ cwd, stdio: ['ignore', 'pipe', 'pipe'], timeout: deadlineMs, killSignal: 'SIGKILL' },
      env: { ...env, NO_COLOR: '1', AOS_TEST_MARK: mark, PYTHONDONTWRITEBYTECODE: '1' },
    });
    let [stdout, stderr] = ['', ''];
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
}
