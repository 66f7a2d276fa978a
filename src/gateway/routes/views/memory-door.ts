/** A request about memories as a call of the tool of that name: decided, journalled, answered. */
import { AosError } from '../../../kernel/errors.ts';
import { findApprovalOfCall } from '../../../ledger/security/approvals.ts';
import { actingPrincipal } from '../../server/parties.ts';
import type { Call, RouteDeps } from '../handlers.ts';
import { withCallId } from '../tools.ts';

type DoorDeps = Pick<RouteDeps, 'calls' | 'ledger'>;
/** What all of them have in common. */
export interface DoorCall extends Pick<Call<'forgetMemory'>, 'caller' | 'query' | 'request'> {
  readonly body?: object | null;
}

/** Resolves to what the tool says, which the caller knows by its name. */
export async function throughDoor<T>(
  { calls, ledger }: DoorDeps,
  tool: string,
  { caller, query, body, request }: DoorCall,
): Promise<T> {
  const principal = await actingPrincipal(ledger, caller, query.as);
  // Who may look into everybody's memory may have mistyped whose.
  if (principal === 'owner') await checkWhose({ ledger }, { caller, body: body ?? null });
  const header = request.headers['idempotency-key'];
  const key = header === undefined ? undefined : String(header);
  const outcome = await calls.call({ principal, tool, args: body ?? {}, key });
  // A test holds the answers of the tools against what the contract says of them.
  if (outcome.kind === 'answered') return outcome.output as T;
  if (outcome.kind === 'failed') throw withCallId(outcome.error, outcome.callId);
  const approval = await findApprovalOfCall(ledger.committed, outcome.callId);
  throw notYet({ callId: outcome.callId, tool, approval: approval?.id });
}

async function checkWhose(
  { ledger }: Pick<DoorDeps, 'ledger'>,
  { caller, body }: Pick<DoorCall, 'caller' | 'body'>,
): Promise<void> {
  const of = body && 'of' in body ? body.of : undefined;
  if (typeof of === 'string') await actingPrincipal(ledger, caller, of);
}

interface Waiting {
  readonly callId: string;
  readonly tool: string;
  readonly approval: string | undefined;
}

function notYet({ callId, tool, approval }: Waiting): AosError {
  const details = { call_id: callId, tool, approval };
  if (approval === undefined) {
    return new AosError('tool.timeout', {
      message: `Call ${callId} of ${tool} is still running`,
      fix: `aos tool calls ${callId}`,
      details,
    });
  }
  return new AosError('approval.needed', {
    message: `Call ${callId} of ${tool} waits until a human approves it: approval ${approval}`,
    fix: `aos approvals approve ${approval}`,
    details,
  });
}
