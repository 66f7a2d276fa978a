/** Operations: their states and limits, outsiders who submit them, and which goal is next. */
import type { Instant } from '../ports.ts';
import { quote } from '../text/quote.ts';

/** What an operation is to outsiders: five statuses, and limits. */

export const operationStatuses = [
  'pending',
  'running',
  'succeeded',
  'failed',
  'cancelled',
] as const;
export type OperationStatus = (typeof operationStatuses)[number];

/** What nothing can change; the other limits are settings. */
export const artifactLimits = {
  mostCount: 50,
  mostBytes: 100_000_000,
  /** Of all parts of the name, with the slashes between them. */
  nameLength: 255,
  nameParts: 8,
} as const;

/** How much of what is embedded in an answer; above the first, a warning goes with it. */
export const embedLimits = { warnBytes: 1_000_000, mostBytes: 10_000_000 } as const;

/** How long what was signed may be good, and how far clocks may be apart. */
export const signatureTimes = { longestSeconds: 300, skewSeconds: 60 } as const;

/** How long what one signature buys is good. */
export const tokenMs = 15 * 60_000;

/** An outsider, by the address that its signatures recover to. */
export function granteeOf(address: string): `grantee:${string}` {
  return `grantee:${address}`;
}

/** The address of an outsider; undefined for any other principal. */
export function addressOfGrantee(principal: string): string | undefined {
  return /^grantee:(0x[0-9a-fA-F]{40})$/.exec(principal)?.[1];
}

export function isGrantee(principal: string): boolean {
  return addressOfGrantee(principal) !== undefined;
}

/** What of an operation decides, named as its row names it. */
export interface QueuedGoal {
  readonly id: string;
  readonly agent: string;
  /** The principal that submitted it. */
  readonly owner: string;
  /** 0 to 9. */
  readonly priority: number;
  /** From which its age counts. */
  readonly queued_at: Instant;
  /** Not before; of one that is not delayed it is no later than `queued_at`. */
  readonly due_at: Instant;
  readonly deadline_at: Instant | null;
}

export interface QueueMoment {
  readonly now: Instant;
  readonly ageingMs: number;
  /** How many goals of each owner are at work. */
  readonly running: ReadonlyMap<string, number>;
  /** When an owner had a turn last, as a number that goes up with each start. */
  readonly lastTurns: ReadonlyMap<string, number>;
  /** Agents that are paused, or work on something: an agent does one thing at a time. */
  readonly busy: ReadonlySet<string>;
}

interface Choice<Goal> {
  readonly next: Goal | undefined;
  /** Past their deadline: they are not begun any more. */
  readonly late: readonly Goal[];
}

/**
 * Which goal is next. A goal's level is its priority, better by one for every `ageingMs` that
 * it has waited; 0 is the best there is. Within a level the owner who has least at work, and
 * then the one whose turn is longest ago, comes first; then the oldest goal.
 *
 * The wall clock may jump either way. A goal that seems to be queued in the future has not
 * aged; one whose moment lies further ahead than it ever could was set by a clock that has
 * been put back since, and is due.
 */
export function chooseNext<Goal extends QueuedGoal>(
  queued: Iterable<Goal>,
  moment: QueueMoment,
): Choice<Goal> {
  const late: Goal[] = [];
  let next: Goal | undefined;
  for (const goal of queued) {
    if (isLate(goal, moment.now)) late.push(goal);
    else if (!isDue(goal, moment.now) || moment.busy.has(goal.agent)) continue;
    else if (next === undefined || compareGoals(goal, next, moment) < 0) next = goal;
  }
  return { next, late };
}

/** Below 0 when `a` comes first; 0 only of the same goal. */
export function compareGoals(a: QueuedGoal, b: QueuedGoal, moment: QueueMoment): number {
  const of = (counts: ReadonlyMap<string, number>, owner: string) => counts.get(owner) ?? 0;
  return (
    levelOf(a, moment) - levelOf(b, moment) ||
    of(moment.running, a.owner) - of(moment.running, b.owner) ||
    of(moment.lastTurns, a.owner) - of(moment.lastTurns, b.owner) ||
    a.queued_at - b.queued_at ||
    (a.id < b.id ? -1 : Number(a.id > b.id))
  );
}

export function levelOf(
  { priority, queued_at }: Pick<QueuedGoal, 'priority' | 'queued_at'>,
  { now, ageingMs }: Pick<QueueMoment, 'now' | 'ageingMs'>,
): number {
  const waitedMs = Math.max(0, now - queued_at);
  return Math.max(0, priority - Math.floor(waitedMs / ageingMs));
}

