/** The real `aos files` on a generated home, as somebody who may not do everything. */
import { atTerminal } from './at-terminal.ts';
import { type GeneratedHome, generateHome } from './generated-home.ts';
import { isRoot } from './machine.ts';
import { launcher, type Run, type RunOptions, runAos } from './run-aos.ts';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';
import { treeHash } from './tree-hash.ts';

export interface FilesHome extends AsyncDisposable {
  readonly folder: TemporaryFolder;
  readonly root: string;
  readonly notable: GeneratedHome['notable'];
  aos(...argv: readonly string[]): Promise<Run>;
  /** In a folder below the root. */
  aosIn(cwd: string, ...argv: readonly string[]): Promise<Run>;
  /** Behind a program that pipes something in. */
  piped(program: readonly string[], ...argv: readonly string[]): Promise<Run>;
  /** What a command prints with --json. */
  json(...argv: readonly string[]): Promise<Printed>;
  /** Somebody at a terminal types these lines; both streams come as one. */
  typed(lines: readonly string[], ...argv: readonly string[]): Promise<Run>;
  /** Of the whole root: names, contents, modes, times. */
  hash(): Promise<string>;
}

// As parsed: tests look at it with matchers.
interface Printed {
  readonly ok: boolean;
  readonly data?: Record<string, unknown>;
  readonly error?: { readonly code: string; readonly message: string; readonly details?: unknown };
}

// A user without any power over the files of others, where the tests have it.
const ordinary = isRoot
  ? ['setpriv', '--inh-caps=-all', '--ambient-caps=-all', '--bounding-set=-all']
  : [];

/** With these agents in it. */
export async function filesHome(...agents: readonly string[]): Promise<FilesHome> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(temporaryFolder());
  const generated = opened.use(await generateHome(folder.at('home'), { now: Date.now() }));
  const { root, notable } = generated;
  const env = {
    ...{ AOS_HOME: folder.at('aos'), AOS_FILES_ROOT: root, AOS_TRASH_FOLDER: folder.at('trash') },
    ...{ TZ: 'UTC', NO_COLOR: '1' },
  };
  const run = (argv: readonly string[], options: RunOptions = {}) =>
    runAos(argv, { env, cwd: root, through: ordinary, ...options });
  for (const name of ['somebody', ...agents]) await run(['register', name]);
  const kept = opened.move();
  return {
    ...{ folder, root, notable },
    aos: (...argv) => run(argv),
    aosIn: (cwd, ...argv) => run(argv, { cwd }),
    piped: (program, ...argv) => run(argv, { through: [...ordinary, ...program] }),
    json: async (...argv) => JSON.parse((await run([...argv, '--json'])).stdout),
    typed: (lines, ...argv) =>
      atTerminal({
        ...{ lines, env, cwd: root },
        command: [...ordinary, process.execPath, launcher, ...argv],
      }),
    hash: () => treeHash(root),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
