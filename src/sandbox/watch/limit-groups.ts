/**
 * Control groups with limits: what is in one has so much memory, so many processes and so
 * much time of the processors, all of it together. Those of control-group.ts end and freeze.
 *
 * The name of a group tells which process made it, so that no daemon takes away one that another
 * daemon has made and is about to fill.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pidsIn, procs, readIfThere, removeGroup } from '../../engines/process/control-group.ts';
import { osCodeOf } from '../../kernel/disk/errors.ts';
import { AosError } from '../../kernel/errors.ts';
import { must } from '../../kernel/must.ts';
import type { SandboxLimits } from '../../kernel/sandbox.ts';
import {
  countOf,
  findRoom,
  type GroupFile,
  type GroupRoom,
  type GroupWords,
  groupWords,
  processCount,
  processEvents,
  type Setting,
} from './limit-groups-room.ts';

export interface LimitGroups {
  readonly version: 1 | 2;
  /** Throws `sandbox.not-started`. */
  make(id: string, limits: SandboxLimits): LimitGroup;
  /** One that was made under this id, by this process or by one that has ended. */
  find(id: string): LimitGroup | undefined;
  /** Removes what daemons that have ended left, where no process is in it. */
  sweep(): void;
}

export interface LimitGroup {
  /** Where a process writes its number to join. */
  readonly procsPaths: readonly string[];
  /** Where it is one folder, by which all in it can be frozen and killed (control-group.ts). */
  readonly folder: string | undefined;
  /** How often each limit was met since. Nothing once it is removed. */
  met(): LimitsMet;
  pids(): readonly number[];
  /** How many count against its limit; of those that have ended, some for a moment longer. */
  counted(): number;
  /** With all below; harmless when gone. One that still holds processes goes later. */
  remove(): void;
}

export interface LimitsMet {
  readonly memoryKills: number;
  readonly processRefusals: number;
}

/**
 * Undefined where groups with memory, pids and cpu cannot be made here. It is found out by
 * trying, and leaves nothing behind.
 */
export function findLimitGroups(): LimitGroups | undefined {
  if (process.platform !== 'linux') return undefined;
  let room: GroupRoom | undefined;
  try {
    const read = (name: string) => readFileSync(`/proc/self/${name}`, 'utf8');
    room = findRoom(read('mountinfo'), read('cgroup'));
    if (room === undefined) return undefined;
    const groups = new GroupsInRoom(room);
    if (canUse(groups)) return groups;
  } catch {
    // No right to them: limits of single processes hold something at least.
  }
  room?.undo();
  return undefined;
}

const trialLimits: SandboxLimits = {
  ...{ memoryBytes: 64 * 2 ** 20, processes: 8, cpuPercent: 50 },
  ...{ fileBytes: 0, openFiles: 0, workspaceBytes: 0, workspaceFiles: 0 },
};

function canUse(groups: LimitGroups): boolean {
  const trial = groups.make('trial', trialLimits);
  try {
    const { spawnSync } = process.getBuiltinModule('node:child_process');
    const join = 'for list; do echo $$ > "$list" || exit 1; done';
    const options = { stdio: 'ignore', env: {} } as const;
    return spawnSync('/bin/sh', ['-c', join, 'sh', ...trial.procsPaths], options).status === 0;
  } finally {
    trial.remove();
  }
}

const prefix = 'aos-box-';

/** Groups in a room that was found. */
export class GroupsInRoom implements LimitGroups {
  readonly #room: GroupRoom;
  /** A process was still in them when they were to be removed. */
  readonly #late = new Set<MadeGroup>();

  constructor(room: GroupRoom) {
    this.#room = room;
  }

  get version(): 1 | 2 {
    return this.#room.version;
  }

  make(id: string, limits: SandboxLimits): LimitGroup {
    for (const group of [...this.#late]) group.remove();
    const group = new MadeGroup(this.#room, `${prefix}${process.pid}-${basename(id)}`, this.#late);
    try {
      group.make(limits);
      return group;
    } catch (cause) {
      group.remove();
      throw new AosError('sandbox.not-started', {
        message: 'The system did not make a control group for a sandbox',
        fix: 'See with "aos doctor" whether control groups work here, and try again',
        cause,
      });
    }
  }

  find(id: string): LimitGroup | undefined {
    const isIts = new RegExp(`^${prefix}\\d+-${RegExp.escape(basename(id))}$`);
    const names = namesIn(this.#room.folders.memory);
    const name = names.find((each) => isIts.test(each));
    return name === undefined ? undefined : new MadeGroup(this.#room, name, this.#late);
  }

  sweep(): void {
    for (const folder of new Set(Object.values(this.#room.folders))) {
      for (const name of namesIn(folder)) {
        const path = join(folder, name);
        if (isLeft(name) && pidsIn(path).length === 0) removeGroup(path);
      }
    }
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.startsWith(prefix));
  } catch {
    // Then there is nothing to remove either.
    return [];
  }
}

function isLeft(name: string): boolean {
  const maker = must(name.slice(prefix.length).split('-')[0], 'the maker in the name of a group');
  return maker !== String(process.pid) && !existsSync(`/proc/${maker}`);
}

class MadeGroup implements LimitGroup {
  readonly #words: GroupWords;
  readonly #folderOf: (file: Pick<GroupFile, 'controller'>) => string;
  readonly #folders: readonly string[];
  readonly #late: Set<MadeGroup>;

  constructor({ version, folders }: GroupRoom, name: string, late: Set<MadeGroup>) {
    this.#words = groupWords[version];
    this.#folderOf = ({ controller }) => join(folders[controller], name);
    this.#folders = [...new Set(Object.values(folders))].map((folder) => join(folder, name));
    this.#late = late;
  }

  get procsPaths(): readonly string[] {
    return this.#folders.map((folder) => join(folder, procs));
  }

  get folder(): string | undefined {
    return this.#words === groupWords[2] ? this.#folders[0] : undefined;
  }

  make(limits: SandboxLimits): void {
    for (const folder of this.#folders) mkdirSync(folder);
    for (const setting of this.#words.settings(limits)) this.#set(setting);
  }

  met(): LimitsMet {
    return {
      memoryKills: countOf(this.#read(this.#words.memoryEvents), 'oom_kill'),
      processRefusals: countOf(this.#read(processEvents), 'max'),
    };
  }

  // One that is only in some of them, because it died while it joined, is there too.
  pids(): readonly number[] {
    return [...new Set(this.#folders.flatMap(pidsIn))];
  }

  counted(): number {
    return Number(this.#read(processCount)) || 0;
  }

  remove(): void {
    for (const folder of this.#folders) removeGroup(folder);
    if (this.#folders.some((folder) => existsSync(folder))) this.#late.add(this);
    else this.#late.delete(this);
  }

  #set({ ifThere, ifAllowed, value, ...file }: Setting): void {
    const path = join(this.#folderOf(file), file.name);
    if (ifThere === true && !existsSync(path)) return;
    try {
      writeFileSync(path, value);
    } catch (failure) {
      if (ifAllowed !== true || osCodeOf(failure) !== 'EINVAL') throw failure;
    }
  }

  #read(file: GroupFile): string {
    return readIfThere(join(this.#folderOf(file), file.name));
  }
}
