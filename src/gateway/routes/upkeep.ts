import type { Handles, RouteDeps } from './handlers.ts';

/** Looking after the home folder. */
export function upkeepRoutes(deps: RouteDeps): Handles<'backup' | 'usage' | 'gc'> {
  return {
    backup: ({ body }) => deps.backup(body),
    usage: () => deps.usage(),
    gc: ({ body }) => deps.gc({ dryRun: body.dry_run }),
  };
}
