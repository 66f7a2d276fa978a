/** The file agent with all that it works with. */

import { ensureFolder } from '../kernel/disk/durable-file.ts';
import { AosError } from '../kernel/errors.ts';
import type { IndexState } from '../kernel/files/look.ts';
import type { FileAnswer, FileRequest } from '../kernel/files/request.ts';
import { countWords } from '../kernel/files/words.ts';
import { must } from '../kernel/must.ts';
import type { Instant } from '../kernel/ports.ts';
import { quote } from '../kernel/text/quote.ts';
import { timeText } from '../kernel/text/time-text.ts';
import { OneAtATime } from '../kernel/turns.ts';
import {
  deleteFilePlan,
  dropUnanswered,
  type FilePlanRow,
  filePlansBefore,
  listFilePlans,
} from '../ledger/file-plans.ts';
import { dropPlan } from './apply/journal.ts';
import { outcomeOf } from './apply/outcome.ts';
import type { FilesDeps } from './deps.ts';
import {
  answering,
  callerOf,
  type FileAgentDeps,
  type FileRun,
  questionOf,
  runRequest,
} from './file-agent.ts';
import { lookRequest } from './look-request.ts';
import { checkOwner } from './owners-only.ts';
import { parsePath } from './paths.ts';
import { findFolder } from './place.ts';
import { recoverPlans } from './recover.ts';
import {
  type SentenceDeps,
  type SentenceRequest,
  type Understood,
  understandSentence,
} from './sentence.ts';
import { listTrash, restoreFromTrash, type TrashRestore } from './trash/list-trash.ts';
import { isUndoable, type UndoRequest, undo } from './undo-plan.ts';

export class FileAgent {
  readonly #deps: SentenceDeps;

  constructor(deps: Omit<SentenceDeps, 'running' | 'names'>) {
    this.#deps = { ...deps, running: new Set(), names: new OneAtATime() };
  }

  get root(): string {
    return this.#deps.root;
  }

  get home(): string {
    return this.#deps.home;
  }

