/** `aos files` on a generated home, of a daemon that may not do everything. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { aosHere, type HereOptions } from './aos-here.ts';
import { atTerminal } from './at-terminal.ts';
import { type GeneratedHome, generateHome } from './generated-home.ts';
import { isRoot } from './machine.ts';
import { launcher, type Run, runAos } from './run-aos.ts';
import { startDaemon } from './running-daemon.ts';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';
import { treeHash } from './tree-hash.ts';

export interface FilesHome extends AsyncDisposable {
  readonly folder: TemporaryFolder;
  readonly root: string;
  readonly notable: GeneratedHome['notable'];
  /** In this process; what is done to files is done by the daemon. */
  aos(...argv: readonly string[]): Promise<Run>;
  /** In a folder below the root. */
  aosIn(cwd: string, ...argv: readonly string[]): Promise<Run>;
  piped(bytes: Uint8Array, ...argv: readonly string[]): Promise<Run>;
  /** What a command prints with --json. */
  json(...argv: readonly string[]): Promise<Printed>;
  /** With these lines typed at a terminal, on which both streams come as one. */
  typed(lines: readonly string[], ...argv: readonly string[]): Promise<Run>;
  /** The real program. */
  readonly program: FilesProgram;
  /** Of the whole root: names, contents, modes, times. */
  hash(): Promise<string>;
  /** A new file of its own for a test that changes one; below the root. */
  put(path: string): string;
}

export interface FilesProgram {
  /** With what it was started by, e.g. to be interrupted: a program, its arguments and the command. */
  readonly command: (...argv: readonly string[]) => readonly string[];
  readonly env: Readonly<Record<string, string>>;
  aos(...argv: readonly string[]): Promise<Run>;
  typed(lines: readonly string[], ...argv: readonly string[]): Promise<Run>;
}

// As parsed: tests look at it with matchers.
interface Printed {
  readonly ok: boolean;
  readonly data?: Record<string, unknown>;
  readonly error?: { readonly code: string; readonly message: string; readonly details?: unknown };
}

export interface FilesHomeChoices {
  readonly agents?: readonly string[];
  /** Without one only the real program is bound by what an ordinary user may not do. */
  readonly withDaemon?: boolean;
}

// A user without any power over the files of others, where the tests have it.
const ordinary = isRoot
  ? ['setpriv', '--inh-caps=-all', '--ambient-caps=-all', '--bounding-set=-all']
  : [];

const inUtc = ['env', 'TZ=UTC'];

/** With these agents in it, and one that is called `somebody`. */
export async function filesHome({
  agents = [],
  withDaemon = true,
}: FilesHomeChoices = {}): Promise<FilesHome> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(temporaryFolder());
  const { root, notable } = opened.use(await generateHome(folder.at('home'), { now: Date.now() }));
  const [home, trash] = [folder.at('aos'), folder.at('trash')];
  opened.use(timesInUtc());
  if (withDaemon) {
    const args = ['--set', `filesRoot=${root}`, '--set', `trashFolder=${trash}`];
    const through = [...inUtc, ...ordinary];
    const { client } = opened.use(await startDaemon(home, { args, through }));
    for (const name of ['somebody', ...agents]) await client.register(name);
  }
  const env = {
    ...{ AOS_HOME: home, AOS_FILES_ROOT: root, AOS_TRASH_FOLDER: trash },
    ...{ TZ: 'UTC', NO_COLOR: '1' },
  };
  const here = (argv: readonly string[], options: HereOptions = {}) =>
    aosHere(argv, { env, cwd: root, ...options });
  const command = (...argv: readonly string[]) => [
    ...ordinary,
    ...[process.execPath, launcher, ...argv],
  ];
  const kept = opened.move();
  return {
    ...{ folder, root, notable },
    aos: (...argv) => here(argv),
    aosIn: (cwd, ...argv) => here(argv, { cwd }),
    piped: (piped, ...argv) => here(argv, { piped }),
    json: async (...argv) => JSON.parse((await here([...argv, '--json'])).stdout),
    typed: (typed, ...argv) => here(argv, { typed }),
    program: {
      ...{ command, env },
      aos: (...argv) => runAos(argv, { env, cwd: root, through: ordinary }),
      typed: (lines, ...argv) =>
        atTerminal({ ...{ lines, env, cwd: root }, command: command(...argv) }),
    },
    hash: () => treeHash(root),
    put: (path) => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), path);
      return path;
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** What is printed here is in local time. */
function timesInUtc(): Disposable {
  const before = process.env['TZ'];
  process.env['TZ'] = 'UTC';
  return {
    [Symbol.dispose]() {
      if (before === undefined) delete process.env['TZ'];
      else process.env['TZ'] = before;
    },
  };
}
