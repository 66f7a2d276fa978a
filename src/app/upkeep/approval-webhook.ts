import { AosError } from '../../kernel/errors.ts';
import type { Clock } from '../../kernel/ports.ts';
import type { Sql } from '../../ledger/ledger.ts';
import { type ApprovalRow, findApproval } from '../../ledger/security/approvals.ts';

// Tells a program of the owner's, by a request, that a call waits for an approval.

// Other timers wait for this one.
const patienceMs = 3000;

/** Throws when it did not get through; the caller tries again. Nothing is sent once it was answered. */
export async function postApproval(
  { sql, clock }: { readonly sql: Sql; readonly clock: Clock },
  url: string,
  id: string,
): Promise<void> {
  const approval = await findApproval(sql, id);
  if (approval?.state !== 'waiting') return;
  const late = new AbortController();
  const over = new AbortController();
  clock.sleep(patienceMs, over.signal).then(
    () => late.abort(),
    // It was answered in time.
    () => {},
  );
  try {
    const answer = await fetch(url, {
      method: 'POST',
      redirect: 'error',
      // One request now and then is no reason to keep a connection.
      headers: { 'content-type': 'application/json', connection: 'close' },
      body: JSON.stringify(wireOf(approval)),
      signal: late.signal,
    });
    await answer.body?.cancel();
    if (!answer.ok) throw new Error(`it answers ${answer.status}`);
  } catch (cause) {
    throw new AosError('http.unreachable', {
      message: 'The webhook for approvals cannot be reached',
      fix: 'Check the setting approvalWebhook; it is tried again until somebody has answered',
      cause,
    });
  } finally {
    over.abort();
  }
}

/** What is asked, but not with which arguments: those are for the one who answers. */
function wireOf({ id, principal, tool, reason, hash, asked_at, expires_at }: ApprovalRow): object {
  return {
    type: 'approval.asked',
    ...{ id, tool, reason, hash },
    agent: principal.replace(/^agent:/, ''),
    asked_at: new Date(asked_at).toISOString(),
    expires_at: new Date(expires_at).toISOString(),
  };
}
