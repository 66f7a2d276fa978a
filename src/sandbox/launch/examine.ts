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

export interface SandboxExamination {
  readonly clock: Clock;
  readonly folder: string;
  readonly places: readonly string[];
  groups(): LimitGroups | undefined;
  /** One run by this launcher. */
  run(launcher: string, order: SandboxRun): Promise<SandboxResult>;
}

const selfTestMs = 10_000;

type Works = Extract<SandboxState, { kind: 'works' }>;

export async function examine(examination: SandboxExamination): Promise<SandboxState> {
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
  { clock, folder, run }: SandboxExamination,
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
  const said = words.find(saysNoRoom) ?? words.find(Boolean);
  return oneLine(said?.split('\n')[0] ?? 'it said nothing');
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

/**
 * Does the wall stand? A program is started behind it and tries the ways out that matter. One
 * that works is reason enough to run nothing at all.
 */

/** Not 0, which a launcher that runs nothing at all ends with, too. */
const isolatedExitCode = 42;

interface SelfTest {
  /** A file of the host, closed to others, that must not be seen inside. */
  readonly canary: string;
}

/** Says what is wrong on its output, or ends with `isolatedExitCode`. */
function selfTestProgram({ canary }: SelfTest): readonly [string, ...string[]] {
  return ['/bin/sh', '-c', program, 'sh', canary];
}

// Each line looks at one wall. `bad` is what a hole is called.
const program = `
bad() { echo "$1"; exit 1; }
for place in /root /home /etc/shadow /sys /var/run /run/dbus /oldroot /newroot "$1"; do
  test ! -e "$place" || bad "the host's files are visible ($place)"
done
for place in / /usr /etc /dev /proc/sys/kernel/core_pattern /proc/sys/kernel/hostname \\
  /proc/sys/net/ipv4/ip_forward /proc/sysrq-trigger; do
  test ! -w "$place" || bad "$place can be written"
done
test "$(echo /proc/[0-9]* | wc -w)" -le 8 || bad "the host's processes are visible"
while read -r card _; do case $card in
  lo:) ;; *:) bad "the network is reachable ($card)";;
esac; done < /proc/net/dev
while read -r key value _; do case $key in
  Uid:) test "$value" != 0 || bad "the program is the host's root";;
  NoNewPrivs:) test "$value" = 1 || bad "new privileges can be had";;
  Seccomp:) test "$value" = 2 || bad "system calls are not filtered";;
  CapEff:|CapPrm:|CapBnd:|CapAmb:) test "$value" = 0000000000000000 || bad "capabilities are left ($key)";;
esac; done < /proc/self/status
test ! -r /proc/1/environ || test -z "$(tr -d '\\0' < /proc/1/environ)" || bad "the launcher's environment is visible"
(: >> /proc/1/mem) 2>/dev/null && bad "memory of the first process can be written"
set -- $(ls /proc/self/fd); test "$*" = '0 1 2 3' || bad "descriptors are inherited ($*)"
unshare --user true 2>/dev/null && bad "new namespaces can be made"
: > /workspace/.aos-self-test || bad "the workspace cannot be written"
chmod 4755 /workspace/.aos-self-test 2>/dev/null && bad "setuid files can be made"
rm -f /workspace/.aos-self-test
exit ${isolatedExitCode}`;

const oldest = [0, 8] as const;

/** Undefined where this bubblewrap can do what is asked of it. Takes what `--version` prints. */
export function tooOld(version: string): string | undefined {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(version) ?? [];
  if (major === undefined) return `it does not tell its version: ${version.slice(0, 100)}`;
  const isOld = Number(major) === oldest[0] && Number(minor) < oldest[1];
  return isOld
    ? `it is bubblewrap ${major}.${minor}, and ${oldest.join('.')} is needed`
    : undefined;
}

const notInstalled = {
  says: 'bubblewrap is not installed',
  fix: 'sudo apt-get install bubblewrap (or with the package manager of this system)',
} as const;

const noRoom = {
  says: 'no sandbox can be made, because the disk under the home folder is full',
  fix: 'aos gc gives back the room that is kept for this; then free some space there',
} as const;

/** Whether the system refused a file for want of room, which is no fault of the wall. */
export function saysNoRoom(words: string): boolean {
  return /no space left on device|disk quota exceeded/i.test(words);
}

/** What to do about what a launcher, or the program behind it, said. */
export function fixFor(words: string): string {
  if (/uid map|namespace|Operation not permitted|Permission denied/i.test(words)) {
    return 'allow unprivileged user namespaces for bwrap (on Ubuntu 24.04 and later an AppArmor profile for /usr/bin/bwrap; in a container --security-opt seccomp=unconfined)';
  }
  if (/descriptors are inherited/.test(words)) {
    return 'start the daemon without descriptors of others: aos up --detach';
  }
  if (/setpriv/.test(words)) return 'sudo apt-get install util-linux';
  return 'install bubblewrap 0.8 or newer: sudo apt-get install --reinstall bubblewrap';
}
