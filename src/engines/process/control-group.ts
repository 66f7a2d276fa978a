/**
 * Control groups of Linux (cgroup 2): a program and all that it starts, however often it forks
 * and whichever session it opens, can be found, frozen and killed as one.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { osCodeOf } from '../../kernel/disk/errors.ts';
import type { Clock } from '../../kernel/ports.ts';

/**
 * The folder of the control group that this process is in; undefined where this system has
 * none that can be seen. Takes `/proc/self/mountinfo` and `/proc/self/cgroup`. With the name of
 * a controller, it is the group of the first version that this controller is in.
 */
export function ownGroup(
  mountinfo: string,
  place: string,
  controller?: string,
): string | undefined {
  const own = ownPlace(place, controller);
  if (own === undefined) return undefined;
  for (const line of mountinfo.split('\n')) {
    const [before = '', after = ''] = line.split(' - ');
    if (!isMountOf(after, controller)) continue;
    const [, , , root = '/', mount = ''] = before.split(' ').map(withoutEscapes);
    const below = root === '/' ? own : belowRoot(root, own);
    // One that lies above what is mounted is not ours to change.
    if (below !== undefined && !below.split('/').includes('..')) return join(mount, below);
  }
  return undefined;
}

// `4:cpu,cpuacct:/a` in the first version, `0::/a` in the second.
function ownPlace(place: string, controller: string | undefined): string | undefined {
  for (const line of place.split('\n')) {
    const [, names = '', own] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    const isIts = controller === undefined ? names === '' : names.split(',').includes(controller);
    if (isIts && own !== undefined) return own;
  }
  return undefined;
}

// What stands behind the dash: the file system, where it comes from, its options.
function isMountOf(after: string, controller: string | undefined): boolean {
  const [fileSystem, , options = ''] = after.split(' ');
  if (controller === undefined) return fileSystem === 'cgroup2';
  return fileSystem === 'cgroup' && options.split(',').includes(controller);
}

function belowRoot(root: string, own: string): string | undefined {
  if (own === root) return '/';
  return own.startsWith(`${root}/`) ? own.slice(root.length) : undefined;
}

// A blank in a path is \040 there.
function withoutEscapes(field: string): string {
  return field.replace(/\\([0-7]{3})/g, (_, digits) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}

/** Where groups can be made; undefined where one cannot be made, joined, frozen and killed. */
export function findGroups(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const read = (name: string) => readFileSync(`/proc/self/${name}`, 'utf8');
    const own = ownGroup(read('mountinfo'), read('cgroup'));
    return own !== undefined && canUse(own) ? own : undefined;
  } catch {
    // No such system, or no right to it: there are other ways, which are weaker.
    return undefined;
  }
}

function canUse(folder: string): boolean {
  const trial = join(folder, `aos-trial-${process.pid}`);
  mkdirSync(trial, { recursive: true });
  try {
    const { spawnSync } = process.getBuiltinModule('node:child_process');
    const joined = spawnSync('/bin/sh', ['-c', 'echo $$ > "$1"', 'sh', join(trial, procs)], {
      stdio: 'ignore',
    });
    const wanted = ['cgroup.kill', 'cgroup.freeze', 'cgroup.events'];
    return joined.status === 0 && wanted.every((name) => existsSync(join(trial, name)));
  } finally {
    rmdirSync(trial);
  }
}

/** The list of a group's processes; who writes a number to it moves that process there. */
export const procs = 'cgroup.procs';
const lookEveryMs = 2;
const killMs = 10_000;
const freezeMs = 2000;

export class ControlGroup {
  readonly path: string;
  readonly #clock: Clock;

  constructor(clock: Clock, path: string) {
    this.#clock = clock;
    this.path = path;
  }

  static make(clock: Clock, folder: string, id: string): ControlGroup {
    const group = new ControlGroup(clock, join(folder, groupName(id)));
    mkdirSync(group.path);
    return group;
  }

  /** Where a process writes its number to join it. */
  get procsPath(): string {
    return join(this.path, procs);
  }

  /** A process that is gone already joins nothing. */
  add(pid: number): void {
    this.#write(procs, String(pid));
  }

  /** Also those in groups that they have made below. */
  pids(): number[] {
    return pidsIn(this.path);
  }

  isFrozen(): boolean {
    return this.#says('frozen');
  }

  async freeze(): Promise<void> {
    this.#write('cgroup.freeze', '1');
    await this.#until(freezeMs, () => this.isFrozen() || !this.#says('populated'));
  }

  thaw(): void {
    this.#write('cgroup.freeze', '0');
  }

  /** False when some of them outlived it, which only a system in trouble lets happen. */
  kill(): Promise<boolean> {
    return this.#until(killMs, () => {
      if (!this.#says('populated')) return true;
      this.#write('cgroup.kill', '1');
      return false;
    });
  }

  remove(): void {
    removeGroup(this.path);
  }

  async #until(patienceMs: number, isSo: () => boolean): Promise<boolean> {
    const deadlineMs = this.#clock.monotonicMs() + patienceMs;
    while (!isSo()) {
      if (this.#clock.monotonicMs() > deadlineMs) return false;
      await this.#clock.sleep(lookEveryMs);
    }
    return true;
  }

  /** `populated` and `frozen` are true of all groups below together. */
  #says(fact: 'populated' | 'frozen'): boolean {
    return new RegExp(`^${fact} 1$`, 'm').test(readIfThere(join(this.path, 'cgroup.events')));
  }

  #write(name: string, value: string): void {
    try {
      writeFileSync(join(this.path, name), value);
    } catch (failure) {
      if (!isGone(failure)) throw failure;
    }
  }
}

export function groupName(id: string): string {
  return `aos-${basename(id)}`;
}

/** Of the group and of all below it. */
export function pidsIn(path: string): number[] {
  return foldersBelow(path).flatMap((folder) =>
    readIfThere(join(folder, procs)).split('\n').filter(Boolean).map(Number),
  );
}

/** With all below it. */
export function removeGroup(path: string): void {
  for (const folder of foldersBelow(path).reverse()) {
    try {
      rmdirSync(folder);
    } catch {
      // It is gone, or a process is in it after all: an empty group does no harm.
    }
  }
}

/** The process or the group has gone meanwhile. */
export function isGone(failure: unknown): boolean {
  return ['ESRCH', 'ENOENT', 'ENODEV'].includes(osCodeOf(failure) ?? '');
}

function foldersBelow(path: string): string[] {
  try {
    const entries = readdirSync(path, { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory());
    return [path, ...folders.flatMap(({ name }) => foldersBelow(join(path, name)))];
  } catch {
    // Removed while we looked.
    return [];
  }
}

export function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Removed while we looked: no process is in it.
    return '';
  }
}
