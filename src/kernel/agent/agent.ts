/**
 * Agents: their names, their states, when one is started again, what they are made from, and when
 * the lease of one may be stolen.
 */
import { AosError } from '../errors.ts';
import { fileAgentName } from '../files/file-agent-name.ts';
import type { Instant } from '../ports.ts';
import { quote } from '../text/quote.ts';

const lawful = /^[a-zA-Z][a-zA-Z0-9_-]{0,62}$/;

// `owner` would be confused with the human; the others are taken by the protocol. An
// agent may be called Lead: it then is whom messages to `Lead` reach.
const reserved: ReadonlySet<string> = new Set([
  '__orchestrator__',
  'system',
  'root',
  'admin',
  'owner',
  // Whose the memories of spaces are.
  'shared',
]);

/** Throws `agent.bad-name`, with the rule that is broken, unless an agent may be called so. */
export function checkAgentName(name: string): void {
  const broken = brokenRule(name);
  if (broken === undefined) return;
  throw new AosError('agent.bad-name', {
    message: `An agent cannot be called ${quote(shortened(name))}: ${broken}`,
    fix: 'Choose a letter followed by at most 62 letters, digits, "_" or "-", such as "jean-2"',
  });
}

/**
 * Like checkAgentName(), for an agent that is to be made: the names of those that come with the
 * system are taken.
 */
export function checkNewAgentName(name: string): void {
  checkAgentName(name);
  if (name.toLowerCase() !== fileAgentName) return;
  throw new AosError('agent.bad-name', {
    message: `An agent cannot be called ${quote(name)}: that is the one that comes with Agent OS`,
    fix: 'Choose another name; whoever writes to file_agent is answered',
  });
}

function brokenRule(name: string): string | undefined {
  if (reserved.has(name.toLowerCase())) return 'that name is reserved';
  if (lawful.test(name)) return undefined;
  if (name === '') return 'a name has at least one character';
  if (!/^[a-zA-Z]/.test(name)) return 'a name begins with a letter from a to z';
  if (!/^[a-zA-Z0-9_-]*$/.test(name)) return 'a name has letters, digits, "_" and "-" only';
  return `a name has at most 63 characters, and this one has ${name.length}`;
}

// A name of a megabyte must not become a sentence of a megabyte.
function shortened(name: string): string {
  return name.length > 80 ? `${name.slice(0, 80)}…` : name;
}

/** How an agent's life goes, and which way it may go on. */

export type AgentState = 'pending' | 'running' | 'paused' | 'completed' | 'failed' | 'terminated';

/**
 * `running` is under a lease, or is a lie. A standing agent is `pending` again when it has
 * nothing to do; an agent that is over is `pending` again when it gets another goal, or its
 * supervisor starts it anew. `terminated` is left by being spawned or registered once more.
 */
const transitions: Readonly<Record<AgentState, readonly AgentState[]>> = {
  pending: ['running', 'paused', 'completed', 'failed', 'terminated'],
  running: ['pending', 'paused', 'completed', 'failed', 'terminated'],
  paused: ['running', 'pending', 'failed', 'terminated'],
  completed: ['pending', 'terminated'],
  failed: ['pending', 'terminated'],
  terminated: ['pending'],
};

function mayBecome(from: AgentState, to: AgentState): boolean {
  return transitions[from].includes(to);
}

/** From which states an agent may come into this one. */
export function statesBefore(to: AgentState): readonly AgentState[] {
  return allStates.filter((from) => mayBecome(from, to));
}

const allStates = Object.keys(transitions) as readonly AgentState[];

export interface Intensity {
  /** So many restarts within that time are tried, and no more. */
  readonly most: number;
  readonly withinMs: number;
}

export const defaultIntensity: Intensity = { most: 3, withinMs: 60_000 };

interface EndedLife {
  readonly policy: RestartPolicy;
  readonly end: 'ok' | 'failed';
  /** The moments of earlier restarts, by the wall clock. */
  readonly restarts: readonly Instant[];
  readonly now: Instant;
  readonly intensity?: Intensity;
}

export type RestartDecision =
  | { readonly kind: 'restart'; readonly afterMs: number }
  | { readonly kind: 'stop' }
  /** It would be started again, and has been too often. */
  | { readonly kind: 'give-up' };

const firstDelayMs = 500;
const longestDelayMs = 30_000;

