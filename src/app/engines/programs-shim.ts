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
 *     closed by the system.
 */
import type { ChildProcess } from 'node:child_process';
import { closeSync, constants, fchmodSync, fstatSync, mkdirSync, openSync } from 'node:fs';
import { constants as system } from 'node:os';
import { dirname, join } from 'node:path';
import { osCodeOf, toDiskError } from '../../kernel/disk-errors.ts';
import { AosError } from '../../kernel/errors.ts';
import type { ProgramEnd, ProgramOrder } from '../../kernel/programs.ts';
import { oneLine, quote } from '../../kernel/quote.ts';
import { bodyMark } from './programs-family.ts';

// $1: where the exit status goes. $2: the group's list, or empty. Then the program.
const script = `
exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
trap : HUP INT QUIT TERM USR1 USR2 ALRM PIPE
[ -z "$2" ] || echo $$ > "$2"
run() { shift 2; "$@"; }
run "$@"
set -- "$1" "$?"
umask 077
echo "$2" > "$1.pending" && /bin/mv -f "$1.pending" "$1"
exit "$2"`;

// Shells set these; the program is to have what was ordered and nothing else.
const shellVariables = ['PWD', 'OLDPWD', 'SHLVL'];

export interface Shim {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly ended: Promise<ProgramEnd>;
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
    return await spawnShim(order, { log, program, procsPath });
  } catch (failure) {
    throw notStarted(program, failure);
  } finally {
    closeSync(log);
  }
}

interface ShimParts {
  readonly log: number;
  readonly program: string;
  readonly procsPath: string | undefined;
}

function spawnShim(order: ProgramOrder, { log, program, procsPath }: ShimParts): Promise<Shim> {
  const extra = shellVariables.filter((name) => order.env[name] === undefined);
  const args = [statusPath(order), procsPath ?? '', program, ...order.argv.slice(1)];
  return new Promise((resolve, reject) => {
    // Loaded here, because most commands start no program and it takes its time.
    const { spawn } = process.getBuiltinModule('node:child_process');
    const child = spawn('/bin/sh', ['-c', `unset ${extra.join(' ')}${script}`, 'aos', ...args], {
      cwd: order.cwd,
      env: { ...order.env, [bodyMark]: order.id },
      detached: true,
      stdio: ['ignore', log, log],
    });
    const ended = new Promise<ProgramEnd>((end) => {
      child.once('exit', (code, name) => end(endOf(code, name)));
    });
    child.once('error', reject);
    child.once('spawn', () => resolve({ child, pid: child.pid ?? 0, ended }));
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

// O_NONBLOCK: without it, opening a FIFO waits until somebody reads from it.
const logFlags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK;

function openLog({ logPath, statusFolder }: ProgramOrder): number {
  try {
    mkdirSync(statusFolder, { recursive: true, mode: 0o700 });
    mkdirSync(dirname(logPath), { recursive: true, mode: 0o700 });
    const log = openSync(logPath, logFlags, 0o600);
    if (fstatSync(log).isFile()) {
      fchmodSync(log, 0o600);
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
