/** Goals of outsiders, and the sealed artifacts that come of them. */
import * as z from 'zod';
import { operationStatuses } from '../kernel/agent/operation.ts';
import { addresses, at, hashes, ids } from './sample.ts';
import { count, get, post, remove, slowMs, time, type Verb, wholeNumber } from './verb.ts';

const operationParams = z.strictObject({
  operation_id: z.string().max(100).describe('The id; the owner may cut it short'),
});

const artifactParams = z.strictObject({
  operation_id: z.string().max(100),
  artifact_name: z.string().max(300).describe('Its name, with %2F for a slash'),
});

const artifactMetadata = z
  .object({
    name: z.string(),
    size: count.describe('Of the plain bytes'),
    content_type: z.string(),
    created_at: time,
    download_url: z.string(),
    checksum: z.string().describe('SHA-256 of the plain bytes, as sha256:HEX'),
    id: z.string().describe('The object in the wrap of its key'),
    expires_at: time,
    e2e: z.boolean().describe('No key of this home opens it'),
    encryption_key_encrypted: z
      .nullable(z.string())
      .describe('Its key, wrapped to you (docs/aosb1.md); null for others, and until you signed'),
    content: z
      .optional(z.string())
      .describe('In phases 1 and 2: base64 of the sealed bytes. Deprecated: download it'),
  })
  .meta({ id: 'ArtifactMetadata' });

const artifactCollection = z
  .object({
    count,
    total_size: count.describe('Of the plain bytes of all'),
    artifacts: z.array(artifactMetadata),
  })
  .meta({ id: 'ArtifactCollection' });

const operationResult = z
  .object({
    status: z.enum(['ok', 'error']),
    summary: z.string().describe('What the agent answered, or why there is no answer; data'),
    execution_time: z.number().describe('In seconds, without what it waited for'),
    logs: z.array(z.string()).describe('A line for each step'),
  })
  .meta({ id: 'OperationResult' });

const operationResponse = z
  .object({
    id: z.string(),
    status: z.enum(operationStatuses),
    started_at: z.optional(time),
    finished_at: z.optional(time),
    result: z.optional(operationResult).describe('Once it is over; without its logs in lists'),
    artifacts: artifactCollection,
  })
  .meta({ id: 'GetOperationResponse' });

const grantee = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .describe('For the owner: the address of the outsider for whom it is');

const artifactsExample = {
  count: 1,
  total_size: 2048,
  artifacts: [
    {
      name: 'report.md',
      size: 2048,
      content_type: 'text/markdown',
      created_at: at('12:00:08'),
      download_url: `/api/v1/operations/${ids.operation}/artifacts/report.md`,
      checksum: `sha256:${hashes.plain}`,
      id: ids.artifact,
      expires_at: '2030-02-07T12:00:08.000Z',
      e2e: true,
      encryption_key_encrypted:
        'AgswVXqfxOkOM1h9osfsETZbgKXK7xQ5XoOozfIXPGGGq9D1Gj9kia7T-B1CZ4yx1vsgRWqPtNn-I0htkrfcASZLcJW63wQpTnOYveIHLFF2',
    },
  ],
};

const resultExample = {
  status: 'ok',
  summary: 'The report is in report.md',
  execution_time: 7.25,
  logs: [
    '2030-01-31T12:00:01.000Z begun: template "reporter" was named',
    '2030-01-31T12:00:09.000Z ended: completed',
  ],
};

const doneExample = {
  id: ids.operation,
  status: 'succeeded',
  started_at: at('12:00:01'),
  finished_at: at('12:00:09'),
  result: resultExample,
  artifacts: artifactsExample,
};

