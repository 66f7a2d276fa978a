/** Links for humans, and what a browser asks for behind them. */
import type { FastifyRequest } from 'fastify';
import type { LinkRow } from '../../ledger/transfers/links.ts';
import { ownerName } from '../../relay/envelope.ts';
import { isLinkOf, type MadeLink } from '../../transfer/links.ts';
import { unknownLink } from '../../transfer/refusals.ts';
import type { Answer } from '../contract/contract.ts';
import { linkPage } from '../pages/link-page.ts';
import { actingName } from '../server/authenticate.ts';
import { doorOf } from '../server/connections.ts';
import { sendRange } from '../streams/send-range.ts';
import type { Call, Handles, RouteDeps } from './handlers.ts';
import { actorOf, idOf, isOwner, whose } from './transfers.ts';
import { findRow, listLimit, listPage } from './views/rows.ts';

export function linkRoutes(
  deps: RouteDeps,
): Handles<
  | 'linkTransfer'
  | 'uploadLink'
  | 'transferLinks'
  | 'revokeLink'
  | 'downloadPage'
  | 'linkFacts'
  | 'linkBytes'
  | 'linkUpload'
> {
  return { ...madeRoutes(deps), ...openRoutes(deps) };
}

function madeRoutes(
  deps: RouteDeps,
): Handles<'linkTransfer' | 'uploadLink' | 'transferLinks' | 'revokeLink'> {
  const { transfers, ledger } = deps;
  return {
    linkTransfer: async (call) => {
      const { as, ttl_ms: ttlMs, most_uses: mostUses } = call.body;
      const { principal } = await actorOf(deps, call, as);
      const id = await idOf(deps, { principal }, call);
      const ofAll = isOwner(call.caller, principal);
      return withUrl(deps, await transfers.link(principal, { id, ttlMs, mostUses, ofAll }));
    },
    uploadLink: async ({ caller, body: { as, ttl_ms: ttlMs, most_bytes: mostBytes } }) => {
      const recipient = await actingName(ledger, caller, as);
      const maker = caller.kind === 'owner' ? ownerName : caller.name;
      return withUrl(deps, await transfers.uploadLink(maker, { recipient, ttlMs, mostBytes }));
    },
    transferLinks: async ({ caller, query }) => {
      const limit = listLimit(query);
      const principal = await whose(deps, caller, query.as);
      const links = await transfers.links(principal, { before: query.before, limit: limit + 1 });
      return listPage(links, limit, ({ id }) => id);
    },
    revokeLink: async ({ caller, params, body }) => {
      const principal = await whose(deps, caller, body.as);
      const link = await findRow<LinkRow>(
        {
          what: 'links',
          find: (id) => transfers.findLink(id),
          idsFrom: (start, limit) => transfers.linkIdsFrom(start, limit),
          idOf: ({ id }) => id,
          isVisible: (found) => isLinkOf(found, principal),
          unknown: unknownLink,
        },
        params.id,
      );
      return transfers.revokeLink(principal ?? ownerName, link.id);
    },
  };
}

function withUrl({ tcpPort }: RouteDeps, link: MadeLink): Answer<'linkTransfer'> {
  const port = tcpPort();
  return { ...link, url: port === undefined ? null : `http://127.0.0.1:${port}${link.path}` };
}

const quietHeaders = {
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

function openRoutes(
  deps: RouteDeps,
): Handles<'downloadPage' | 'linkFacts' | 'linkBytes' | 'linkUpload'> {
  const { transfers } = deps;
  return {
    // The same for every link, so that it tells nothing of one.
    downloadPage: ({ request, reply }) => {
      refuseAgents(request);
      const { html, headers } = linkPage();
      void reply.headers(headers);
      return html;
    },
    linkFacts: ({ request, reply, params }) => {
      refuseAgents(request);
      void reply.headers(quietHeaders);
      return transfers.linkFacts(params.token);
    },
    linkBytes: (call) => bytes(deps, call),
    linkUpload: ({ request, reply, params, query }) => {
      refuseAgents(request);
      void reply.headers(quietHeaders);
      const { filename, sha256 } = query;
      const upload = { token: params.token, filename, sha256, source: request.raw };
      return transfers.takeByLink(upload);
    },
  };
}

async function bytes(deps: RouteDeps, call: Call<'linkBytes'>) {
  const { request, reply, params } = call;
  refuseAgents(request);
  void reply.headers({
    ...quietHeaders,
    // Whatever it is, no browser shows it as a page of ours.
    'content-disposition': 'attachment',
    'content-security-policy': "default-src 'none'; sandbox",
  });
  const { hash, sizeBytes, stream } = await deps.transfers.linkBytes(params.token);
  // Each asking is one use, so that a part of it, or none, would be a waste of one.
  delete request.headers.range;
  delete request.headers['if-none-match'];
  return sendRange(deps, call, { hash, sizeBytes, open: async () => stream });
}

/** An agent has its own way to what is its own. */
function refuseAgents(request: FastifyRequest): void {
  if (doorOf(request.raw.socket).kind === 'agent') throw unknownLink();
}
