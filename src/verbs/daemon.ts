/** The daemon itself, and the home folder. */
import * as z from 'zod';
import { chainPlace } from './events.ts';
import { at, hashes } from './sample.ts';
import { count, get, longMs, post, time, type Verb } from './verb.ts';

const ownerStatus = z
  .object({
    role: z.literal('owner'),
    version: z.string(),
    api: z.string(),
    pid: z.int(),
    home: z.string(),
    epoch: z.int(),
    started_at: time,
    uptime_ms: count,
    ready: z.boolean(),
    ledger: chainPlace,
    agents: z.object({ active: count, total: count }),
    disk: z.object({
      used_percent: z.number(),
      state: z
        .enum(['ok', 'warning', 'alert', 'full'])
        .describe('`full`: nothing can be written, and the daemon is not ready'),
    }),
    feed_clients: count,
  })
  .meta({ id: 'OwnerStatus' });

const agentStatus = z
  .object({
    role: z.literal('agent'),
    version: z.string(),
    api: z.string(),
    name: z.string(),
  })
  .meta({ id: 'AgentStatus' });

const usageItem = z
  .object({ name: z.string(), bytes: count, files: count })
  .meta({ id: 'UsageItem' });

const sweptItem = z
  .object({ path: z.string(), bytes: count, why: z.string() })
  .meta({ id: 'SweptItem' });

const damage = z
  .object({
    hash: z.string(),
    store: z.enum(['blobs', 'attachments']),
    why: z.string(),
    needed_by: z.array(z.string().describe('Such as transfer:ID or message:ID')),
  })
  .meta({ id: 'Damage' });

// A store may have terabytes, and nothing is said before the last of them was read.
const wholeStoreMs = 24 * 3_600_000;

export const daemonVerbs = {
  livez: {
    ...get,
    path: '/livez',
    summary: 'Is the process alive?',
    who: 'open',
    anyVersion: true,
    output: z.object({ live: z.literal(true) }),
    examples: { output: { live: true } },
  },
  readyz: {
    ...get,
    path: '/readyz',
    summary: 'Does it take work? 503 while it starts, while it stops, and on a full disk',
    who: 'open',
    anyVersion: true,
    output: z.object({ ready: z.literal(true) }),
    examples: { output: { ready: true } },
  },
  metrics: {
    ...get,
    path: '/metrics',
    summary: 'Counters for Prometheus',
    who: 'owner',
    output: z.string(),
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
  },
  openapi: {
    ...get,
    path: '/openapi.json',
    summary: 'This interface as OpenAPI 3.1',
    who: 'any',
    output: z.record(z.string(), z.unknown()),
    examples: {
      output: { openapi: '3.1.0', info: { title: 'Agent OS', version: '0.1.0' }, paths: {} },
    },
  },
  docs: {
    ...get,
    path: '/docs',
    summary: 'This interface as a page to read',
    who: 'any',
    output: z.string(),
    contentType: 'text/html; charset=utf-8',
  },
  status: {
    ...get,
    path: '/api/v1/status',
    summary: 'What the daemon is doing; an agent sees the version and itself',
    who: 'any',
    anyVersion: true,
    output: z.discriminatedUnion('role', [ownerStatus, agentStatus]),
    examples: {
      output: {
        role: 'owner',
        version: '0.1.0',
        api: '1',
        pid: 4711,
        home: '/home/ada/.agent-relay',
        epoch: 3,
        started_at: at('11:00:00'),
        uptime_ms: 3_600_000,
        ready: true,
        ledger: { seq: 7, hash: hashes.event },
        agents: { active: 1, total: 2 },
        disk: { used_percent: 41.5, state: 'ok' },
        feed_clients: 1,
      },
    },
  },
  shutdown: {
    ...post,
    path: '/api/v1/shutdown',
    summary: 'Stop the daemon once what is under way has ended',
    who: 'owner',
    anyVersion: true,
    status: 202,
    output: z.object({ stopping: z.literal(true) }),
    examples: { output: { stopping: true } },
  },
  backup: {
    ...post,
    path: '/api/v1/backup',
    timeoutMs: longMs,
    summary: 'Copy everything into one new file; the keys only with a passphrase',
    who: 'owner',
    input: z.strictObject({
      path: z.string().max(4096).regex(/^\//).describe('Absolute, as the daemon sees it'),
      passphrase: z.optional(z.string().min(1).max(1024)),
    }),
    output: z.object({
      path: z.string(),
      bytes: count,
      events: count,
      keys: z.enum(['sealed', 'left out']),
    }),
    examples: {
      input: { path: '/backups/2030-01-31.aosbackup', passphrase: 'correct horse battery staple' },
      output: {
        path: '/backups/2030-01-31.aosbackup',
        bytes: 81_920,
        events: 7,
        keys: 'sealed',
      },
    },
  },
  usage: {
    ...get,
    path: '/api/v1/usage',
    timeoutMs: longMs,
    summary: 'What the home folder takes on the disk',
    who: 'owner',
    output: z.object({ items: z.array(usageItem), total_bytes: count }),
    examples: {
      output: { items: [{ name: 'ledger', bytes: 73_728, files: 2 }], total_bytes: 73_728 },
    },
  },
  gc: {
    ...post,
    effect: 'destroys',
    path: '/api/v1/gc',
    timeoutMs: longMs,
    summary: 'Remove what nobody needs any more, or say what that would be',
    who: 'owner',
    input: z.strictObject({ dry_run: z.boolean() }),
    output: z.object({
      items: z.array(sweptItem),
      freed_bytes: count,
      failed: z.array(z.object({ path: z.string(), why: z.string() })),
    }),
    examples: {
      input: { dry_run: true },
      output: {
        items: [{ path: 'tmp/upload-1', bytes: 4096, why: 'nobody goes on with it' }],
        freed_bytes: 4096,
        failed: [],
      },
    },
  },
  verifyBlobs: {
    ...post,
    effect: 'looks',
    path: '/api/v1/blobs/verify',
    timeoutMs: wholeStoreMs,
    summary: 'Read all stored bytes and compare them with their hashes, and those with the ledger',
    who: 'owner',
    output: z.object({
      checked: count.describe('How many files were read'),
      bytes: count,
      corrupt: z.array(damage),
      missing: z.array(damage).describe('What somebody needs and is not there'),
      orphans: count.describe('How many files nobody refers to; they go by themselves'),
      more: count.describe('How many damaged or missing ones are not told one by one'),
    }),
    examples: {
      output: { checked: 12, bytes: 1_048_576, corrupt: [], missing: [], orphans: 0, more: 0 },
    },
  },
} as const satisfies Record<string, Verb>;
