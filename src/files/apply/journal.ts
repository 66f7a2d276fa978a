/**
 * What a plan is going to do and how far it has come, in files of the home: `plans/ID.jsonl` is
 * written whole and safe before the first step, and never changed; `plans/ID.done` grows by a line
 * a step, which a process that dies leaves behind. A line that is cut off is as good as none: the
 * step looks at the disk and finds what it did.
 */

import {
  createFileDurably,
  ensureFolder,
  readWholeFile,
  removeIfThere,
} from '../../kernel/disk/durable-file.ts';
import { isMissing, isTaken } from '../../kernel/disk/errors.ts';
import type { Disk, FileWriter, Random } from '../../kernel/ports.ts';
import type { FolderTime, Plan, PlanStep } from '../plan/plan.ts';
import type { StepNote } from './deps.ts';

export interface JournalDeps {
  readonly disk: Disk;
  readonly random: Random;
  readonly home: string;
}

export function contentPath(home: string, planId: string): string {
  return `${home}/plans/${planId}.content`;
}

const stepsPath = (home: string, id: string) => `${home}/plans/${id}.jsonl`;
const donePath = (home: string, id: string) => `${home}/plans/${id}.done`;

export async function writePlan(
  deps: JournalDeps,
  id: string,
  plan: Plan,
  content?: Uint8Array,
): Promise<void> {
  await ensureFolder(deps.disk, `${deps.home}/plans`);
  const { steps, leftOut: _, ...head } = plan;
  const text = [head, ...steps].map((line) => JSON.stringify(line)).join('\n');
  if (content !== undefined) await createOnce(deps, contentPath(deps.home, id), content);
  await createOnce(deps, stepsPath(deps.home, id), Buffer.from(`${text}\n`));
}

/** An id is of one plan: what is there already is the same. */
async function createOnce(deps: JournalDeps, path: string, bytes: Uint8Array): Promise<void> {
  try {
    await createFileDurably(deps, path, bytes);
  } catch (failure) {
    if (!isTaken(failure)) throw failure;
  }
}

const largestBytes = 512 * 1024 * 1024;

export async function readPlan({ disk, home }: JournalDeps, id: string): Promise<Plan> {
  const bytes = await readWholeFile(disk, stepsPath(home, id), largestBytes);
  const [head, ...steps] = linesOf(bytes);
  // Ours, and written whole.
  return { ...(head as Plan), steps: steps as readonly PlanStep[], leftOut: [] };
}

/** One line of the second file. */
export interface DoneLine {
  readonly n: number;
  /** Undefined while the step is under way. */
  readonly ok?: boolean;
  readonly note?: StepNote | undefined;
  readonly error?: { readonly code: string; readonly message: string } | undefined;
  /** At the end: the times of the folders, as all the steps left them. */
  readonly folders?: readonly FolderTime[] | undefined;
}

export interface StepState {
  readonly ok: boolean | undefined;
  readonly note: StepNote;
  readonly error?: DoneLine['error'];
}

export interface DoneSteps {
  readonly steps: ReadonlyMap<number, StepState>;
  readonly folders: readonly FolderTime[];
}

export async function readDone({ disk, home }: JournalDeps, id: string): Promise<DoneSteps> {
  const steps = new Map<number, StepState>();
  let folders: readonly FolderTime[] = [];
  for (const line of await doneLines(disk, donePath(home, id))) {
    if (line.folders !== undefined) folders = line.folders;
    else {
      const note = { ...steps.get(line.n)?.note, ...line.note };
      steps.set(line.n, { ok: line.ok, note, error: line.error });
    }
  }
  return { steps, folders };
}

async function doneLines(disk: Disk, path: string): Promise<readonly DoneLine[]> {
  try {
    // Each was written by DoneLog below.
    return linesOf(await readWholeFile(disk, path, largestBytes)) as DoneLine[];
  } catch (failure) {
    if (!isMissing(failure)) throw failure;
    return [];
  }
}

function linesOf(bytes: Uint8Array): unknown[] {
  return Buffer.from(bytes)
    .toString()
    .split('\n')
    .flatMap((line) => {
      try {
        return line === '' ? [] : [JSON.parse(line) as unknown];
      } catch {
        // Cut off by a crash.
        return [];
      }
    });
}

const syncEvery = 64;

/** Lines behind each other, made safe now and then and at the end. */
export class DoneLog implements AsyncDisposable {
  readonly #writer: FileWriter;
  #unsynced = 0;

  constructor(writer: FileWriter) {
    this.#writer = writer;
  }

  static async open({ disk, home }: JournalDeps, id: string): Promise<DoneLog> {
    const path = donePath(home, id);
    const there = await disk.stat(path);
    if (there === undefined) return new DoneLog(await disk.create(path));
    const writer = await disk.create(path, { keepBytes: there.sizeBytes });
    // Behind a line that may have been cut off.
    await writer.append(Buffer.from('\n'));
    return new DoneLog(writer);
  }

  async add(line: DoneLine): Promise<void> {
    await this.#writer.append(Buffer.from(`${JSON.stringify(line)}\n`));
    this.#unsynced++;
    if (this.#unsynced >= syncEvery) await this.sync();
  }

  async sync(): Promise<void> {
    await this.#writer.sync();
    this.#unsynced = 0;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#writer[Symbol.asyncDispose]() as Promise<void>;
  }
}

/** When it can no longer be undone. */
export async function dropPlan({ disk, home }: JournalDeps, id: string): Promise<void> {
  for (const path of [donePath(home, id), contentPath(home, id), stepsPath(home, id)]) {
    await removeIfThere(disk, path);
  }
}
