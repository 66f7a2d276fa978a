/** The routes of verbs that are tools: each request is a call of the tool, decided and journalled. */

import { checkedRequest } from '../../files/input.ts';
import { fileManifest, moreManifest } from '../../files/manifest.ts';
import { AosError } from '../../kernel/errors.ts';
import { must } from '../../kernel/must.ts';
import { findApprovalOfCall } from '../../ledger/security/approvals.ts';
import { answerOfFailure, answerOfOutcome } from '../../toolbox/files/answer-of-outcome.ts';
import { memoryVerbs } from '../../verbs/memory.ts';
import type { Verb } from '../../verbs/verb.ts';
import type { Answer } from '../contract/contract.ts';
import { actingPrincipal } from '../server/authenticate.ts';
import type { Call, Handles, RouteDeps } from './handlers.ts';
import { signalOfCaller, withCallId } from './tools.ts';

const routedTools = { ...memoryVerbs };

export function toolVerbRoutes(deps: RouteDeps): Handles<keyof typeof routedTools> {
  const handles = Object.entries<Verb>(routedTools).map(([name, verb]) => [
    name,
    (call: DoorCall) => throughDoor(deps, verb, call),
  ]);
  // Each answers what its verb says: a test holds the answers of the tools against the contract.
  return Object.fromEntries(handles);
}

type DoorDeps = Pick<RouteDeps, 'calls' | 'ledger'>;
/** What all of them have in common. */
interface DoorCall extends Pick<Call<'forgetMemory'>, 'caller' | 'query' | 'request'> {
  readonly body?: object | null;
}

async function throughDoor(
  { calls, ledger }: DoorDeps,
  { name, listed }: Verb,
  { caller, query, body, request }: DoorCall,
): Promise<unknown> {
  const tool = must(name, 'The name of a tool');
  const principal = await actingPrincipal(ledger, caller, query.as);
  // The owner may look into every agent's memory, and may have mistyped whose.
  if (principal === 'owner') await checkWhose({ ledger }, { caller, body: body ?? null });
  const header = request.headers['idempotency-key'];
  const key = header === undefined ? undefined : String(header);
  const outcome = await calls.call({ principal, tool, args: body ?? {}, key });
  if (outcome.kind === 'answered') return withItems(outcome.output, listed);
  if (outcome.kind === 'failed') throw withCallId(outcome.error, outcome.callId);
  const approval = await findApprovalOfCall(ledger.committed, outcome.callId);
  throw notYet({ callId: outcome.callId, tool, approval: approval?.id });
}

/** A tool names what it lists; on the wire every list has items. */
function withItems(output: unknown, listed: string | undefined): unknown {
  if (listed === undefined) return output;
  // What a tool that lists answers is an object with that list in it.
  const { [listed]: items, ...rest } = output as Readonly<Record<string, unknown>>;
  return { items, ...rest };
}

async function checkWhose(
  { ledger }: Pick<DoorDeps, 'ledger'>,
  { caller, body }: Pick<DoorCall, 'caller' | 'body'>,
): Promise<void> {
  const of = body && 'of' in body ? body.of : undefined;
  if (typeof of === 'string') await actingPrincipal(ledger, caller, of);
}

interface UnansweredCall {
  readonly callId: string;
  readonly tool: string;
  readonly approval: string | undefined;
}

function notYet({ callId, tool, approval }: UnansweredCall): AosError {
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

export function fileRoutes(deps: RouteDeps): Handles<'fileManifest' | 'runFiles'> {
  return {
    fileManifest: () => ({
      manifest: { ...fileManifest, ...listsOf(fileManifest) },
      more: { ...moreManifest, ...listsOf(moreManifest) },
    }),
    runFiles: (call) => runFiles(deps, call),
  };
}

type Manifest = typeof fileManifest | typeof moreManifest;

function listsOf({ permissions, optional_permissions, actions }: Manifest) {
  return {
    permissions: [...permissions],
    optional_permissions: [...optional_permissions],
    actions: [...actions],
  };
}

async function runFiles(
  deps: RouteDeps,
  { caller, query, body, request, reply }: Call<'runFiles'>,
): Promise<Answer<'runFiles'>> {
  const { calls, ledger } = deps;
  const principal = await actingPrincipal(ledger, caller, query.as);
  const header = request.headers['idempotency-key'];
  const key = header === undefined ? undefined : String(header);
  try {
    const { action, ...args } = checkedRequest(body);
    const tool = `files.${action}`;
    const signal = signalOfCaller(deps, { principal, tool, reply });
    const outcome = await calls.call({ principal, tool, args, key, signal });
    return await answerOfOutcome(ledger.committed, outcome);
  } catch (failure) {
    return answerOfFailure(failure);
  }
}
