import { AosError } from '../../../kernel/errors.ts';
import type { OperationRow } from '../../../ledger/operations/operations.ts';
import type { AgentRuntime } from '../../../runtime/runtime.ts';
import type { GatewayDeps } from '../../server/deps.ts';

/** For what moves something; what only reads does without. */
export function runtimeOf({ runtime }: Pick<GatewayDeps, 'runtime'>): AgentRuntime {
  if (runtime === undefined) throw noDaemon();
  return runtime;
}

export function noDaemon(): AosError {
  return new AosError('agent.not-there', {
    message: 'The daemon does not run, and without it no agent does',
    fix: 'aos up --detach',
  });
}

/** Without a daemon no goal is worked on, whatever stood in the ledger when the last one ended. */
export function goalAsItIs(deps: RuntimeHere, row: OperationRow): OperationRow {
  if (deps.runtime !== undefined || row.state !== 'running') return row;
  return { ...row, state: 'queued' };
}

type RuntimeHere = Pick<GatewayDeps, 'runtime'>;
