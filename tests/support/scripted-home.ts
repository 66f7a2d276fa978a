/** A real daemon whose agents follow a script, for operations; and `aos` against it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { ScriptText } from '../../src/models/scripted/script.ts';
import { aosHere } from './aos-here.ts';
import { type Run, runAos } from './run-aos.ts';
import { type RunningDaemon, startDaemon } from './running-daemon.ts';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';

export interface ScriptedHome extends AsyncDisposable {
  readonly folder: TemporaryFolder;
  readonly home: string;
  readonly daemon: RunningDaemon;
  /** In a folder of its own, and in this process: one at a time. */
  aos(...argv: readonly string[]): Promise<Run>;
  /** The real program, in the same folder. */
  program(...argv: readonly string[]): Promise<Run>;
  /** What it prints with --json. */
  data<T>(...argv: readonly string[]): Promise<T>;
  /** Somebody from outside, whose key is in a file. */
  wallet(name: string): Wallet;
}

export interface Wallet {
  readonly address: string;
  readonly privateKey: string;
  readonly path: string;
}

/** What the agents of most tests do: two files, one of them in a folder. */
export const twoFiles: ScriptText['turns'] = [
  {
    say: 'writing',
    call: [
      { tool: 'artifact.create', args: { name: 'report.md', content: '# Report\n' } },
      { tool: 'artifact.create', args: { name: 'data/rows.csv', content: 'a,b\n1,2\n' } },
    ],
  },
  { say: 'The report is written.' },
];

export async function scriptedHome(turns: ScriptText['turns'] = twoFiles): Promise<ScriptedHome> {
  const folder = temporaryFolder();
  const [home, work] = [folder.at('home'), folder.at('work')];
  const script = folder.at('script.json');
  writeFileSync(script, JSON.stringify({ scripted_model: 1, turns }));
  for (const path of [home, work]) mkdirSync(path, { mode: 0o700 });
  const settings = { defaultModel: `scripted:${script}` };
  writeFileSync(folder.at('home', 'config.json'), JSON.stringify(settings), { mode: 0o600 });
  const daemon = await startDaemon(home);
  const env = { AOS_HOME: home, AOS_PORT: new URL(daemon.url).port };
  const aos: ScriptedHome['aos'] = (...argv) => aosHere(argv, { env, cwd: work });
  return {
    ...{ folder, home, daemon, aos },
    program: (...argv) => runAos(argv, { env, cwd: work }),
    data: async (...argv) => JSON.parse((await aos(...argv, '--json')).stdout).data,
    wallet: (name) => walletIn(folder, name),
    async [Symbol.asyncDispose]() {
      await daemon[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

function walletIn(folder: TemporaryFolder, name: string): Wallet {
  const privateKey = generatePrivateKey();
  const path = folder.at(`${name}.key`);
  writeFileSync(path, `${privateKey}\n`, { mode: 0o600 });
  return { address: privateKeyToAccount(privateKey).address, privateKey, path };
}
