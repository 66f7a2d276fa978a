/** The handlers of all routes. */
import type { RouteName } from '../contract/contract.ts';
import { agentRoutes, lifeRoutes } from './agents.ts';
import { approvalRoutes } from './approvals.ts';
import { blobHandles, daemonRoutes, pageRoutes, upkeepRoutes } from './daemon.ts';
import { auditRoutes, eventRoutes } from './events.ts';
import { goalRoutes } from './goals.ts';
import { grantRoutes, secretRoutes } from './grants.ts';
import { attachmentRoutes, groupRoutes } from './groups.ts';
import type { Handles, RouteDeps } from './handlers.ts';
import { linkRoutes } from './links.ts';
import { memoryKeepingRoutes } from './memory-keeping.ts';
import { mailboxRoutes, messageRoutes } from './messages.ts';
import { operationRoutes } from './operations.ts';
import { fileRoutes, toolVerbRoutes } from './tool-verbs.ts';
import { toolRoutes } from './tools.ts';
import { transferRoutes } from './transfers.ts';

export function allRoutes(deps: RouteDeps): Handles<RouteName> {
  return {
    ...daemonRoutes(deps),
    ...agentRoutes(deps),
    ...eventRoutes(deps),
    ...messageRoutes(deps),
    ...mailboxRoutes(deps),
    ...groupRoutes(deps),
    ...attachmentRoutes(deps),
    ...grantRoutes(deps),
    ...secretRoutes(deps),
    ...toolRoutes(deps),
    ...fileRoutes(deps),
    ...toolVerbRoutes(deps),
    ...memoryKeepingRoutes(deps),
    ...approvalRoutes(deps),
    ...lifeRoutes(deps),
    ...goalRoutes(deps),
    ...auditRoutes(deps),
    ...upkeepRoutes(deps),
    ...transferRoutes(deps),
    ...linkRoutes(deps),
    ...blobHandles(deps),
    ...operationRoutes(deps),
    ...pageRoutes(deps),
  };
}