// Smaller steps of a clock are corrections, and a goal's delay is kept over them.
const clockPutBackMs = 60_000;

export function isDue(
  { queued_at, due_at }: Pick<QueuedGoal, 'queued_at' | 'due_at'>,
  now: Instant,
): boolean {
  if (due_at <= Math.max(now, queued_at)) return true;
  return due_at - now > 2 * (due_at - queued_at) + clockPutBackMs;
}

function isLate({ deadline_at }: QueuedGoal, now: Instant): boolean {
  return deadline_at !== null && deadline_at <= now;
}

// Agents that can be made when a goal needs one, and which of them a goal goes to.

export interface AgentTemplate {
  readonly name: string;
  /** Words that a goal for it has, such as `review * pull request`; `*` is anything. */
  readonly handles: readonly string[];
  readonly model?: string | undefined;
  readonly instructions: string;
  readonly tools?: readonly string[] | undefined;
  readonly grants: readonly string[];
  /** As kernel/agent/budget.ts reads them. */
  readonly budget: readonly string[];
  readonly max_output_tokens?: number | undefined;
}

interface ChosenTemplate {
  readonly template: AgentTemplate;
  /** A sentence. */
  readonly because: string;
}

/** The one with the pattern that fits by most characters; of two alike the one that stands first. */
export function chooseTemplate(
  goal: string,
  templates: readonly AgentTemplate[],
): ChosenTemplate | undefined {
  const text = plain(goal);
  let best: { readonly template: AgentTemplate; readonly pattern: string } | undefined;
  for (const template of templates) {
    for (const pattern of template.handles) {
      const isBetter = best === undefined || weight(pattern) > weight(best.pattern);
      if (isBetter && fits(text, pattern)) best = { template, pattern };
    }
  }
  if (best === undefined) return undefined;
  const { template, pattern } = best;
  const because = `Template ${quote(template.name)} handles ${quote(pattern)}, which fits the goal best`;
  return { template, because };
}

/** How much of a pattern is meant as it stands. */
function weight(pattern: string): number {
  return plain(pattern).replace(/[*\s]/g, '').length;
}

/**
 * Whether the pattern stands anywhere in the text, from the border of a word to the border of
 * a word. Each piece between stars is looked for once, from where the one before it was
 * found: the earliest place leaves most room for the rest, so nothing is tried again.
 */
function fits(text: string, pattern: string): boolean {
  const pieces = piecesOf(plain(pattern));
  let from = 0;
  for (const piece of pieces) {
    const found = find(text, piece, from);
    if (found === undefined) return false;
    from = found + piece.text.length;
  }
  // An empty pattern is a slip of the pen; a star alone takes whatever no other template takes.
  return pattern.trim() !== '';
}

interface TemplatePiece {
  readonly text: string;
  /** Whether a word has to begin, or to end, there. */
  readonly startsWord: boolean;
  readonly endsWord: boolean;
}

// `fix*` goes on within the word, `fix *` behind it.
function piecesOf(pattern: string): readonly TemplatePiece[] {
  const texts = pattern.split('*');
  return texts.map((text, place) => ({
    text: text.trim(),
    startsWord: place === 0 || text.startsWith(' '),
    endsWord: place === texts.length - 1 || text.endsWith(' '),
  }));
}

function find(text: string, piece: TemplatePiece, from: number): number | undefined {
  if (piece.text === '') return from;
  let at = text.indexOf(piece.text, from);
  while (at !== -1) {
    const begins = !piece.startsWord || isBorder(text, at);
    if (begins && (!piece.endsWord || isBorder(text, at + piece.text.length))) return at;
    at = text.indexOf(piece.text, at + 1);
  }
  return undefined;
}

/** Not in the middle of a word. */
function isBorder(text: string, at: number): boolean {
  return !(isOfWord(text, at - 1) && isOfWord(text, at));
}

// A code unit is enough: beyond the basic plane are mostly pictures, which end a word.
const ofWord = /[\p{L}\p{N}\p{M}_]/u;

function isOfWord(text: string, at: number): boolean {
  return ofWord.test(text.charAt(at));
}

/** Small letters, and one space where there were several. */
function plain(text: string): string {
  return text.toLowerCase().replace(/\s+/g, ' ').trim();
}
