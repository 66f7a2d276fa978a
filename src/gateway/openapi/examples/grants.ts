import { at, type Examples, ids } from './example.ts';

const grant = {
  id: ids.grant,
  agent: 'jean',
  capability: 'file:/srv/reports/*:read{max:100}',
  parent: null,
  granted_by: 'owner',
  origin: 'owner',
  asks: false,
  created_at: at('12:00:00'),
  revoked_at: null,
  uses: 2,
} as const;

const revoked = { ...grant, revoked_at: at('12:10:00') };
const capability = grant.capability;

export const grantExamples = {
  grant: { body: { agent: 'jean', capability, ask: false }, answer: grant },
  delegate: {
    body: { from: 'jean', to: 'samantha', capability: 'file:/srv/reports/july.md:read' },
    answer: {
      ...grant,
      id: ids.part,
      agent: 'samantha',
      capability: 'file:/srv/reports/july.md:read',
      parent: ids.grant,
      granted_by: 'agent:jean',
      origin: 'delegation',
      uses: 0,
    },
  },
  revoke: { answer: { grant: revoked, below: 1 } },
  revokeCapability: {
    body: { agent: 'jean', capability },
    answer: { revoked: [revoked], below: 1 },
  },
  grants: { answer: { items: [grant], next: null } },
  checkGrant: {
    body: { agent: 'jean', action: 'read', resource: 'file:/srv/reports/july.md' },
    answer: {
      allowed: true,
      resource: 'file:/srv/reports/july.md:read',
      asks: false,
      chain: [grant],
      nearest: null,
      fix: null,
    },
  },
  setSecret: {
    body: {
      name: 'shop.key',
      value: 'sk-live-0123456789abcdef',
      host: 'api.shop.example',
      header: 'Authorization',
      prefix: 'Bearer ',
    },
    answer: { name: 'shop.key', replaced: false },
  },
  secrets: {
    answer: {
      items: [
        {
          name: 'shop.key',
          host: 'api.shop.example',
          port: 443,
          header: 'authorization',
          prefix: 'Bearer ',
          created_at: at('12:00:00'),
          updated_at: at('12:00:00'),
        },
      ],
    },
  },
  removeSecret: { answer: { name: 'shop.key', removed: true } },
} satisfies Examples;
