import type { Answer } from '../../contract/contract.ts';
import { addresses, at, type Examples, hashes, ids } from './example.ts';

const artifacts: Answer<'artifacts'> = {
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

const result: Answer<'operationResult'> = {
  status: 'ok',
  summary: 'The report is in report.md',
  execution_time: 7.25,
  logs: [
    '2030-01-31T12:00:01.000Z begun: template "reporter" was named',
    '2030-01-31T12:00:09.000Z ended: completed',
  ],
};

const done: Answer<'operation'> = {
  id: ids.operation,
  status: 'succeeded',
  started_at: at('12:00:01'),
  finished_at: at('12:00:09'),
  result,
  artifacts,
};

export const operationExamples = {
  submitOperation: {
    body: {
      goal: 'Write a report of July',
      agent: 'reporter',
      grantee_address: addresses.outsider,
    },
    answer: {
      id: ids.operation,
      status: 'pending',
      artifacts: { count: 0, total_size: 0, artifacts: [] },
    },
  },
  operations: {
    answer: { items: [{ ...done, result: { ...result, logs: [] } }], next: null },
  },
  operation: { answer: done },
  cancelOperation: {
    body: { reason: 'Not needed any more' },
    answer: {
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
  operationResult: { answer: result },
  operationLogs: { answer: { logs: result.logs, next: null } },
  artifacts: { answer: artifacts },
  buyToken: {
    answer: {
      token: 'aos_VGhlIGtleSBpcyBnb29kIGZvciBmaWZ0ZWVuIG1pbnV',
      expires_at: at('12:15:00'),
    },
  },
  rotateKeys: { answer: { key: '5f3a9c1e', resealed: 4, rewrapped: 1 } },
} satisfies Examples;
