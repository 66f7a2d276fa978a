/**
 * A shell that stands between us and the program, so that the program outlives us and its
 * exit status is known all the same.
 *
 * M1. Nothing of an order is ever part of the script: it gets paths and arguments by number,
 *     and has no variables of its own, which could overwrite those of the program.
 * M2. It joins the group before the program exists, so that nothing can fork out of it.
 * M3. It traps signals instead of ignoring them: what is ignored would be inherited. So it
 *     outlives a signal to all of them and tells how the program ended.
 * M4. It starts the program in the foreground: a shell takes SIGINT and SIGQUIT from what it
 *     starts in the background.
 * M5. It closes what we may have inherited without knowing; all that we open ourselves is
 *     closed by the system. A launcher of a sandbox gets what was ordered for it, and no more,
 *     or is not started.
 * M6. What becomes the launcher of a sandbox is in all of its groups before, or is nothing. The
 *     shell itself stays outside: it has to tell the end when the groups are ended.
 */
import type { ChildProcess } from 'node:child_process';
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
} from 'node:fs';
import { Server } from 'node:net';
import { constants as system } from 'node:os';
import { dirname, join } from 'node:path';
import { osCodeOf, toDiskError } from '../../kernel/disk/errors.ts';
import { AosError } from '../../kernel/errors.ts';
import type { Clock } from '../../kernel/ports.ts';
import type { ProgramEnd, ProgramOrder } from '../../kernel/programs.ts';
import { oneLine, quote } from '../../kernel/text/quote.ts';
import { early } from '../../kernel/turns.ts';
import { openShut } from '../disk/disk.ts';
import { untilNoThreadStarts } from '../threads/threads.ts';
import { bodyMark, joinAndBecome } from './programs-family.ts';

// $1: where the exit status goes. $2: the group's list, or empty. Then the program.
const script = `
trap : HUP INT QUIT TERM USR1 USR2 ALRM PIPE
[ -z "$2" ] || echo $$ > "$2"
run() { shift 2; "$@"; }
run "$@"
set -- "$1" "$?"
umask 077
echo "$2" > "$1.pending" && /bin/mv -f "$1.pending" "$1"
exit "$2"`;

// M5: beyond these a shell may keep something of its own.
const lastDescriptor = 9;

function closing(from: number): string {
  const descriptors = Array.from({ length: lastDescriptor + 1 - from }, (_, index) => from + index);
  return `exec ${descriptors.map((descriptor) => `${descriptor}>&-`).join(' ')}`;
}

// Shells set these; the program is to have what was ordered and nothing else.
const shellVariables = ['PWD', 'OLDPWD', 'SHLVL'];

export interface Shim {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly ended: Promise<ProgramEnd>;
  /** Of one in a sandbox. */
  readonly wall: SandboxSign | undefined;
}

export function statusPath({ statusFolder, id }: Pick<ProgramOrder, 'statusFolder' | 'id'>) {
  return join(statusFolder, `${id}.exit`);
}

/** `procsPath` of the group that it is to join, if there is one. */
export async function startShim(
  order: ProgramOrder,
  program: string,
  procsPath: string | undefined,
): Promise<Shim> {
  const log = openLog(order);
  try {
    await untilNoThreadStarts();
    return await spawnShim(order, { log, procsPath, ...wordsFor(order, program) });
  } catch (failure) {
    throw notStarted(program, failure);
  } finally {
    closeSync(log);
  }
}

