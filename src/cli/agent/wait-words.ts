import type { Client } from '../../gateway/client/client.ts';
import type { WireGoalSummary } from '../../gateway/contract/contract.ts';

/** The call that a goal waits for; undefined when it waits for something else, or not. */
export function awaitedCall({
  state,
  waits_for,
}: Pick<WireGoalSummary, 'state' | 'waits_for'>): string | undefined {
  if (state !== 'waiting') return undefined;
  return /^call:([0-9a-f]{32})$/.exec(waits_for ?? '')?.[1];
}

/** What a human is to do so that a goal goes on that waits for this call. */
export async function howToGoOn(
  client: Pick<Client, 'approvals'>,
  callId: string,
  signal: AbortSignal,
): Promise<{ readonly what: string; readonly command: string }> {
  const { items } = await client.approvals({ limit: '1000' }, { signal });
  const approval = items.find(({ call_id }) => call_id === callId);
  if (approval !== undefined) {
    const what = `${approval.tool} waits until a human approves it`;
    return { what, command: `aos approvals approve ${approval.id}` };
  }
  // Cut off, and perhaps done: only somebody who looks can tell.
  return {
    what: `call ${callId} was cut off, and nobody knows whether it had its effect`,
    command: `aos resolve ${callId} done|redo|fail`,
  };
}