  /** One request in, one answer out. */
  run(request: FileRequest, run: FileRun): Promise<FileAnswer> {
    return runRequest(this.#deps, request, run);
  }

  /** What a human is asked before it is run for a caller that is not the owner. */
  question(
    request: FileRequest,
    run: Pick<FileRun, 'principal' | 'signal' | 'via'>,
  ): Promise<string | undefined> {
    return questionOf(this.#deps, request, run);
  }

  undo(request: UndoRequest, run: FileRun): Promise<FileAnswer> {
    return undo(this.#deps, request, run);
  }

  plans(
    page: { readonly before?: string | undefined; readonly limit?: number | undefined },
    run: FileRun,
  ): Promise<FileAnswer> {
    return listPlans(this.#deps, page, run);
  }

  trash(run: FileRun): Promise<FileAnswer> {
    return listTrash(this.#deps, run);
  }

  restore(request: TrashRestore, run: FileRun): Promise<FileAnswer> {
    return restoreFromTrash(this.#deps, request, run);
  }

  understand(
    asked: SentenceRequest,
    run: Pick<FileRun, 'principal' | 'signal' | 'via'>,
  ): Promise<Understood> {
    return understandSentence(this.#deps, asked, run);
  }

  /** For the owner alone: it takes room, and shows names to every caller that searches. */
  index(path: string, run: FileRun): Promise<FileAnswer> {
    const deps = this.#deps;
    return answering(deps, deps.clock.monotonicMs(), async () => {
      checkOwner(run);
      const caller = callerOf(deps, run, async () => false);
      await using folder = await findFolder(deps, caller, parsePath(caller.roots, path), {
        power: 'read',
      });
      const wanted = await lookRequest(
        deps,
        caller,
        { action: 'list_files' },
        {
          ...{ folder, glob: [], power: 'read', kind: 'any', limit: 1 },
        },
      );
      await ensureFolder(deps.disk, `${deps.home}/index`);
      const state = await deps.searching.index(wanted, caller.signal);
      const words = `Indexed ${countWords(state.files, 'file')} in ${countWords(state.folders, 'folder')}`;
      return { status: 'success', words, result: wireIndex(state), files: state.files };
    });
  }

  dropIndex(path: string, run: FileRun): Promise<FileAnswer> {
    const deps = this.#deps;
    return answering(deps, deps.clock.monotonicMs(), async () => {
      checkOwner(run);
      const caller = callerOf(deps, run, async () => false);
      const parts = parsePath(caller.roots, path);
      const wasThere = await deps.searching.dropIndex(`/${parts.join('/')}`);
      if (!wasThere) throw noIndex(path);
      return {
        status: 'success',
        words: 'Dropped the index',
        result: { path: `/${parts.join('/')}` },
      };
    });
  }

  indexes(run: FileRun): Promise<FileAnswer> {
    const deps = this.#deps;
    return answering(deps, deps.clock.monotonicMs(), async () => {
      checkOwner(run);
      const all = await deps.searching.indexes();
      const words = `${countWords(all.length, 'folder is', 'folders are')} indexed`;
      return { status: 'success', words, result: { indexes: all.map(wireIndex) } };
    });
  }

  /** Forgets what was over before that. */
  forgetBefore(before: Instant): Promise<void> {
    return forgetOldPlans(this.#deps, before);
  }

  /** Before anything is asked of it. */
  recover(log: { error(facts: object, words: string): void }): Promise<void> {
    return recoverPlans(this.#deps, log);
  }
}

function wireIndex({ path, files, folders, bytes, builtAt, sweptAt }: IndexState) {
  return {
    ...{ path, files, folders, bytes },
    ...{ built_at: timeText(builtAt), swept_at: timeText(sweptAt) },
  };
}

function noIndex(path: string): AosError {
  return new AosError('files.no-index', {
    message: `There is no index of ${quote(path.slice(0, 200))}`,
    fix: 'aos files indexes',
  });
}

interface PlansPage {
  readonly before?: string | undefined;
  readonly limit?: number | undefined;
}

const usualPage = 20;

/** Plans of all principals for the owner, and its own for any other caller. */
function listPlans(
  deps: FileAgentDeps,
  { before, limit = usualPage }: PlansPage,
  { principal }: FileRun,
): Promise<FileAnswer> {
  return answering(deps, deps.clock.monotonicMs(), async () => {
    const whose = principal === 'owner' ? undefined : principal;
    const rows = await listFilePlans(deps.ledger.committed, {
      principal: whose,
      before,
      limit: limit + 1,
    });
    const plans = rows.slice(0, limit).map(wirePlan);
    const next = rows.length > limit ? must(plans.at(-1), 'the last plan of a page').id : null;
    return { status: 'success', words: countWords(plans.length, 'plan'), result: { plans, next } };
  });
}

function wirePlan(row: FilePlanRow) {
  const { id, principal, action, state, prompt, undoes } = row;
  const outcome = outcomeOf(row);
  return {
    ...{ id, by: principal, action, state, prompt, files: outcome?.files ?? row.files },
    ...{ done: outcome?.done ?? 0, failed: outcome?.failed ?? 0 },
    ...(undoes === null ? {} : { undoes }),
    can_undo: isUndoable(row),
    created_at: timeText(row.created_at),
    ended_at: row.ended_at === null ? null : timeText(row.ended_at),
  };
}

const dayMs = 86_400_000;
const atOnce = 100;

/** Plans that can no longer be said yes to, or undone, go. */
async function forgetOldPlans(deps: FilesDeps, before: Instant): Promise<void> {
  const { ledger, clock } = deps;
  await ledger.transact((tx) => dropUnanswered(tx, clock.now() - dayMs));
  for (;;) {
    const ids = await filePlansBefore(ledger.committed, before, atOnce);
    if (ids.length === 0) return;
    for (const id of ids) {
      // The files first: a row without them says that it cannot be undone.
      await dropPlan(deps, id);
      await ledger.transact((tx) => deleteFilePlan(tx, id));
    }
  }
}
