/** `aos du`: what takes the room in a home folder. */
import { join } from 'node:path';
import { AosError } from '../../kernel/errors.ts';
import type { DiskEntry, DiskView, EventLoop } from '../../kernel/ports.ts';
import { ownFolders, reserveName } from '../doctor/modes.ts';

/**
 * Sizes are those that the files show. A file with two names (an artifact and its blob)
 * counts under both, and one with holes in it takes less than it shows.
 */
export interface HomeUsage {
  readonly items: UsageItem[];
  readonly total_bytes: number;
}

export interface UsageItem {
  /** An area of the home, such as `ledger` or `blobs`, or `agents/NAME` for an agent. */
  readonly name: string;
  readonly bytes: number;
  /** Whatever is no folder. A symlink counts as itself, never as what it leads to. */
  readonly files: number;
}

export interface MeasureDeps {
  readonly disk: DiskView;
  readonly eventLoop: EventLoop;
}

/**
 * Adds up the home folder, area by area. In memory are the names of one folder and of
 * those above it at a time; files that come and go meanwhile are counted or not.
 */
export async function measureHome(
  deps: MeasureDeps,
  home: string,
  signal?: AbortSignal,
): Promise<HomeUsage> {
  const areas = ['ledger', ...ownFolders.filter((name) => name !== 'agents'), 'reserve', 'other'];
  const usages = new Map<string, Usage>(areas.map((area) => [area, nothing]));
  const add = async (item: string, path: string) => {
    usages.set(item, sum(usages.get(item) ?? nothing, await measure(deps, path, signal)));
  };
  for (const name of await deps.disk.list(home)) {
    if (name !== 'agents') await add(areaOf(name), join(home, name));
  }
  for (const name of await namesIn(deps.disk, join(home, 'agents'))) {
    await add(`agents/${name}`, join(home, 'agents', name));
  }
  const items = Array.from(usages, ([name, usage]) => ({ name, ...usage }));
  return { items, total_bytes: items.reduce(sum, nothing).bytes };
}

function areaOf(name: string): string {
  if (name.startsWith('ledger.db')) return 'ledger';
  if (name.startsWith('search.db')) return 'index';
  if (name === reserveName) return 'reserve';
  return ownFolders.find((folder) => folder === name) ?? 'other';
}

type Usage = Pick<UsageItem, 'bytes' | 'files'>;

const nothing: Usage = { bytes: 0, files: 0 };

async function measure(deps: MeasureDeps, path: string, signal?: AbortSignal): Promise<Usage> {
  let usage = nothing;
  for await (const { entry } of filesBelow(deps, path, signal)) {
    usage = sum(usage, { bytes: entry.sizeBytes, files: 1 });
  }
  return usage;
}

function sum(one: Usage, other: Usage): Usage {
  return { bytes: one.bytes + other.bytes, files: one.files + other.files };
}

export interface MeasuredFile {
  readonly path: string;
  readonly entry: DiskEntry;
}

// The disk answers on the spot, so that a long walk would keep all other callers waiting.
const looksPerTurn = 256;

/**
 * Every file below a path, or the path itself where it is one. Never follows a symlink;
 * passes over what vanishes or may not be looked into. The signal stops it with its reason.
 */
export async function* filesBelow(
  { disk, eventLoop }: MeasureDeps,
  path: string,
  signal?: AbortSignal,
): AsyncGenerator<MeasuredFile> {
  // Not recursive, because a tree may be as deep as its maker liked.
  const open: Iterator<string>[] = [[path].values()];
  for (let looks = 1; open.length > 0; looks++) {
    if (looks % looksPerTurn === 0) await nextTurn(eventLoop);
    signal?.throwIfAborted();
    const next = open.at(-1)?.next();
    if (next === undefined || next.done === true) {
      open.pop();
      continue;
    }
    const entry = await statIfThere(disk, next.value);
    if (entry?.kind === 'folder') open.push(pathsIn(next.value, await namesIn(disk, next.value)));
    else if (entry !== undefined) yield { path: next.value, entry };
  }
}

function* pathsIn(folder: string, names: readonly string[]): Generator<string> {
  for (const name of names) yield join(folder, name);
}

function nextTurn(eventLoop: EventLoop): Promise<void> {
  return new Promise((resolve) => eventLoop.atEndOfTurn(resolve));
}

/** The names in a folder; none when it is gone or may not be looked into. */
export async function namesIn(disk: DiskView, path: string): Promise<readonly string[]> {
  try {
    return await disk.list(path);
  } catch (failure) {
    return whereNothingIsSeen(failure, []);
  }
}

async function statIfThere(disk: DiskView, path: string): Promise<DiskEntry | undefined> {
  try {
    return await disk.stat(path);
  } catch (failure) {
    return whereNothingIsSeen(failure, undefined);
  }
}

function whereNothingIsSeen<T>(failure: unknown, answer: T): T {
  const unseen = ['disk.missing', 'disk.not-a-folder', 'disk.denied', 'disk.bad-name'];
  if (failure instanceof AosError && unseen.includes(failure.code)) return answer;
  throw failure;
}
