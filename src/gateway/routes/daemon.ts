import { AosError } from '../../kernel/errors.ts';
import { timeText } from '../../kernel/text/time-text.ts';
import { countAgents } from '../../ledger/agents.ts';
import { chainHead } from '../../ledger/events.ts';
import { type Answer, apiVersion } from '../contract/contract.ts';
import { openApiDocument } from '../openapi/openapi.ts';
import { docsPage } from '../pages/docs-page.ts';
import type { Handles, RouteDeps } from './handlers.ts';

/** How the daemon is, and how it is stopped. */
export function daemonRoutes(
  deps: RouteDeps,
): Handles<'livez' | 'readyz' | 'status' | 'shutdown' | 'metrics'> {
  const readFacts = ledgerFacts(deps);
  return {
    livez: () => ({ live: true }),
    readyz: async () => {
      const disk = await deps.diskState();
      if (disk.state === 'full') throw diskFull(disk);
      if (deps.ready()) return { ready: true };
      throw new AosError('gateway.not-ready', {
        message: 'The daemon takes no work at the moment',
      });
    },
    status: ({ caller }) => {
      const versions = { version: deps.version, api: apiVersion };
      return caller.kind === 'owner'
        ? ownerStatus(deps, versions, readFacts)
        : { role: 'agent', ...versions, name: caller.name };
    },
    shutdown: ({ reply }) => {
      // After the answer: it would be cut off by what it announces.
      reply.raw.once('close', () => deps.shutdown());
      return { stopping: true };
    },
    metrics: () => deps.metrics.registry.metrics(),
  };
}

function diskFull({ is, fix }: { readonly is: string; readonly fix: string }): AosError {
  return new AosError('gateway.not-ready', {
    message: `The daemon takes no work: the disk under its home folder ${is}`,
    fix,
  });
}

async function ownerStatus(
  deps: RouteDeps,
  versions: { readonly version: string; readonly api: string },
  readFacts: () => Promise<LedgerFacts>,
): Promise<Answer<'status'>> {
  const { usedPercent, state } = await deps.diskState();
  return {
    role: 'owner',
    ...versions,
    pid: process.pid,
    home: deps.home,
    epoch: deps.epoch,
    started_at: timeText(deps.startedAt),
    uptime_ms: Math.max(0, deps.clock.now() - deps.startedAt),
    ready: deps.ready() && state !== 'full',
    ...(await readFacts()),
    disk: { used_percent: usedPercent, state },
    feed_clients: deps.metrics.feedClients,
  };
}

type LedgerFacts = Pick<OwnerStatus, 'ledger' | 'agents'>;
type OwnerStatus = Extract<Answer<'status'>, { role: 'owner' }>;

/** Whatever changes them appends an event, so between two bells they need one look. */
function ledgerFacts({ ledger, feeds }: RouteDeps): () => Promise<LedgerFacts> {
  const { bell } = feeds.feed;
  let known: { readonly rings: number; readonly facts: LedgerFacts } | undefined;
  return async () => {
    const { rings } = bell;
    if (known?.rings === rings) return known.facts;
    const { seq, hash } = await chainHead(ledger.committed);
    const facts = { ledger: { seq, hash }, agents: await countAgents(ledger.committed) };
    known = { rings, facts };
    return facts;
  };
}

/** Looking after the home folder. */
export function upkeepRoutes(deps: RouteDeps): Handles<'backup' | 'usage' | 'gc'> {
  return {
    backup: ({ body }) => deps.backup(body),
    usage: () => deps.usage(),
    gc: ({ body }) => deps.gc({ dryRun: body.dry_run }),
  };
}

export function blobHandles(deps: RouteDeps): Handles<'verifyBlobs'> {
  return {
    verifyBlobs: ({ reply }) => {
      const gone = new AbortController();
      // It takes long, and is of no use once its caller has hung up.
      reply.raw.once('close', () => gone.abort());
      return deps.verifyBlobs(gone.signal);
    },
  };
}

/** The interface describing itself. Both are made at the first request. */
export function pageRoutes({ version }: RouteDeps): Handles<'openapi' | 'docs'> {
  let document: ReturnType<typeof openApiDocument> | undefined;
  let page: ReturnType<typeof docsPage> | undefined;
  const described = () => {
    document ??= openApiDocument(version);
    return document;
  };
  return {
    openapi: () => described(),
    docs: ({ reply }) => {
      page ??= docsPage(described());
      void reply.header('content-security-policy', page.contentSecurityPolicy);
      return page.html;
    },
  };
}
