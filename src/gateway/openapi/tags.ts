/** The areas of the interface, each a tag of the OpenAPI document. */

export const tags = {
  daemon: 'The daemon itself, and the home folder',
  agents: 'Agents: who they are, what they run as, and their lives',
  goals: 'What agents are asked to accomplish, and what becomes of it',
  messages: 'Messages, mailboxes, channels and attachments',
  grants: 'Capabilities and secrets',
  tools: 'Tools, calls of them, and what a human has to approve',
  events: 'What happened, and the proof that nothing of it was changed',
  transfers: 'Files from one to another, and links for humans',
  operations: 'Goals of outsiders, and the sealed artifacts that come of them',
  files: 'The file agent',
  memory: 'What agents remember',
} as const;

export type Tag = keyof typeof tags;

// By the first word of a path, behind /api/v1 where it has that.
const areas: Readonly<Record<string, Tag>> = {
  agents: 'agents',
  goals: 'goals',
  messages: 'messages',
  requests: 'messages',
  channels: 'messages',
  lead: 'messages',
  subscriptions: 'messages',
  attachments: 'messages',
  grants: 'grants',
  secrets: 'grants',
  tools: 'tools',
  calls: 'tools',
  approvals: 'tools',
  events: 'events',
  audit: 'events',
  ws: 'events',
  transfers: 'transfers',
  l: 'transfers',
  operations: 'operations',
  tokens: 'operations',
  keys: 'operations',
  files: 'files',
  memory: 'memory',
};

export function tagOf(path: string): Tag {
  const [, , word = ''] = /^\/(api\/v1\/)?(\w+)/.exec(path) ?? [];
  // The inbox of an agent is about messages, wherever it stands.
  if (path.includes('/inbox')) return 'messages';
  return areas[word] ?? 'daemon';
}
