/** The part of the contract that is about files. */
import * as z from 'zod';
import { requestSchema } from '../../files/input.ts';
import { count, get, post, type Route } from './route.ts';

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

export const fileRoutes = {
  fileManifest: {
    ...get,
    path: '/api/v1/files/manifest',
    summary: 'What the file agent declares of itself, and what came later',
    who: 'any',
    answer: z.object({ manifest, more: manifest }),
  },
  runFiles: {
    ...post,
    path: '/api/v1/files/run',
    summary:
      'One request to the file agent, one answer. What cannot be done, or is no request, is an answer with status "error"; the code of HTTP is for what is no JSON',
    who: 'any',
    ...{ ownKey: true, ownBodyCheck: true },
    query: z.strictObject({ as: z.optional(name.describe('For the owner: the agent to act for')) }),
    body: requestSchema,
    bodyBytes: requestBytes,
    answer,
  },
} as const satisfies Record<string, Route>;
