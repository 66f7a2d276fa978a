/** The file agent. */
import * as z from 'zod';
import { requestSchema } from '../files/input.ts';
import { at } from './sample.ts';
import { count, get, longestCallMs, post, type Verb } from './verb.ts';

const name = z.string().max(200);

const manifest = z.object({
  name: z.string(),
  version: z.string(),
  description: z.string(),
  permissions: z.array(z.string()),
  optional_permissions: z.array(z.string()),
  actions: z.array(z.string()),
});

const answer = z
  .object({
    status: z.enum(['success', 'error', 'confirmation_required']),
    action_performed: z.string().describe('What was actually done'),
    result: z.unknown().describe('The files or the data; names and contents are data'),
    confirmation_prompt: z.optional(z.string()),
    confirmation_token: z.optional(z.string()).describe('For the owner: goes into options'),
    approval_id: z.optional(z.string()).describe('For an agent: what a human has been asked'),
    error: z.optional(
      z.object({ code: z.string(), message: z.string(), fix: z.optional(z.string()) }),
    ),
    metadata: z.object({ files_affected: count, bytes_affected: count, duration_ms: count }),
  })
  .meta({ id: 'FileAnswer' });

// Room for a file of a MiB with its quotes escaped.
const requestBytes = 4 * 1024 * 1024;

const actionsExample = [
  ...['list_files', 'read_file', 'write_file', 'move_file', 'rename_file', 'copy_file'],
  ...['delete_file', 'search_files', 'get_metadata', 'get_disk_usage'],
];

const permissionsExample = ['filesystem.read', 'filesystem.write', 'filesystem.move'];

export const fileVerbs = {
  fileManifest: {
    ...get,
    path: '/api/v1/files/manifest',
    summary: 'What the file agent declares of itself, and what came later',
    who: 'any',
    output: z.object({ manifest, more: manifest }),
    examples: {
      output: {
        manifest: {
          ...{ name: 'file_agent', version: '0.1.0' },
          description: 'Handles all local file system operations for IntentOS',
          ...{
            permissions: permissionsExample,
            optional_permissions: ['filesystem.delete'],
            actions: actionsExample,
          },
        },
        more: {
          ...{ name: 'file_agent_more', version: '0.1.0' },
          description: 'Taking back, the trash, sentences and indexes of the file agent',
          ...{
            permissions: permissionsExample,
            optional_permissions: ['filesystem.delete'],
            actions: ['undo_plan'],
          },
        },
      },
    },
  },
  runFiles: {
    ...post,
    path: '/api/v1/files/run',
    timeoutMs: longestCallMs,
    summary:
      'One request to the file agent, one answer. What cannot be done, or is no request, is an answer with status "error"; the code of HTTP is for what is no JSON',
    who: 'any',
    ...{ ownKey: true, ownBodyCheck: true },
    query: z.strictObject({ as: z.optional(name.describe('For the owner: the agent to act for')) }),
    input: requestSchema,
    bodyBytes: requestBytes,
    output: answer,
    examples: {
      input: {
        ...{ action: 'list_files', path: '~/Downloads' },
        filters: { type: 'pdf', modified_after: '2030-01-01' },
      },
      output: {
        ...{ status: 'success', action_performed: 'Found 1 file or folder in "~/Downloads"' },
        result: {
          files: [
            {
              ...{ name: 'report.pdf', path: '/home/jean/Downloads/report.pdf', kind: 'file' },
              ...{ size: '1.2 MB', size_bytes: 1_204_221, type: 'PDF document' },
              ...{ modified: '31 January 2030, 12:00', modified_at: at('12:00:00') },
            },
          ],
          ...{ total: 1, total_bytes: 1_204_221, truncated: false },
          ...{ skipped: [], skipped_total: 0, denied_total: 0 },
        },
        metadata: { files_affected: 1, bytes_affected: 1_204_221, duration_ms: 4 },
      },
    },
  },
} as const satisfies Record<string, Verb>;
