/** A home with the three agents of the seed, and a shell in which each of them works. */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { programMs } from './limits.ts';
import { programScript, type Run } from './run-aos.ts';
import { type RunningDaemon, startDaemon } from './running-daemon.ts';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';

export const agents = ['samantha', 'jared', 'jean'] as const;
export type Agent = (typeof agents)[number];

/** What the home knows each of them as. */
export type AgentNames = Readonly<Record<Agent, string>>;

export interface TransferHome extends AsyncDisposable {
  readonly folder: TemporaryFolder;
  readonly home: string;
  readonly daemon: RunningDaemon | undefined;
  /** A line of shell has them as variables: `--to $jared`. */
  readonly names: AgentNames;
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
  // Where none is wanted too: commands that open the home themselves would take longer.
  const daemon = opened.use(await startDaemon(home));
  const names = { samantha: 'samantha', jared: 'jared', jean: 'jean' };
  const furnished = await furnishTransfers({ folder, home, daemon, names });
  if (!withDaemon) await daemon.stop();
  const kept = opened.move();
  return {
    ...furnished,
    daemon: withDaemon ? daemon : undefined,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

export interface TransferPlace extends Pick<TransferHome, 'folder' | 'home' | 'names'> {
  readonly daemon: RunningDaemon;
}

/** Registers the three agents, and puts into the folder what their lines of shell need. */
export async function furnishTransfers(
  place: TransferPlace,
): Promise<Omit<TransferHome, typeof Symbol.asyncDispose>> {
  const { folder, home, daemon, names } = place;
  for (const name of ['bin', 'downloads', ...agents]) mkdirSync(folder.at(name));
  for (const name of ['aos', 'agent-transfer'] as const) {
    writeFileSync(folder.at('bin', name), programScript(name), { mode: 0o755 });
  }
  const handles = new Map<string, string>();
  for (const agent of agents) {
    handles.set(agent, (await daemon.client.register(names[agent])).handle);
  }
  const path = `${folder.at('bin')}:${process.env['PATH']}`;
  const common = { ...names, HOME: folder.path, PATH: path };
  const typeIn: TransferHome['typeIn'] = (environment, line) =>
    shell(line, folder.path, { ...common, ...environment });
  const environmentOf: TransferHome['environmentOf'] = (agent) => ({
    ...{ ...common, AOS_HOME: home },
    ...(agent === 'owner' ? {} : { AOS_AGENT: names[agent] }),
  });
  const type: TransferHome['type'] = (who, line) => typeIn(environmentOf(who), line);
  return {
    ...{ ...place, environmentOf, typeIn, type },
    withHandle: (agent) => ({
      AOS_SOCKET: `${home}/run/agents/${names[agent]}.sock`,
      AOS_HANDLE: handles.get(agent) ?? '',
    }),
    data: async (who, line) => {
      const run = await type(who, `${line} --json`);
      const answer: unknown = JSON.parse(run.stdout);
      const { ok, data } = answer as { ok: boolean; data: Record<string, unknown> };
      if (!ok) throw new Error(`${line} printed ${run.stdout}`);
      return data;
    },
  };
}

function shell(line: string, cwd: string, env: Readonly<Record<string, string>>): Promise<Run> {
  return new Promise((resolve, reject) => {
    const mark = process.env['AOS_TEST_MARK'] ?? '';
    const child = spawn('sh', ['-c', line], {
      ...{ cwd, stdio: ['ignore', 'pipe', 'pipe'], timeout: programMs, killSignal: 'SIGKILL' },
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
