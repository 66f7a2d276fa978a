/** Moves, renames and copies: where each thing goes, and in which order. */
import { hash } from 'node:crypto';
import { AosError } from '../../kernel/errors.ts';
import { nameOf } from '../../kernel/files/file-path.ts';
import type { FileRequest } from '../../kernel/files/request.ts';
import type { FileCaller, FilesDeps } from '../deps.ts';
import { parsePath } from '../paths.ts';
import { findPlace } from '../place.ts';
import { type ChangePlan, finished } from './change-plan.ts';
import { destinationOf } from './destination.ts';
import { betweenMark, inOrder } from './order.ts';
import { checkUnprotected, type PlanStep } from './plan.ts';
import { type PlanSource, type Selection, select } from './select.ts';
import {
  isNamePattern,
  newName,
  type OnConflict,
  type Targets,
  targetsOf,
  type WantedMove,
} from './targets.ts';

export async function planMove(deps: FilesDeps, caller: FileCaller, request: FileRequest) {
  const selection = await select(deps, caller, request, { power: 'move', last: 'keep' });
  const { path, isFolder, makes } = await destinationOf(deps, caller, request, selection);
  const inside = without(selection, path);
  const wanted = inside.sources.map((source) => wantedMove(source, path, isFolder));
  return planMoves(deps, caller, { request, selection: inside, wanted, makes, isCopy: false });
}

export async function planCopy(deps: FilesDeps, caller: FileCaller, request: FileRequest) {
  const selection = await select(deps, caller, request, { power: 'read', last: 'follow' });
  const { path, isFolder, makes } = await destinationOf(deps, caller, request, selection);
  const inside = without(selection, path);
  const wanted = inside.sources.map((source) => wantedMove(source, path, isFolder));
  return planMoves(deps, caller, { request, selection: inside, wanted, makes, isCopy: true });
}

function wantedMove(source: PlanSource, destination: string, isFolder: boolean): WantedMove {
  const folder = destination === '/' ? '' : destination;
  return { source, to: isFolder ? `${folder}/${nameOf(source.path)}` : destination };
}

/** The destination itself stays where it is, with all that it lies in. */
function without(selection: Selection, destination: string): Selection {
  if (!selection.isBatch) return selection;
  const isAround = ({ path }: PlanSource) =>
    destination === path || destination.startsWith(`${path}/`);
  const around = selection.sources.filter(isAround);
  return {
    ...selection,
    sources: selection.sources.filter((source) => !isAround(source)),
    leftOut: [
      ...selection.leftOut,
      ...around.map(({ path }) => ({ path, why: 'it is the destination' })),
    ],
  };
}

export async function planRename(deps: FilesDeps, caller: FileCaller, request: FileRequest) {
  const { destination } = request;
  if (destination === undefined || destination === '') throw noName();
  if (destination.includes('/')) throw nameWithSlash();
  const selection = await select(deps, caller, request, { power: 'move', last: 'keep' });
  if (selection.isBatch && !isNamePattern(destination)) throw sameNameForAll(selection);
  const wanted: WantedMove[] = [];
  for (const [index, source] of selection.sources.entries()) {
    const { path, was, modifiedAt } = source;
    const takenAt = source.takenAt ?? (await takenAtOf(deps, caller, request, source));
    const thing = { name: nameOf(path), isFolder: was.kind === 'folder', number: index + 1 };
    const name = newName(destination, { ...thing, modifiedAt, takenAt }, deps.zone);
    wanted.push({ source, to: `${path.slice(0, path.lastIndexOf('/'))}/${name}` });
  }
  return planMoves(deps, caller, { request, selection, wanted, makes: [], isCopy: false });
}

/** When one file that was named was taken has not been looked up yet. */
async function takenAtOf(
  deps: FilesDeps,
  caller: FileCaller,
  { destination = '' }: FileRequest,
  { path, was }: PlanSource,
): Promise<number | undefined> {
  if (was.kind !== 'file' || !destination.includes('{taken')) return undefined;
  const parts = parsePath(caller.roots, path);
  await using place = await findPlace(deps, caller, parts, { power: 'read', last: 'keep' });
  const folder = { held: place.folder.path, path: path.slice(0, path.lastIndexOf('/')) };
  return (await deps.looking.nature(folder, place.name, caller.signal)).takenAt;
}

interface Moves {
  readonly request: FileRequest;
  readonly selection: Selection;
  readonly wanted: readonly WantedMove[];
  readonly makes: readonly PlanStep[];
  readonly isCopy: boolean;
}

async function planMoves(deps: FilesDeps, caller: FileCaller, moves: Moves): Promise<ChangePlan> {
  const { request, selection, wanted, makes, isCopy } = moves;
  const { isBatch, areNamed = !isBatch } = selection;
  for (const { to } of wanted) checkUnprotected(deps, caller, to);
  const freed = new Set(isCopy ? [] : wanted.filter(isMoved).map(({ source }) => source.path));
  const onConflict: OnConflict = request.options?.on_conflict ?? (areNamed ? 'replace' : 'number');
  const targets = await targetsOf(deps, caller, wanted, { onConflict, freed, isBatch, isCopy });
  const steps = isCopy ? copies(targets) : inOrder(movesOf(targets), besideName);
  return finished(deps, request, {
    steps: steps.length === 0 ? [] : [...makes, ...steps],
    leftOut: [...selection.leftOut, ...targets.leftOut],
    sources: targets.targets.map(({ source }) => source),
    ...{ isBatch, numbered: targets.numbered },
  });
}

function isMoved({ source, to }: WantedMove): boolean {
  return source.path !== to;
}

function copies({ targets }: Targets): readonly PlanStep[] {
  return targets.map(({ source: { path, was }, to, replaces }) => ({
    ...{ do: 'copy', from: path, to, was },
    ...(replaces === undefined ? {} : { replaces }),
  }));
}

function movesOf({ targets }: Targets) {
  return targets.map(({ source: { path, was }, to, replaces }) => ({
    ...({ do: 'move', from: path, to, was } as const),
    ...(replaces === undefined ? {} : { replaces }),
  }));
}

/** Equal whenever the same plan is made, so that its hash is. */
function besideName(path: string, number: number): string {
  const mark = hash('sha256', path).slice(0, 16);
  return `${path.slice(0, path.lastIndexOf('/'))}${betweenMark}${mark}-${number}.tmp`;
}

function noName(): AosError {
  return new AosError('files.invalid-input', {
    message: 'rename_file does not say how it should be called',
    fix: 'Say it in destination',
  });
}

function nameWithSlash(): AosError {
  return new AosError('files.invalid-input', {
    message: 'A new name has no slash in it',
    fix: 'To put it elsewhere use move_file',
  });
}

function sameNameForAll({ sources }: Selection): AosError {
  return new AosError('files.invalid-input', {
    message: `${sources.length} files cannot all have the same name`,
    fix: 'Say how they differ, as in {name}-{n}{ext} or {taken}{ext}',
  });
}
