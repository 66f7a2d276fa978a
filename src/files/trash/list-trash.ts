/** What lies in the trash of the person, and in those at the tops of other disks. */
import { readWholeFile } from '../../kernel/disk/durable-file.ts';
import { AosError } from '../../kernel/errors.ts';
import type { FileAnswer } from '../../kernel/files/request.ts';
import { momentWords, sizeWords } from '../../kernel/files/words.ts';
import { newId } from '../../kernel/new-id.ts';
import { quote } from '../../kernel/text/quote.ts';
import { timeText } from '../../kernel/text/time-text.ts';
import { begin } from '../apply/begin.ts';
import { doneWords } from '../change.ts';
import type { FilesDeps } from '../deps.ts';
import { answering, callerOf, type FileAgentDeps, type FileRun } from '../file-agent.ts';
import { checkOwner } from '../owners-only.ts';
import { isInside, partsOf, shownPath } from '../paths.ts';
import { folderTimes } from '../plan/change-plan.ts';
import { foldersFor } from '../plan/destination.ts';
import { type Plan, type PlanStep, wasOf } from '../plan/plan.ts';
import { parseTrashInfo, type TrashFolder, trashAtTop } from './trash-folder.ts';

interface InTrash {
  /** The real path of the trash. */
  readonly trash: string;
  /** In the folder of the trash. */
  readonly name: string;
  /** Where it was. */
  readonly path: string;
  readonly deletedAt: number | undefined;
}

const largestInfo = 64 * 1024;

/** The newest first. What cannot be read is passed over. */
async function inTrash(deps: FilesDeps): Promise<readonly InTrash[]> {
  const tops = await deps.mounts.tops();
  const others = tops.map((top) => ({ path: trashAtTop(top, deps.uid), top }));
  const found: InTrash[] = [];
  const seen = new Set<string>();
  for (const trash of [{ path: deps.trash, top: '' }, ...others]) {
    const there = await deps.disk.stat(trash.path).catch(() => undefined);
    // A disk may be mounted in several places.
    const identity = `${there?.device}:${there?.inode}`;
    if (there === undefined || seen.has(identity)) continue;
    seen.add(identity);
    found.push(...(await inOneTrash(deps, trash)));
  }
  return found.sort((one, other) => (other.deletedAt ?? 0) - (one.deletedAt ?? 0));
}

async function inOneTrash(
  { disk, zone, uid }: FilesDeps,
  { path: trash, top }: Pick<TrashFolder, 'path' | 'top'>,
): Promise<readonly InTrash[]> {
  const folder = `${trash}/info`;
  for (const path of [trash, folder]) {
    const there = await disk.stat(path).catch(() => undefined);
    // At the top of a disk that is open to all, another user may have made one for us.
    if (there?.kind !== 'folder' || there.ownerUid !== uid) return [];
  }
  const found: InTrash[] = [];
  for (const file of await disk.list(folder).catch(() => [])) {
    if (!file.endsWith('.trashinfo')) continue;
    const text = await readWholeFile(disk, `${folder}/${file}`, largestInfo).catch(() => undefined);
    const info = text && parseTrashInfo(zone, Buffer.from(text).toString());
    if (info === undefined || info.path.startsWith('/') === (top !== '')) continue;
    // A disk may come from another machine, and say that something lay above its top.
    if (partsOf(info.path).includes('..')) continue;
    const path = top === '' ? info.path : `${top === '/' ? '' : top}/${info.path}`;
    found.push({ ...{ trash, name: file.slice(0, -'.trashinfo'.length) }, ...info, path });
  }
  return found;
}

/** For the owner: it is the owner's trash. */
export function listTrash(deps: FileAgentDeps, run: FileRun): Promise<FileAnswer> {
  return answering(deps, deps.clock.monotonicMs(), async () => {
    checkOwner(run);
    const all = await inTrash(deps);
    const files = [];
    for (const { trash, name, path, deletedAt } of all) {
      const there = await deps.disk.stat(`${trash}/files/${name}`).catch(() => undefined);
      if (there === undefined) continue;
      const deleted = deletedAt === undefined ? {} : whenDeleted(deps, deletedAt);
      const size = there.kind === 'folder' ? '' : sizeWords(there.sizeBytes);
      files.push({ name, path, kind: there.kind, size, size_bytes: there.sizeBytes, ...deleted });
    }
    const words = `${files.length} in the trash`;
    return { status: 'success', words, result: { files }, files: files.length };
  });
}

function whenDeleted({ zone }: FilesDeps, at: number) {
  return { deleted: momentWords(zone, at), deleted_at: timeText(at) };
}

export interface TrashRestore {
  /** Where it was, or its name in the trash. */
  readonly path: string;
  readonly dryRun: boolean;
}

/** Back to where it was; never over something that is there now. */
export function restoreFromTrash(
  deps: FileAgentDeps,
  { path, dryRun }: TrashRestore,
  run: FileRun,
): Promise<FileAnswer> {
  return answering(deps, deps.clock.monotonicMs(), async () => {
    const caller = callerOf(deps, run, async () => false);
    checkOwner(run);
    const wanted = path.startsWith('~') ? `${deps.root}${path.slice(1)}` : path;
    const found = (await inTrash(deps)).find(
      ({ name, path: was }) => was === wanted || name === path,
    );
    const there =
      found && (await deps.disk.stat(`${found.trash}/files/${found.name}`).catch(() => undefined));
    if (found === undefined || there === undefined) throw notInTrash(path);
    if (!isInside(caller.roots, partsOf(found.path))) throw notInTrash(path);
    const target = await foldersFor(deps, caller, partsOf(found.path));
    const step: PlanStep = {
      ...({ do: 'restore', to: target.path, was: wasOf(there) } as const),
      from: `${found.trash}/files/${found.name}`,
      info: `${found.trash}/info/${found.name}.trashinfo`,
    };
    const plan = await restorePlan(deps, [...target.makes, step], there.sizeBytes);
    const shown = quote(shownPath(caller.roots, target.path));
    if (dryRun)
      return { status: 'success', words: `Would restore ${shown}`, result: { to: target.path } };
    const outcome = await begin(deps, caller, {
      ...{ id: newId(deps.clock.now(), deps.random), plan, callKey: run.key },
      ...{ request: JSON.stringify({ restore: path }), prompt: `Restore ${shown}` },
    });
    return doneWords(outcome);
  });
}

async function restorePlan(
  { disk }: FilesDeps,
  steps: readonly PlanStep[],
  bytes: number,
): Promise<Plan> {
  return {
    ...{ action: 'restore_file', steps, leftOut: [], files: 1, bytes, onError: 'stop' },
    folders: await folderTimes(disk, steps),
    ...{ isDestructive: false, isPermanent: false },
  };
}

function notInTrash(path: string): AosError {
  return new AosError('files.not-in-trash', {
    message: `${quote(path.slice(0, 200))} is not in the trash`,
    fix: 'aos files trash',
  });
}
