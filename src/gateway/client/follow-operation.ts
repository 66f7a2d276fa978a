/** Follows the log of an operation from outside, over restarts of the daemon. */
import type { OperationStatus } from '../../kernel/agent/operation.ts';
import { type FollowDeps, type FollowOptions, followStream, type Sights } from './follow-stream.ts';

export type OperationSight =
  | { readonly kind: 'log'; readonly line: string; readonly number: number }
  | { readonly kind: 'state'; readonly status: OperationStatus }
  | { readonly kind: 'end'; readonly status: OperationStatus };

export function followOperation(
  deps: FollowDeps,
  path: string,
  options?: FollowOptions,
): AsyncGenerator<OperationSight, void, void> {
  return followStream(deps, path, operationSights(), options);
}

function operationSights(): Sights<OperationSight> {
  let status: OperationStatus | undefined;
  return {
    of: sightOf,
    placeOf: (sight) => (sight.kind === 'log' ? sight.number : undefined),
    isRepeated: (sight) => {
      if (sight.kind !== 'state') return false;
      const isSame = sight.status === status;
      status = sight.status;
      return isSame;
    },
    isEnd: ({ kind }) => kind === 'end',
  };
}

// The versions were compared, as for every answer: the content is what its name says.
function sightOf(event: string, content: unknown, id: string): OperationSight | undefined {
  switch (event) {
    case 'log':
      return { kind: 'log', line: content as string, number: Number(id) };
    case 'state':
    case 'end':
      return { kind: event, ...(content as { readonly status: OperationStatus }) };
    default:
      return undefined;
  }
}
