/**
 * The two ways in which the launcher of a sandbox is started: by a shell that is there already
 * (starters.ts), or as a child of the daemon, where it has to hand us a listener.
 */
import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { Server } from 'node:net';
import { constants } from 'node:os';
import { joinAndBecome } from '../../engines/process/programs-family.ts';
import { untilNoThreadStarts } from '../../engines/threads/threads.ts';
import type { BoxPipes } from '../box/fifos.ts';
import type { LimitGroup, LimitsMet } from '../watch/limit-groups.ts';
import type { Starter } from './starters.ts';

/** Of the launcher; 3 is the control pipe. */
export const descriptors = { args: 4, filter: 5, info: 6, channel: 7 } as const;

/** The files that it reads, and what it starts. */
export interface LaunchParts {
  readonly launcher: string;
  readonly argumentsPath: string;
  readonly filterPath: string;
  /** For a shell: starts the launcher with the pipes that are its `$1`, `$2`, … */
  readonly startPath: string;
  /** What runs inside: the waiting shell, behind whatever gives it its uid. */
  readonly inside: readonly string[];
}

export interface Launched {
  /** The outermost of its processes. */
  readonly pid: number;
  readonly group: LimitGroup | undefined;
  /** The exit code; undefined where it is not known. */
  readonly exit: Promise<number | undefined>;
  readonly listener: Promise<Server> | undefined;
  /** For when its first process inside is not known. */
  kill(): void;
  /** When nothing of it is left. */
  release(): void;
}

export function launchByShell(
  starter: Starter,
  { startPath }: LaunchParts,
  pipes: BoxPipes,
  release: () => void,
): Launched {
  const { stdin, stdout, stderr, control, info } = pipes;
  const group = starter.group && countingFromNow(starter.group);
  const names = [stdin, stdout, stderr, control, info].map(({ path }) => path);
  return {
    ...{ pid: starter.pid, group, listener: undefined, release },
    exit: starter.run({ pipes: names, startPath }),
    kill: () => void starter.kill(),
  };
}

/** A group that others have used before, and will use again. */
function countingFromNow(group: LimitGroup): LimitGroup {
  const before = group.met();
  return {
    ...{ procsPaths: group.procsPaths, folder: group.folder },
    met: () => since(before, group.met()),
    pids: () => group.pids(),
    counted: () => group.counted(),
    remove: () => {},
  };
}

function since(before: LimitsMet, now: LimitsMet): LimitsMet {
  return {
    memoryKills: now.memoryKills - before.memoryKills,
    processRefusals: now.processRefusals - before.processRefusals,
  };
}

const closeJoinAndBecome = `exec 8>&- 9>&-; ${joinAndBecome}`;

/** With a channel, which comes with a variable: /proc/1/environ inside is the launcher's. */
export async function launchByDaemon(
  { launcher, argumentsPath, filterPath, inside }: LaunchParts,
  pipes: BoxPipes,
  group: LimitGroup | undefined,
): Promise<Launched> {
  const { spawn } = process.getBuiltinModule('node:child_process');
  const { stdin, stdout, stderr, control, info } = pipes;
  await untilNoThreadStarts();
  const opened: number[] = [];
  try {
    for (const pipe of [stdin, stdout, stderr, control]) opened.push(pipe.takeTheirs());
    for (const path of [argumentsPath, filterPath]) opened.push(openSync(path, 'r'));
    opened.push(info.takeTheirs());
    const words = [launcher, '--args', String(descriptors.args), '--', ...inside];
    const shell = ['-c', closeJoinAndBecome, 'sh', ...(group?.procsPaths ?? []), '--'];
    const child = spawn('/bin/sh', [...shell, '/usr/bin/env', '-i', ...words], {
      env: {},
      stdio: [...opened, 'ipc'],
    });
    return {
      ...{ pid: child.pid ?? 0, group, exit: exitOf(child), listener: listenerOf(child) },
      kill: () => void child.kill('SIGKILL'),
      release: () => group?.remove(),
    };
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}

const signalled = 128;

function exitOf(child: ChildProcess): Promise<number | undefined> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? codeOfSignal(signal)));
    child.once('error', () => resolve(undefined));
  });
}

function codeOfSignal(signal: NodeJS.Signals | null): number | undefined {
  return signal === null ? undefined : signalled + constants.signals[signal];
}

/** Only our own source inside sends, and before anything else runs there. */
function listenerOf(child: ChildProcess): Promise<Server> {
  return new Promise((resolve) => {
    child.once('message', (_, server) => {
      child.disconnect();
      resolve(server as Server);
    });
  });
}