export const operationVerbs = {
  submitOperation: {
    ...post,
    path: '/api/v1/operations',
    timeoutMs: slowMs,
    summary: 'Submit an operation: a goal for an agent that is made for it',
    mayBeMissing: true,
    who: 'principal',
    ownKey: true,
    input: z.strictObject({
      goal: z
        .string()
        .min(1)
        .max(256 * 1024),
      agent: z.optional(z.string().max(200)).describe('The template to make the agent from'),
      grantee_address: z.optional(grantee),
    }),
    status: 201,
    output: operationResponse,
    examples: {
      input: {
        goal: 'Write a report of July',
        agent: 'reporter',
        grantee_address: addresses.outsider,
      },
      output: {
        id: ids.operation,
        status: 'pending',
        artifacts: { count: 0, total_size: 0, artifacts: [] },
      },
    },
  },
  operations: {
    ...get,
    path: '/api/v1/operations',
    summary: 'Your operations, the newest first; the owner sees all',
    who: 'principal',
    query: z.strictObject({
      status: z.optional(z.enum(operationStatuses)),
      before: z.optional(z.string().max(100)).describe('Only those before this one: "next"'),
      limit: z.optional(wholeNumber.describe('At most 1000')),
    }),
    output: z.object({ items: z.array(operationResponse), next: z.nullable(z.string()) }),
    examples: {
      output: { items: [{ ...doneExample, result: { ...resultExample, logs: [] } }], next: null },
    },
  },
  operation: {
    ...get,
    path: '/api/v1/operations/{operation_id}',
    summary: 'One operation',
    who: 'principal',
    params: operationParams,
    output: operationResponse,
    examples: { output: doneExample },
  },
  cancelOperation: {
    ...post,
    effect: 'destroys',
    path: '/api/v1/operations/{operation_id}/cancel',
    timeoutMs: slowMs,
    summary: 'End an operation that is not over',
    who: 'principal',
    params: operationParams,
    input: z.strictObject({ reason: z.optional(z.string().max(1000)) }),
    output: operationResponse,
    examples: {
      input: { reason: 'Not needed any more' },
      output: {
        id: ids.operation,
        status: 'cancelled',
        finished_at: at('12:00:05'),
        result: {
          status: 'error',
          summary: 'operation.cancelled: Not needed any more',
          execution_time: 4,
          logs: ['2030-01-31T12:00:01.000Z begun: template "reporter" was named'],
        },
        artifacts: { count: 0, total_size: 0, artifacts: [] },
      },
    },
  },
  operationResult: {
    ...get,
    path: '/api/v1/operations/{operation_id}/result',
    summary: 'What came of it; 409 until it is over',
    mayBeGone: true,
    who: 'principal',
    params: operationParams,
    output: operationResult,
    examples: { output: resultExample },
  },
  operationLogs: {
    ...get,
    path: '/api/v1/operations/{operation_id}/logs',
    summary:
      'A line for each step. With "Accept: text/event-stream" as they come: "log" (its number is the id, resumable by Last-Event-ID), "state", and "end" when it is over',
    mayBeGone: true,
    who: 'principal',
    params: operationParams,
    query: z.strictObject({ after: z.optional(wholeNumber), limit: z.optional(wholeNumber) }),
    output: z.object({
      logs: z.array(z.string()),
      next: z.nullable(count).describe('To ask for more behind these'),
    }),
    examples: { output: { logs: resultExample.logs, next: null } },
  },
  artifacts: {
    ...get,
    path: '/api/v1/operations/{operation_id}/artifacts',
    summary: 'List operation artifacts; only for the original grantee',
    who: 'principal',
    legacySignature: true,
    params: operationParams,
    output: artifactCollection,
    examples: { output: artifactsExample },
  },
  artifact: {
    ...get,
    path: '/api/v1/operations/{operation_id}/artifacts/{artifact_name}',
    summary: 'Download specific artifact: sealed bytes, to be opened by the client',
    mayBeGone: true,
    who: 'principal',
    legacySignature: true,
    params: artifactParams,
    output: z.string(),
    contentType: 'application/octet-stream',
    head: true,
  },
  deleteArtifact: {
    ...remove,
    path: '/api/v1/operations/{operation_id}/artifacts/{artifact_name}',
    summary: 'Delete specific artifact, for good',
    mayBeGone: true,
    who: 'principal',
    params: artifactParams,
  },
  buyToken: {
    ...post,
    path: '/api/v1/tokens',
    summary: 'For one signature: a handle that is good for 15 minutes, shown this once',
    who: 'principal',
    input: z.strictObject({}),
    status: 201,
    output: z.object({ token: z.string(), expires_at: time }),
    secretAnswer: true,
    examples: {
      output: {
        token: 'aos_VGhlIGtleSBpcyBnb29kIGZvciBmaWZ0ZWVuIG1pbnV',
        expires_at: at('12:15:00'),
      },
    },
  },
  rotateKeys: {
    ...post,
    effect: 'destroys',
    path: '/api/v1/keys/rotate',
    timeoutMs: slowMs,
    summary: 'Seal what the daemon keeps of artifacts with a new key, and destroy the old one',
    who: 'owner',
    input: z.strictObject({}),
    output: z.object({
      key: z.string().describe('The id of the new one'),
      resealed: count.describe('How many metadata.json files'),
      rewrapped: count.describe('How many keys of artifacts'),
    }),
    examples: { output: { key: '5f3a9c1e', resealed: 4, rewrapped: 1 } },
  },
} as const satisfies Record<string, Verb>;
