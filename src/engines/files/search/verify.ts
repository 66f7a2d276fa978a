/** From what was proposed to what is returned: ranked, and looked at on the disk itself. */
import type { BigIntStats } from 'node:fs';
import type { Matcher } from '../../../files/search/matcher.ts';
import { byScore, type Ranked } from '../../../files/search/score.ts';
import type { SearchHit, SearchRequest } from '../../../kernel/files/look.ts';
import { foundFile } from '../list-part.ts';
import type { HeldTree, SearchStop } from './held.ts';
import { type FittingLine, shownLine, textBytesAt } from './rg-output.ts';
import { asksForStats, statsFit } from './walk.ts';

/** Of a file that may be meant, below the base. */
export interface Proposal {
  readonly folders: readonly string[];
  readonly name: string;
  readonly counts?: readonly number[] | undefined;
  readonly line?: FittingLine | undefined;
  readonly modifiedAt?: number | undefined;
}

export interface Choice {
  readonly hits: readonly SearchHit[];
  readonly total: number;
  readonly truncated: boolean;
}

export interface MatchCheck {
  readonly tree: HeldTree;
  readonly matcher: Matcher;
  readonly request: SearchRequest;
  readonly stop: SearchStop;
}

interface Known extends Proposal {
  readonly stats: BigIntStats;
}

/**
 * So many more than are returned are looked at: of those that fit alike the newest come first, and
 * some may be gone.
 */
const lookedAtBeyond = 100;
const aFewBeyond = 10;

export function chooseHits(verification: MatchCheck, proposals: readonly Proposal[]): Choice {
  const { matcher, request, tree } = verification;
  const isEachLookedAt = asksForStats(request.filters) || request.likelier !== undefined;
  const fitting = isEachLookedAt
    ? proposals.flatMap((proposal) => lookAt(tree, request, proposal) ?? [])
    : proposals;
  const ranked = matcher.rank(fitting, request);
  const isDated = ranked[0]?.candidate.modifiedAt !== undefined;
  const beyond = isDated ? aFewBeyond : lookedAtBeyond;
  const best = ranked.slice(0, request.limit + beyond);
  const known = inTheirFolders(best).flatMap(({ candidate, ...score }) => {
    const looked = lookAt(tree, request, candidate);
    return looked === undefined ? [] : { ...score, candidate: looked };
  });
  const { hits, dropped } = takeHits(verification, known.sort(byScore));
  const total = ranked.length - (best.length - known.length) - dropped;
  return { hits, total, truncated: total > hits.length };
}

// Those of a folder one after the other: it is opened once.
function inTheirFolders(ranked: readonly Ranked<Proposal>[]): Ranked<Proposal>[] {
  const keyed = ranked.map((each) => ({ each, key: each.candidate.folders.join('/') }));
  return keyed
    .sort((one, other) => (one.key < other.key ? -1 : Number(one.key > other.key)))
    .map(({ each }) => each);
}

/** Nothing where it is gone, or not what is asked for. */
function lookAt(tree: HeldTree, request: SearchRequest, proposal: Proposal): Known | undefined {
  const stats = tree.stat([...proposal.folders, proposal.name]);
  if (stats === undefined || !statsFit(request.filters, stats)) return undefined;
  return { ...proposal, stats, modifiedAt: Number(stats.mtimeMs) };
}

function takeHits(verification: MatchCheck, ranked: readonly Ranked<Known>[]) {
  const hits: SearchHit[] = [];
  let dropped = 0;
  for (const each of ranked) {
    if (hits.length === verification.request.limit || verification.stop.isCancelled()) break;
    const hit = hitOf(verification, each);
    if (hit === undefined) dropped++;
    else hits.push(hit);
  }
  return { hits, dropped };
}

function hitOf(
  { tree, matcher, request }: MatchCheck,
  { candidate, score, why }: Ranked<Known>,
): SearchHit | undefined {
  const { folders, name, line, stats } = candidate;
  const reasons = why();
  const base = request.base.path === '/' ? '' : request.base.path;
  const file = foundFile(`${base}/${[...folders, name].join('/')}`, stats);
  if (line === undefined) return { file, score, why: reasons };
  if (isThere(tree, candidate, line)) {
    return { file, score, why: reasons, line: shownLine(line) };
  }
  // The text is another by now; the name may be enough.
  if (request.where === 'content' || !matcher.fitsName(name)) return undefined;
  return { file, score, why: reasons.filter((reason) => !reason.startsWith('content ')) };
}

/** Whether the line stands in the file that is really there. */
function isThere(tree: HeldTree, { folders, name }: Known, line: FittingLine): boolean {
  const { offset, bytes } = line;
  try {
    return tree.read([...folders, name], (file) =>
      textBytesAt(file, { offset, length: bytes.length }).equals(bytes),
    );
  } catch {
    return false;
  }
}
