/**
 * The file agent: one request in, one answer out. What the caller asked for and cannot have is
 * never thrown; that is an answer too. What it throws is an abort, or a bug.
 */
import { fileAgentName } from '../kernel/files/file-agent-name.ts';
import type { FileAction, FileAnswer, FileRequest } from '../kernel/files/request.ts';
import type { Grants } from '../security/grants/grants.ts';
import { bothReach, type FilePower, fileReach } from '../security/reach.ts';
import { answered, type FileAnswerParts, refusal } from './answer.ts';
import { type Change, change, reasonToAsk } from './change.ts';
import type { FileCaller, FilesDeps } from './deps.ts';
import { getDiskUsage, getMetadata } from './look/get-metadata.ts';
import { listFiles } from './look/list-files.ts';
import type { FileLook, LookOutcome } from './look/look.ts';
import { readFile } from './look/read-file.ts';
import { searchFiles } from './look/search-files.ts';
import type { Roots } from './paths.ts';
import { type ChangeAction, isChange } from './plan/make-plan.ts';

export interface FileAgentDeps extends FilesDeps {
  readonly grants: Grants;
  /** The folder that it works in, without symlinks. */
  readonly root: string;
}

/** Who asks, and how. */
export interface FileRun {
  /** `owner` or `agent:NAME`. */
  readonly principal: string;
  /** Equal whenever the same call is made again. */
  readonly key: string;
  readonly signal: AbortSignal;
  /** Through whom, who has to be allowed as well. */
  readonly via?: string | undefined;
  approvedReason(): Promise<string | undefined>;
  onProgress?(done: number, total: number): void;
}

type LookAction = Exclude<FileAction, ChangeAction>;

const looks: Readonly<Record<LookAction, (look: FileLook) => Promise<LookOutcome>>> = {
  list_files: listFiles,
  read_file: readFile,
  search_files: searchFiles,
  get_metadata: getMetadata,
  get_disk_usage: getDiskUsage,
};

export async function runRequest(
  deps: FileAgentDeps,
  request: FileRequest,
  run: FileRun,
): Promise<FileAnswer> {
  const startedAt = deps.clock.monotonicMs();
  const caller = callerOf(deps, run, async () => (await run.approvedReason()) !== undefined);
  return answering(deps, startedAt, () => {
    const { action } = request;
    if (!isChange(action)) return look({ deps, caller, request }, looks[action]);
    const { key, approvedReason } = run;
    const work: Change = { deps, caller, request, key, approvedReason: () => approvedReason() };
    return change(work);
  });
}

/**
 * What a human is asked for a caller that is not the owner; undefined where no question is needed.
 */
export async function questionOf(
  deps: FileAgentDeps,
  request: FileRequest,
  run: Pick<FileRun, 'principal' | 'signal' | 'via'>,
): Promise<string | undefined> {
  // A caller that comes with another caller's yes is refused, and no human is asked for that.
  const hasToken = request.options?.confirmation_token !== undefined;
  if (!isChange(request.action) || hasToken) return undefined;
  try {
    return await reasonToAsk(
      deps,
      callerOf(deps, run, async () => true),
      request,
    );
  } catch (failure) {
    // What cannot be done is refused when it is run, and no human has to be asked.
    if (refusal(failure) === undefined) throw failure;
    return undefined;
  }
}

/** Shapes what comes of it, and turns refusals into answers. */
export async function answering(
  { clock }: Pick<FilesDeps, 'clock'>,
  startedAt: number,
  work: () => Promise<FileAnswerParts>,
): Promise<FileAnswer> {
  const parts = await work().catch((failure: unknown) => {
    const refused = refusal(failure);
    if (refused === undefined) throw failure;
    return refused;
  });
  return answered(parts, clock.monotonicMs() - startedAt);
}

async function look(
  asked: FileLook,
  by: (look: FileLook) => Promise<LookOutcome>,
): Promise<FileAnswerParts> {
  const { request } = asked;
  const { words, would, result, files, bytes } = await by(asked);
  const isDry = request.options?.dry_run === true;
  return { status: 'success', words: isDry ? would : words, result, files, bytes };
}

/** Calls that the file agent makes for who wrote to it have such keys. */
const mailKey = /^file_agent:/;

/** Through whom a call was made. */
export function viaOf(key: string | undefined): string | undefined {
  return key !== undefined && mailKey.test(key) ? `agent:${fileAgentName}` : undefined;
}

/** The workspace of an agent is its own root beside the common one. */
export function rootsOf(
  { root, home }: Pick<FileAgentDeps, 'root' | 'home'>,
  principal: string,
): Roots {
  const name = /^agent:(.+)$/.exec(principal)?.[1];
  return name === undefined ? [root] : [root, `${home}/agents/${name}/workspace`];
}

export function callerOf(
  deps: FileAgentDeps,
  run: Pick<FileRun, 'principal' | 'signal' | 'via' | 'onProgress'>,
  isApproved: () => Promise<boolean>,
): FileCaller {
  const { principal, signal, via } = run;
  const reachOf = async (who: string, power: FilePower) =>
    fileReach(deps.grants, {
      ...{ principal: who, power, aosHome: deps.home },
      isApproved: await isApproved(),
    });
  return {
    ...{ principal, signal, roots: rootsOf(deps, principal) },
    reach: async (power) => {
      const own = await reachOf(principal, power);
      return via === undefined ? own : bothReach(own, await reachOf(via, power));
    },
    ...(run.onProgress === undefined ? {} : { onProgress: run.onProgress }),
  };
}
