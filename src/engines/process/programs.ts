/**
 * Programs as the bodies of agents. On Linux with a control group that we may use, one holds a
 * program together with all that it starts. Elsewhere on Linux its family is looked for
 * (programs-family.ts), which a program that hides on purpose can escape. On other systems
 * only the process group is signalled; that is weaker still, and has not been tried.
 */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AosError } from '../../kernel/errors.ts';
import type { Clock, Instant } from '../../kernel/ports.ts';
import type {
  ProgramCondition,
  ProgramEnd,
  ProgramRecord,
  Programs,
  RunningProgram,
} from '../../kernel/programs.ts';
import { ControlGroup, findGroups, groupName } from './control-group.ts';
import { realProcesses } from './processes.ts';
import {
  childrenOf,
  continueFamily,
  findFamily,
  isInSandbox,
  killFamily,
  type SeenProcess,
  signal,
  standsStill,
  stopFamily,
} from './programs-family.ts';
import { findProgram, programParts } from './programs-lookup.ts';
import { endOfCode, mustStand, startShim, statusPath } from './programs-shim.ts';

export interface ProgramOptions {
  readonly clock: Clock;
  /** `off` does without control groups where there are some. */
  readonly groups?: 'auto' | 'off';
}

export function openPrograms({ clock, groups = 'auto' }: ProgramOptions): Programs {
  let folder: { readonly path: string | undefined } | undefined;
  // Looked for once, and not before a program is wanted.
  const groupsFolder = () => {
    folder ??= { path: groups === 'off' ? undefined : findGroups() };
    return folder.path;
  };

  return {
    async start(order) {
      const { id, statusFolder, sandbox } = order;
      const program = sandbox === undefined ? findProgram(order) : order.argv[0];
      // A process is in one group of this kind: where the sandbox has one, it is that.
      const own = sandbox?.group === undefined;
      const group = own
        ? makeGroup(clock, groupsFolder(), id)
        : new ControlGroup(clock, sandbox.group);
      try {
        const shim = await startShim(order, program, own ? group?.procsPath : undefined);
        const { pid, ended } = shim;
        // It joins by itself before the program exists; after this it surely has.
        if (own) group?.add(pid);
        const startTime = realProcesses.startTimeOf(pid) ?? '';
        const sandboxed = sandbox === undefined ? undefined : true;
        const path = group?.path;
        const record: ProgramRecord = { id, pid, startTime, group: path, statusFolder, sandboxed };
        const body = new ProgramBody({ clock, record, group, ended, wasAlive: true });
        if (shim.wall !== undefined) await mustStand(clock, shim.wall, () => body.kill());
        await untilItRuns(clock, body, sandbox?.script);
        return body;
      } catch (failure) {
        group?.remove();
        throw failure;
      }
    },

    check: (order) => void findProgram(order),

    partsOf: programParts,

    holdsBy: () => (groupsFolder() === undefined ? 'marks' : 'control groups'),

    adopt(record) {
      const known = record.group ?? guessedGroup(groupsFolder(), record.id);
      const group = known === undefined ? undefined : new ControlGroup(clock, known);
      return new ProgramBody({ clock, record, group, wasAlive: isAlive(record) });
    },
  };
}

// Without one it is a little harder to find every process, which is no reason not to start.
function makeGroup(clock: Clock, folder: string | undefined, id: string) {
  if (folder === undefined) return undefined;
  try {
    return ControlGroup.make(clock, folder, id);
  } catch {
    return undefined;
  }
}

// For a start of which only the id was noted before we died.
function guessedGroup(folder: string | undefined, id: string): string | undefined {
  return folder === undefined ? undefined : join(folder, groupName(id));
}

const longestStartMs = 5000;
/**
 * Until the shell has become two and the other one the program, or all is over: a signal
 * that came earlier would not reach it. `script` is that of the shell inside a sandbox.
 */
