import { AosError } from '../../kernel/errors.ts';
import type { SandboxState } from '../../kernel/sandbox.ts';

/** Where the wall does not hold, all is refused: there is no other way to run anything. */
export function unavailable({
  says,
  fix,
}: Extract<SandboxState, { kind: 'unavailable' }>): AosError {
  return new AosError('sandbox.unavailable', {
    message: `Programs of agents cannot be run here: ${says}`,
    fix,
  });
}
