/**
 * What becomes of an agent whose program has ended: its state, and whether it starts anew.
 *
 * E1. The end, and that it is started again, are one transaction: after a crash the agent is
 *     either found as it was, and ends once more, or waits to be started.
 * E2. Who has to know of an agent that is given up is told before the row says so, under a
 *     key of this very start: a crash in between tells them once all the same.
 */

import {
  decideRestart,
  defaultIntensity,
  type RestartDecision,
  recentRestarts,
} from '../../kernel/agent/agent.ts';
import type { Instant } from '../../kernel/ports.ts';
import type { ProgramEnd } from '../../kernel/programs.ts';
import type { SandboxLimit, SandboxLimits } from '../../kernel/sandbox.ts';
import { printable, quote } from '../../kernel/text/quote.ts';
import { timeText } from '../../kernel/text/time-text.ts';
import { agentInnards, findAgent, setProgram, setRestarts } from '../../ledger/agents.ts';
import type { Transaction } from '../../ledger/ledger.ts';
import { tellLater } from '../../relay/tell.ts';
import { turnTo } from '../life.ts';
import type { CommandDeps } from './deps.ts';
import { placesOf, readCommandSpec, readRestarts } from './stored-program.ts';

export interface EndedProgram {
  readonly id: string;
  readonly end: ProgramEnd;
  readonly ranMs: number | undefined;
  /** Of one that was not watched, if it has left word. */
  readonly endedAt?: Instant | undefined;
  readonly logFrom: number;
  /** The limit that it was stopped for. */
  readonly stoppedBy?: SandboxLimit | undefined;
}

const tailBytes = 2048;

/** Resolves when the ledger has it. */
export async function endProgram(
  deps: CommandDeps,
  name: string,
  { id, end, ranMs, endedAt, logFrom, stoppedBy }: EndedProgram,
): Promise<RestartDecision> {
  const { ledger, clock, logs, home } = deps;
  const tail = logs.tail(placesOf(home, name).log, { from: logFrom, mostBytes: tailBytes });
  const { limits } = deps.sandboxes;
  const stopped = stoppedBy === undefined ? undefined : { by: stoppedBy, limits };
  const reason = endWords({ end, ranMs, endedAt, tail, stopped });
  const innards = await agentInnards(ledger.committed, name);
  const life = {
    policy: readCommandSpec(name, innards?.spec ?? null).restart,
    end: isOk(end) ? ('ok' as const) : ('failed' as const),
    restarts: readRestarts(innards?.restarts ?? null),
    now: clock.now(),
    intensity: deps.intensity ?? defaultIntensity,
  };
  const decision = decideRestart(life);
  // E2
  if (decision.kind === 'give-up') await escalate(deps, name, { id, reason });
  const restarts = [...recentRestarts(life), life.now];
  const ending = { end, stoppedBy, reason, at: life.now, decision };
  await ledger.transact((tx) => writeEnd(tx, name, { ...ending, id, restarts }));
  return decision;
}

interface Ending {
  readonly id: string;
  readonly end: ProgramEnd;
  readonly stoppedBy: SandboxLimit | undefined;
  readonly reason: string;
  readonly at: number;
  readonly decision: RestartDecision;
  readonly restarts: readonly number[];
}

// E1
async function writeEnd(tx: Transaction, name: string, ending: Ending): Promise<void> {
  const { end, stoppedBy, decision, at, restarts } = ending;
  const to = isOk(end) && decision.kind !== 'give-up' ? 'completed' : 'failed';
  const gaveUp = decision.kind === 'give-up' ? ', and was restarted too often to try again' : '';
  const reason = `${ending.reason}${gaveUp}`;
  const data = stoppedBy === undefined ? end : { ...end, stopped_by: stoppedBy };
  const turn = { actor: 'system', at, data };
  await setProgram(tx, name, { program: null, pid: null });
  // It was let go on from outside, or it could not have come to an end.
  if (to === 'completed') await turnTo(tx, name, { ...turn, to: 'running', from: ['paused'] });
  if (!(await turnTo(tx, name, { ...turn, to, reason }))) return;
  if (decision.kind === 'stop') await tellParent(tx, name, { id: ending.id, to, reason, at });
  if (decision.kind !== 'restart') return;
  await setRestarts(tx, name, JSON.stringify(restarts));
  const again = `starts again in ${decision.afterMs / 1000} s: ${reason}`;
  await turnTo(tx, name, { ...turn, to: 'pending', reason: again });
}

