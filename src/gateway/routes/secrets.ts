import { timeText } from '../../kernel/text/time-text.ts';
import type { Handles, RouteDeps } from './handlers.ts';
import { pageBehind } from './views/list-page.ts';

/** Write-only: what goes in comes out of none of them. */
export function secretRoutes({
  secrets,
}: RouteDeps): Handles<'setSecret' | 'secrets' | 'removeSecret'> {
  return {
    setSecret: async ({ caller, body }) => {
      const { replaced } = await secrets.set(body, caller.id);
      return { name: body.name, replaced };
    },
    secrets: async ({ query }) => {
      const items = (await secrets.list()).map(({ created_at, updated_at, ...info }) => ({
        ...info,
        created_at: timeText(created_at),
        updated_at: timeText(updated_at),
      }));
      return pageBehind(items, query, ({ name }) => name);
    },
    removeSecret: async ({ caller, params: { name } }) => {
      await secrets.remove(name, caller.id);
      return { name, removed: true };
    },
  };
}