/** Whether an agent whose program or loop has ended is started anew. */
export function decideRestart(life: EndedLife): RestartDecision {
  const { policy, end, intensity = defaultIntensity } = life;
  if (policy === 'never' || (policy === 'on-failure' && end === 'ok')) return { kind: 'stop' };
  const recent = recentRestarts(life).length;
  if (recent >= intensity.most) return { kind: 'give-up' };
  return { kind: 'restart', afterMs: Math.min(firstDelayMs * 2 ** recent, longestDelayMs) };
}

/**
 * Those that still count. The clock may have jumped: back, and a restart seems to lie in the
 * future, which says nothing and must not forbid restarts until then; forward, and all seem
 * long ago. Each jump allows a few restarts more, never endlessly many.
 */
export function recentRestarts({
  restarts,
  now,
  intensity = defaultIntensity,
}: Pick<EndedLife, 'restarts' | 'now' | 'intensity'>): readonly Instant[] {
  return restarts.filter((at) => at <= now && now - at < intensity.withinMs);
}

/** What an agent is made of, as its row keeps it. */

export const restartPolicies = ['never', 'on-failure', 'always'] as const;
export type RestartPolicy = (typeof restartPolicies)[number];

export type AgentSpec = ModelSpec | CommandSpec;

export interface ModelSpec {
  readonly body: 'model';
  /** As a catalog of models knows it, such as `anthropic:claude-sonnet-4-5`. */
  readonly model: string;
  /** What it is told before its goal. */
  readonly instructions: string;
  /** Names of tools, or areas as `file.*`; all of them where nothing is said. */
  readonly tools?: readonly string[] | undefined;
  /** The most tokens of one answer. */
  readonly max_output_tokens: number;
  readonly restart: RestartPolicy;
  /** The agent takes messages from any sender, and is not over when a goal is. */
  readonly is_standing: boolean;
}

export interface CommandSpec {
  readonly body: 'command';
  readonly argv: readonly [string, ...string[]];
  /** Absolute; its workspace where nothing is said. */
  readonly cwd?: string | undefined;
  /** Besides what every program gets. */
  readonly env: Readonly<Record<string, string>>;
  /** What it is to do, which it finds in its inbox. */
  readonly prompt?: string | undefined;
  readonly restart: RestartPolicy;
  /** It runs as the owner, behind no wall. The owner's choice alone, as the two below. */
  readonly unsandboxed?: true | undefined;
  /** Folders of the host that it sees, read-only, at the same paths. */
  readonly sees?: readonly string[] | undefined;
  /** It may write to `cwd`. */
  readonly writable?: true | undefined;
  /** Where the paths in it led when it was spawned: what is shown later is what was meant then. */
  readonly leads?: Readonly<Record<string, string>> | undefined;
}

/** Whether the wall is around its program; null for one that is no program of this machine. */
export function sandboxOf(spec: AgentSpec | undefined): 'on' | 'off' | null {
  if (spec?.body !== 'command') return null;
  return spec.unsandboxed === true ? 'off' : 'on';
}

/** As a row has it; undefined for one that was not spawned. Only spawning writes it. */
export function readSpec(text: string | null | undefined): AgentSpec | undefined {
  return text == null ? undefined : (JSON.parse(text) as AgentSpec);
}

/**
 * Who still works on something, judged by an observer's own monotonic clock. A lease that
 * is alive keeps changing: its owner counts it up with every renewal. One that an observer
 * has watched for its whole time without a change has expired for that observer. No wall
 * clock is asked, so that one which jumps ends no lease and keeps none alive.
 */

/** What an observer sees of a lease. */
interface SeenLease {
  /** Goes up whenever the lease changes hands; work that shows an older one is refused. */
  readonly token: number;
  readonly renewals: number;
}

interface LeaseSighting extends SeenLease {
  readonly firstSeenAtMs: number;
}

export class LeaseWatch {
  readonly #sightings = new Map<string, LeaseSighting>();

  /** Call it with what the ledger says, at least a few times within the lease's time. */
  saw(subject: string, { token, renewals }: SeenLease, monotonicMs: number): void {
    const before = this.#sightings.get(subject);
    if (before?.token === token && before.renewals === renewals) return;
    this.#sightings.set(subject, { token, renewals, firstSeenAtMs: monotonicMs });
  }

  /** Never true of a lease that was not watched for that long. */
  expired(subject: string, ttlMs: number, monotonicMs: number): boolean {
    const seen = this.#sightings.get(subject);
    return seen !== undefined && monotonicMs - seen.firstSeenAtMs >= ttlMs;
  }

  /** For a lease that was given back. */
  forget(subject: string): void {
    this.#sightings.delete(subject);
  }
}