interface Told {
  readonly id: string;
  readonly to: 'completed' | 'failed';
  readonly reason: string;
  readonly at: number;
}

/** An agent that had it spawned wants to know how it ended. */
async function tellParent(tx: Transaction, name: string, told: Told): Promise<void> {
  const { id, to, reason, at } = told;
  const parent = (await findAgent(tx, name))?.parent ?? null;
  if (parent === null) return;
  const body = `CHILD: ${name}\nSTATE: ${to}\nTRUST: data\n\n${reason}\n`;
  await tellLater(tx, { to: `agent:${parent}`, key: `program-${id}-ended`, body }, { at });
}

interface GivenUp {
  readonly id: string;
  readonly reason: string;
}

/** Tells the parent and the owner that it is not tried any more. */
export async function escalate(deps: CommandDeps, name: string, given: GivenUp): Promise<void> {
  const parent = (await findAgent(deps.ledger.committed, name))?.parent;
  const body = `Agent ${quote(name)} is not started again by itself any more: ${given.reason}`;
  for (const to of [...(parent ? [`agent:${parent}`] : []), 'owner']) {
    const key = `given-up-${name}-${given.id}-${to === 'owner' ? 'owner' : 'parent'}`;
    try {
      await deps.notify({ to, key, body });
    } catch (failure) {
      // What happened is in the row as well; a full mailbox must not keep it from there.
      deps.log.error({ err: failure, agent: name, to }, 'nobody could be told of it');
    }
  }
}

// How a program ended, for people.

interface EndFacts {
  readonly end: ProgramEnd;
  /** How long it ran; undefined when it was not watched all the time. */
  readonly ranMs: number | undefined;
  /** Where it was not: when it ended, if it has left word. */
  readonly endedAt?: Instant | undefined;
  /** The last of what it wrote. */
  readonly tail: string;
  /** What it was stopped for. */
  readonly stopped?: StoppedFor | undefined;
}

interface StoppedFor {
  readonly by: SandboxLimit;
  readonly limits: SandboxLimits;
}

export function isOk(end: ProgramEnd): boolean {
  return end.kind === 'exited' && end.code === 0;
}

/** `exited with 3 after 2 s; last lines: …` */
export function endWords({ end, ranMs, endedAt, tail, stopped }: EndFacts): string {
  const moment = endedAt === undefined ? '' : `at ${momentWords(endedAt)}, `;
  const when =
    ranMs === undefined ? `${moment}while no daemon watched` : `after ${duration(ranMs)}`;
  const lines = printable(tail.replaceAll('\r\n', '\n')).trim();
  const last = isOk(end) || lines === '' ? '' : `; last lines: ${lines}`;
  if (stopped === undefined) return `${what(end)} ${when}${last}`;
  return `was stopped ${when}: it ${passed(stopped)}${last}`;
}

/** `2026-05-01T12:00:00Z` */
export function momentWords(at: Instant): string {
  return timeText(at).replace(/\.\d+Z$/, 'Z');
}

function passed({ by, limits }: StoppedFor): string {
  const megabytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MB`;
  switch (by) {
    case 'memory':
      return `used more memory than ${megabytes(limits.memoryBytes)}`;
    case 'workspace':
      return `filled its workspace beyond ${megabytes(limits.workspaceBytes)} or ${limits.workspaceFiles} files, or its outbox or inbox beyond what a mailbox may hold`;
    case 'file-size':
      return `wrote a file of more than ${megabytes(limits.fileBytes)}`;
    case 'processes':
      return `had more than ${limits.processes} processes`;
    case 'output':
      return 'wrote too much';
    case 'time':
      return 'took too long';
  }
}

function what(end: ProgramEnd): string {
  switch (end.kind) {
    case 'exited':
      return `exited with ${end.code}`;
    case 'killed':
      return `was killed by ${end.signal}`;
    case 'unknown':
      return 'ended without a word';
  }
}

function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}
