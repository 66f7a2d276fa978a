import { problemError } from '../../gateway/client/client.ts';
import type { WireGoal } from '../../gateway/contract/contract.ts';
import type { AosError } from '../../kernel/errors.ts';

/** Why a goal was not reached, as the agent's runtime said it. */
export function goalError(goal: WireGoal): AosError {
  const { code, message, fix } = goal.error ?? {
    code: goal.state === 'cancelled' ? 'operation.cancelled' : '',
    message: `Goal ${goal.id} is ${goal.state}, and does not say why`,
  };
  return problemError(0, {
    code,
    detail: message,
    fix: fix ?? `aos inspect ${goal.id}`,
    details: { goal },
  });
}
