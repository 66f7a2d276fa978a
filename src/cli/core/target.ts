/** What a word names: an agent by its name, a goal or a call by its id or the beginning of it. */
import type { Client } from '../../gateway/client/client.ts';
import type { WireAgentDetails, WireCall, WireGoal } from '../../gateway/contract/contract.ts';
import { AosError, type ErrorCode } from '../../kernel/errors.ts';
import { quote } from '../../kernel/text/quote.ts';
import { didYouMean } from '../../kernel/text/suggest.ts';
import { agentNames } from './agent-word.ts';

export type Target =
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
