/** Is there a bubblewrap here that really isolates? It is tried, before anything is run. */
import { chownSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AosError } from '../../kernel/errors.ts';
import type { Clock } from '../../kernel/ports.ts';
import type {
  HeldAs,
  SandboxLimits,
  SandboxResult,
  SandboxRun,
  SandboxState,
} from '../../kernel/sandbox.ts';
import { oneLine } from '../../kernel/text/quote.ts';
import { early } from '../../kernel/turns.ts';
import type { LimitGroups } from '../watch/limit-groups.ts';
import { workspaceInside } from './launcher-arguments.ts';
import { seccompFilter } from './seccomp/filter.ts';
import {
  fixFor,
  isolatedExitCode,
  noRoom,
  notInstalled,
  saysNoRoom,
  selfTestProgram,
  tooOld,
} from './self-test.ts';

export interface Examination {
  readonly clock: Clock;
  readonly folder: string;
  readonly places: readonly string[];
  groups(): LimitGroups | undefined;
  /** One run by this launcher. */
  run(launcher: string, order: SandboxRun): Promise<SandboxResult>;
}

const selfTestMs = 10_000;

type Works = Extract<SandboxState, { kind: 'works' }>;

export async function examine(examination: Examination): Promise<SandboxState> {
  const { places, groups } = examination;
  const path = places.map((place) => join(place, 'bwrap')).find((each) => existsSync(each));
  if (path === undefined) return { kind: 'unavailable', ...notInstalled };
  if (seccompFilter(process.arch, 'tool') === undefined) return noFilter();
  const hole = tooOld(await versionOf(path)) ?? (await selfTest(examination, path));
  if (hole === undefined) return { kind: 'works', path, ...rungOf(groups()) };
  if (saysNoRoom(hole)) return { kind: 'unavailable', ...noRoom };
  return {
    kind: 'unavailable',
    says: `bubblewrap makes no sandbox that holds here: ${hole}`,
    fix: fixFor(hole),
  };
}

function versionOf(path: string): Promise<string> {
  const { execFile } = process.getBuiltinModule('node:child_process');
  const { promise, resolve } = Promise.withResolvers<string>();
  execFile(path, ['--version'], { env: {}, timeout: selfTestMs }, (failure, stdout) =>
    resolve(failure === null ? stdout.trim() : 'it cannot be started'),
  );
  return promise;
}

/** What is wrong with the wall; undefined when it stands. */
async function selfTest(
  { clock, folder, run }: Examination,
  launcher: string,
): Promise<string | undefined> {
  const place = join(folder, 'self-test');
  const late = new AbortController();
  const over = new AbortController();
  clock.sleep(selfTestMs, over.signal).then(
    () => late.abort(new Error(`it did not end within ${selfTestMs / 1000} s`)),
    () => {},
  );
  try {
    const canary = join(place, 'canary');
    const view = makeView(place, canary);
    const command = { argv: selfTestProgram({ canary }), cwd: workspaceInside, env: {} };
    const nothing = { stdin: undefined, network: undefined, timeoutMs: undefined };
    const order = { view, command, limits, outputBytes: 4096, signal: late.signal, ...nothing };
    return holeIn(await run(launcher, order));
  } catch (failure) {
    const cause = failure instanceof AosError ? (failure.cause ?? failure) : failure;
    return oneLine(cause instanceof Error ? cause.message : String(cause));
  } finally {
    over.abort(early);
    rmSync(place, { recursive: true, force: true });
  }
}

function holeIn({ end, stdout, stderr }: SandboxResult): string | undefined {
  if (end.kind === 'exited' && end.code === isolatedExitCode) return undefined;
  const words = [stdout, stderr].map((bytes) => Buffer.from(bytes).toString().trim());
  const told = words.find(saysNoRoom) ?? words.find(Boolean);
  return oneLine(told?.split('\n')[0] ?? 'it said nothing');
}

// Of no agent.
const selfTestUid = 2_145_000_000;

function makeView(place: string, canary: string): SandboxRun['view'] {
  const workspace = join(place, 'workspace');
  const uid = process.getuid?.() === 0 ? selfTestUid : undefined;
  rmSync(place, { recursive: true, force: true });
  mkdirSync(workspace, { recursive: true, mode: 0o700 });
  writeFileSync(canary, 'for nobody inside', { mode: 0o600 });
  if (uid !== undefined) chownSync(workspace, uid, uid);
  return { principal: 'self-test', uid, workspace, sees: [], unixSockets: false };
}

const limits: SandboxLimits = {
  memoryBytes: 256 * 2 ** 20,
  processes: 32,
  cpuPercent: 100,
  fileBytes: 2 ** 20,
  openFiles: 64,
  workspaceBytes: 2 ** 20,
  workspaceFiles: 100,
};

function rungOf(groups: LimitGroups | undefined): Pick<Works, 'rung' | 'holds'> {
  const always: Record<'output' | 'time' | 'file-size' | 'workspace', HeldAs> = {
    output: 'exact',
    time: 'exact',
    'file-size': 'each',
    workspace: 'watched',
  };
  if (groups !== undefined) {
    const all = { memory: 'exact', processes: 'exact', cpu: 'exact' } as const;
    return { rung: 'control groups', holds: { ...always, ...all } };
  }
  const some = { memory: 'watched', processes: 'exact', cpu: 'not' } as const;
  return { rung: 'rlimits', holds: { ...always, ...some } };
}

function noFilter(): SandboxState {
  return {
    kind: 'unavailable',
    says: `there is no filter of system calls for ${process.arch}`,
    fix: 'use a machine with an x64 or arm64 processor',
  };
}
