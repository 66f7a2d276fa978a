/** Ids, agents and models as they are typed, and as a table shows them. */

import { resolve } from 'node:path';
import type { Client } from '../../gateway/client/client.ts';
import type { WireAgentDetails, WireCall, WireGoal } from '../../gateway/contract/contract.ts';
import { checkAgentName } from '../../kernel/agent/agent.ts';
import { AosError, type ErrorCode } from '../../kernel/errors.ts';
import { quote } from '../../kernel/text/quote.ts';
import { didYouMean } from '../../kernel/text/suggest.ts';

/** Which ids: `grant`, and the command that shows them. */
export interface IdKind {
  readonly what: string;
  readonly shownBy: string;
}

export const grantIds: IdKind = { what: 'grant', shownBy: 'aos cap ls' };
export const callIds: IdKind = { what: 'call', shownBy: 'aos tool calls' };
export const approvalIds: IdKind = { what: 'approval', shownBy: 'aos approvals' };
export const operationIds: IdKind = { what: 'operation', shownBy: 'aos op ls' };

/** An id, or enough of its beginning. What is none would be another path at the daemon. */
export function idOf({ what, shownBy }: IdKind, typed: string): string {
  if (isIdWord(typed)) return typed;
  throw new AosError('usage.bad-value', {
    message: `${quote(typed.slice(0, 100))} is no id of a${/^[ao]/.test(what) ? 'n' : ''} ${what}, nor the beginning of one`,
    fix: `Give at least four of its hex digits, as "${shownBy}" shows them`,
  });
}

function isIdWord(typed: string): boolean {
  return /^[0-9a-f]{4,32}$/.test(typed);
}

// The first twelve digits are the millisecond, in which there may be several.
const fewestDigits = 16;
const wholeId = 32;

/** As long as it takes to tell these ids from each other. */
export function shortIds(ids: readonly string[]): (id: string) => string {
  let digits = fewestDigits;
  const isUnique = () => new Set(ids.map((id) => id.slice(0, digits))).size === new Set(ids).size;
  while (digits < wholeId && !isUnique()) digits++;
  return (id) => id.slice(0, digits);
}

const unknownCodes: ReadonlySet<ErrorCode> = new Set(['agent.unknown', 'operation.no-agent']);

/** Does the work; where there is no such agent, says which one was probably meant. */
export async function withAgent<T>(
  client: Client,
  { name, signal }: { readonly name: string; readonly signal: AbortSignal },
  work: () => Promise<T>,
): Promise<T> {
  // Here and not by the daemon: an empty name would be another path.
  checkAgentName(name);
  try {
    return await work();
  } catch (failure) {
    if (!(failure instanceof AosError) || !unknownCodes.has(failure.code)) throw failure;
    const { code, message, fix, details } = failure;
    const meant = didYouMean(name, await agentNames(client, signal));
    throw new AosError(code, {
      message: meant === '' ? message : `${message}.${meant}`,
      fix,
      details,
    });
  }
}

async function agentNames(client: Client, signal: AbortSignal): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of client.agents({ signal })) names.push(name);
  return names;
}

const scripted = 'scripted:';

/** The daemon has another working folder: a script's file is named as it sees it. */
export function modelOf(typed: string): string {
  if (!typed.startsWith(scripted)) return typed;
  const name = typed.slice(scripted.length);
  const isFile = name.includes('/') || name.endsWith('.json');
  return isFile ? `${scripted}${resolve(name)}` : typed;
}

function isScripted(model: string): boolean {
  return model.startsWith(scripted);
}

/** A person who reads the words of a script must know that they are from one. */
export function modelWords(model: string): string {
  return isScripted(model) ? `${model} (scripted model: follows a script)` : model;
}

/** Like modelWords(), for a table: a file by its last name. */
export function shortModel(model: string): string {
  if (!isScripted(model)) return model;
  return `${scripted}${model.slice(scripted.length).replace(/^.*\//s, '')} (a script)`;
}

type Target =
  | { readonly kind: 'agent'; readonly agent: WireAgentDetails }
  | { readonly kind: 'goal'; readonly goal: WireGoal }
  | { readonly kind: 'call'; readonly call: WireCall };

export async function findTarget(
  client: Client,
  typed: string,
  signal: AbortSignal,
): Promise<Target> {
  const agent = await agentCalled(client, typed, signal);
  if (agent !== undefined) return { kind: 'agent', agent };
  const found = /^[0-9a-f]{4,32}$/.test(typed) ? await withId(client, typed, signal) : [];
  const [target, another] = found;
  if (target === undefined) throw nothingCalled(typed, await agentNames(client, signal));
  if (another === undefined) return target;
  throw new AosError('id.ambiguous', {
    message: `${quote(typed)} is the beginning of the id of a goal and of a call`,
    fix: 'Type more of it',
  });
}

async function agentCalled(
  client: Client,
  typed: string,
  signal: AbortSignal,
): Promise<WireAgentDetails | undefined> {
  // What is no name would be another path at the daemon.
  if (!/^[a-zA-Z][a-zA-Z0-9_-]{0,62}$/.test(typed)) return undefined;
  return unless('agent.unknown', () => client.agentDetails(typed, { signal }));
}

async function withId(client: Client, id: string, signal: AbortSignal): Promise<Target[]> {
  const [goal, call] = await Promise.all([
    unless('operation.unknown', () => client.goal(id, { signal })),
    unless('tool.unknown-call', () => client.toolCall(id, { signal })),
  ]);
  return [
    ...(goal === undefined ? [] : [{ kind: 'goal', goal } as const]),
    ...(call === undefined ? [] : [{ kind: 'call', call } as const]),
  ];
}

async function unless<T>(code: ErrorCode, ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (failure) {
    if (failure instanceof AosError && failure.code === code) return undefined;
    throw failure;
  }
}

function nothingCalled(typed: string, names: readonly string[]): AosError {
  const shown = quote(typed.slice(0, 100));
  return new AosError('id.unknown', {
    message: `There is no agent ${shown}, and no goal or call whose id begins so.${didYouMean(typed, names)}`,
    fix: 'aos ps lists the agents, aos queue --all the goals, aos tool calls the calls',
  });
}