interface ShimParts {
  readonly log: number;
  readonly procsPath: string | undefined;
  /** What the shell runs. */
  readonly words: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

function wordsFor(
  { argv, cwd, env, sandbox }: ProgramOrder,
  program: string,
): Pick<ShimParts, 'words' | 'cwd' | 'env'> {
  if (sandbox === undefined) return { words: [program, ...argv.slice(1)], cwd, env };
  // M6
  const joined = ['/bin/sh', '-c', joinAndBecome, 'aos', ...sandbox.joins, '--'];
  return { words: [...joined, ...sandbox.argv], cwd: '/', env: {} };
}

function spawnShim(order: ProgramOrder, parts: ShimParts): Promise<Shim> {
  const { log, procsPath, words, cwd, env } = parts;
  const extra = shellVariables.filter((name) => env[name] === undefined);
  const { opens = [], channel } = order.sandbox ?? {};
  // M5
  const closes = closing(3 + opens.length + (channel === undefined ? 0 : 1));
  const text = `unset ${extra.join(' ')}\n${closes}${script}`;
  const args = ['-c', text, 'aos', statusPath(order), procsPath ?? '', ...words];
  const opened: number[] = [];
  const said = { path: order.logPath, from: fstatSync(log).size };
  return new Promise<Shim>((resolve, reject) => {
    for (const path of opens) opened.push(openSync(path, 'r'));
    // Loaded here, because most commands start no program and it takes its time.
    const { spawn } = process.getBuiltinModule('node:child_process');
    const child = spawn('/bin/sh', args, {
      cwd,
      env: { ...env, [bodyMark]: order.id },
      detached: true,
      stdio: ['ignore', log, log, ...opened, ...(channel === undefined ? [] : ['ipc' as const])],
    });
    const ended = new Promise<ProgramEnd>((end) => {
      child.once('exit', (code, name) => end(endOf(code, name)));
    });
    const wall = channel === undefined ? undefined : { listened: listened(child, order), said };
    child.once('error', reject);
    child.once('spawn', () => resolve({ child, pid: child.pid ?? 0, ended, wall }));
  }).finally(() => {
    for (const descriptor of opened) closeSync(descriptor);
  });
}

function endOf(code: number | null, signal: string | null): ProgramEnd {
  if (signal !== null) return { kind: 'killed', signal };
  return code === null ? { kind: 'unknown' } : endOfCode(code);
}

/**
 * A shell says 128 + n of what signal n has ended. A program may exit with the same number
 * by itself, which cannot be told from it.
 */
export function endOfCode(code: number): ProgramEnd {
  const signal = Object.entries(system.signals).find(([, number]) => number === code - 128)?.[0];
  return signal === undefined ? { kind: 'exited', code } : { kind: 'killed', signal };
}

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants;

// O_NONBLOCK: without it, opening a FIFO waits until another process reads from it.
const logFlags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK;

function openLog({ logPath, statusFolder, sandbox }: ProgramOrder): number {
  try {
    mkdirSync(statusFolder, { recursive: true, mode: 0o700 });
    mkdirSync(dirname(logPath), { recursive: true, mode: 0o700 });
    const log = openShut(logPath, logFlags);
    if (fstatSync(log).isFile()) {
      fchmodSync(log, 0o600);
      if (sandbox?.uid !== undefined) fchownSync(log, sandbox.uid, sandbox.uid);
      return log;
    }
    closeSync(log);
  } catch (cause) {
    throw notStarted(logPath, toDiskError(cause, logPath));
  }
  throw notStarted(logPath, new Error('what stands there is no file'));
}

const reasons: Readonly<Record<string, string>> = {
  E2BIG: 'its arguments and its environment are too long together',
  EAGAIN: 'this user may not start more processes',
  ENOMEM: 'the machine has no memory left',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  ENOENT: '/bin/sh or the working folder is not there',
  EACCES: '/bin/sh or the working folder may not be used',
  ERR_INVALID_ARG_VALUE: 'an argument or a variable has a zero byte in it',
};

function notStarted(what: string, cause: unknown): AosError {
  const words = cause instanceof Error ? oneLine(cause.message) : 'the system refused it';
  return new AosError('program.not-started', {
    message: `${quote(what)} could not be started: ${reasons[osCodeOf(cause) ?? ''] ?? words}`,
    fix: 'Change what the message names, then start it again',
    cause,
  });
}

interface SandboxSign {
  /** False when the launcher has ended without one. */
  readonly listened: Promise<boolean>;
  /** Where the launcher says what is wrong: in the log, behind what was there before. */
  readonly said: { readonly path: string; readonly from: number };
}

/** Only our own source inside sends, and before anything else runs there. */
function listened(child: ChildProcess, { onListener }: ProgramOrder): Promise<boolean> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve(false));
    child.once('message', (_, server) => {
      child.disconnect();
      const isOne = server instanceof Server;
      if (isOne && onListener === undefined) server.close();
      else if (isOne) onListener?.(server);
      resolve(isOne);
    });
  });
}

/** Throws `sandbox.not-started`, when all is ended. */
export async function mustStand(
  clock: Clock,
  { listened: isThere, said }: SandboxSign,
  end: () => Promise<void>,
): Promise<void> {
  if (await inTime(clock, isThere)) return;
  await end();
  throw new AosError('sandbox.not-started', {
    message: `A sandbox could not be made for the program: ${firstLineOf(said)}`,
    fix: 'aos doctor',
  });
}

// Node has to start in there first, on a machine that may be busy.
const longestMs = 30_000;

async function inTime(clock: Clock, isThere: Promise<boolean>): Promise<boolean> {
  const over = new AbortController();
  const late = clock.sleep(longestMs, over.signal).then(
    () => false,
    () => false,
  );
  try {
    return await Promise.race([isThere, late]);
  } finally {
    over.abort(early);
  }
}

const longestWords = 2000;

function firstLineOf({ path, from }: SandboxSign['said']): string {
  const bytes = Buffer.alloc(longestWords);
  const file = openSync(path, 'r');
  try {
    const length = readSync(file, bytes, 0, longestWords, from);
    const [line = ''] = bytes.toString('utf8', 0, length).trim().split('\n');
    return oneLine(line) || 'it said nothing';
  } finally {
    closeSync(file);
  }
}
