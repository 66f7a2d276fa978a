/** Names of agents as they are typed. */
import type { Client } from '../../gateway/client/client.ts';
import { checkAgentName } from '../../kernel/agent/agent.ts';
import { AosError, type ErrorCode } from '../../kernel/errors.ts';
import { didYouMean } from '../../kernel/text/suggest.ts';

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

export async function agentNames(client: Client, signal: AbortSignal): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of client.agents({ signal })) names.push(name);
  return names;
}
