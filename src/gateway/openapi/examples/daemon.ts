import { addresses, at, type Examples, hashes } from './example.ts';

const jean = {
  name: 'jean',
  address: addresses.jean,
  status: 'active',
  state: 'running',
  body: 'model',
  registered_at: at('12:00:00'),
  last_seen_at: at('12:01:00'),
  parent: null,
  state_at: at('12:00:01'),
  reason: null,
  health: null,
  pid: null,
  model: 'anthropic:claude-sonnet-4-5',
  sandbox: null,
  tokens: 5210,
  cost: 18_300,
} as const;

const registered = {
  seq: 7,
  at: at('12:00:00'),
  actor: 'owner',
  kind: 'agent.registered',
  subject: 'agent:jean',
  data: { address: addresses.jean },
  data_digest: hashes.plain,
  prev_hash: hashes.before,
  hash: hashes.event,
};

const head = {
  seq: 7,
  hash: hashes.event,
  at: at('12:05:00'),
  reason: 'head',
  signer: addresses.owner,
  signature: `0x${'5a'.repeat(64)}1b`,
} as const;

const handle = 'aos_Qm9va3MgYXJlIGEgdW5pcXVlbHkgcG9ydGFibGUgbWE';

export const daemonExamples = {
  livez: { answer: { live: true } },
  readyz: { answer: { ready: true } },
  openapi: {
    answer: { openapi: '3.1.0', info: { title: 'Agent OS', version: '0.1.0' }, paths: {} },
  },
  status: {
    answer: {
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
  shutdown: { answer: { stopping: true } },
  register: {
    body: { name: 'jean', expires_ms: 86_400_000 },
    answer: {
      name: 'jean',
      address: addresses.jean,
      handle,
      folder: '/home/ada/.agent-relay/agents/jean',
    },
  },
  renewHandle: { body: { expires_ms: 86_400_000 }, answer: { name: 'jean', handle } },
  agents: { answer: { items: [jean], next: null } },
  agent: { answer: jean },
  events: { answer: { items: [registered], next: 7 } },
  auditHead: { answer: { head } },
  auditVerify: {
    body: { head },
    answer: {
      kind: 'whole',
      events: 7,
      from: { seq: 0, hash: '' },
      head: { seq: 7, hash: hashes.event },
      erased: 0,
      signed_heads: 1,
      kept_head: 'fits',
    },
  },
  backup: {
    body: { path: '/backups/2030-01-31.aosbackup', passphrase: 'correct horse battery staple' },
    answer: {
      path: '/backups/2030-01-31.aosbackup',
      bytes: 81_920,
      events: 7,
      keys: 'sealed',
    },
  },
  usage: {
    answer: { items: [{ name: 'ledger', bytes: 73_728, files: 2 }], total_bytes: 73_728 },
  },
  gc: {
    body: { dry_run: true },
    answer: {
      items: [{ path: 'tmp/upload-1', bytes: 4096, why: 'nobody goes on with it' }],
      freed_bytes: 4096,
      failed: [],
    },
  },
  verifyBlobs: {
    answer: { checked: 12, bytes: 1_048_576, corrupt: [], missing: [], orphans: 0, more: 0 },
  },
} satisfies Examples;