async function untilItRuns(
  clock: Clock,
  body: ProgramBody,
  script: string | undefined,
): Promise<void> {
  if (process.platform !== 'linux') return;
  const { record } = body;
  const deadlineMs = clock.monotonicMs() + longestStartMs;
  const hasBegun = () => {
    const pid = body.programPid();
    if (pid === undefined) return false;
    const command = commandOf(pid);
    return script === undefined
      ? command !== commandOf(record.pid)
      : command !== '' && !command.split('\0').includes(script);
  };
  while (isAlive(record) && !hasBegun() && clock.monotonicMs() < deadlineMs) await clock.sleep(1);
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

type Identity = Pick<ProgramRecord, 'pid' | 'startTime'>;

function isAlive({ pid, startTime }: Identity): boolean {
  return startTime !== '' && realProcesses.startTimeOf(pid) === startTime;
}

const lookEveryMs = 250;

interface BodyParts {
  readonly clock: Clock;
  readonly record: ProgramRecord;
  readonly group: ControlGroup | undefined;
  /** Where it is our own child. */
  readonly ended?: Promise<ProgramEnd>;
  readonly wasAlive: boolean;
}

class ProgramBody implements RunningProgram {
  readonly record: ProgramRecord;
  readonly #clock: Clock;
  readonly #group: ControlGroup | undefined;
  readonly #wasAlive: boolean;
  #ended: Promise<ProgramEnd> | undefined;

  constructor({ clock, record, group, ended, wasAlive }: BodyParts) {
    this.record = record;
    this.#clock = clock;
    this.#group = group;
    this.#ended = ended;
    this.#wasAlive = wasAlive;
  }

  get ended(): Promise<ProgramEnd> {
    this.#ended ??= this.#watch();
    return this.#ended;
  }

  programPid(): number | undefined {
    return this.#program()?.pid;
  }

  #program(): SeenProcess | undefined {
    const [first] = childrenOf(this.record.pid);
    if (this.record.sandboxed !== true || first === undefined) return first;
    // The launcher stands outside, and the first one inside only waits for the others.
    const [waiting] = childrenOf(first.pid);
    return waiting === undefined ? undefined : childrenOf(waiting.pid)[0];
  }

  condition(): ProgramCondition {
    if (!isAlive(this.record)) return 'gone';
    if (this.#group?.isFrozen()) return 'stopped';
    // The shell in between may be stopped while the program goes on.
    const program = this.#program();
    const isStill = program !== undefined && standsStill(program, childrenOf(program.pid));
    return isStill ? 'stopped' : 'running';
  }

  endedAt(): Instant | undefined {
    return statSync(statusPath(this.record), { throwIfNoEntry: false })?.mtimeMs;
  }

  async freeze(): Promise<void> {
    if (this.#group !== undefined) await this.#group.freeze();
    else await stopFamily(this.#clock, () => this.#family());
    if (process.platform !== 'linux') this.#signalGroup('SIGSTOP');
  }

  async thaw(): Promise<void> {
    if (this.#group !== undefined) this.#group.thaw();
    else await continueFamily(this.#clock, () => this.#family());
    if (process.platform !== 'linux') this.#signalGroup('SIGCONT');
  }

  async terminate(): Promise<void> {
    // Not what stands in between: it has to tell how the program ended.
    const isIts = (one: SeenProcess) =>
      this.record.sandboxed === true ? isInSandbox(one) : one.pid !== this.record.pid;
    for (const one of this.#family().filter(isIts)) signal(one, 'SIGTERM');
    this.#group?.thaw();
    // A stopped process hears of it only when it goes on; that goes for the shell too.
    for (const one of this.#family()) if (one.state === 'T') signal(one, 'SIGCONT');
    if (process.platform !== 'linux') this.#signalGroup('SIGTERM');
  }

  async kill(): Promise<void> {
    const groupEmpty = (await this.#group?.kill()) ?? true;
    // Also with a group: who may write to the groups above can move out of it.
    const noneLeft = await killFamily(this.#clock, () => this.#family());
    if (process.platform !== 'linux') this.#signalGroup('SIGKILL');
    this.#group?.remove();
    if (!groupEmpty || !noneLeft) throw notKilled(this.#family());
  }

  #family(): SeenProcess[] {
    const { id, pid } = this.record;
    const own = isAlive(this.record) ? [pid] : [];
    const pids = [...own, ...(this.#group?.pids() ?? [])];
    // Of one that ended while it was not watched, the number may be another process's by now.
    return findFamily({ id, pids, session: this.#wasAlive ? pid : undefined });
  }

  #signalGroup(name: NodeJS.Signals): void {
    if (!this.#wasAlive) return;
    try {
      process.kill(-this.record.pid, name);
    } catch {
      // No process is left in it.
    }
  }

  async #watch(): Promise<ProgramEnd> {
    while (isAlive(this.record)) await this.#clock.sleep(lookEveryMs);
    return leftStatus(this.record);
  }
}

function leftStatus(record: ProgramRecord): ProgramEnd {
  try {
    const text = readFileSync(statusPath(record), 'utf8');
    return /^\d{1,3}\n$/.test(text) ? endOfCode(Number(text)) : { kind: 'unknown' };
  } catch {
    // It was killed together with the shell, or the machine went down.
    return { kind: 'unknown' };
  }
}

function notKilled(left: readonly SeenProcess[]): AosError {
  const pids = left.map(({ pid }) => pid);
  return new AosError('program.not-ended', {
    message: `Some processes of a program do not end: ${pids.join(', ') || 'their numbers are not known'}`,
    fix: 'Look at them with ps; they wait for a disk, or belong to another user',
    details: { pids },
  });
}
