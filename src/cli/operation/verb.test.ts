import { describe, expect, test } from 'vitest';
import { failureOf } from './submit.ts';
import {
  artifactsText,
  type ListedArtifact,
  type Operation,
  operationsText,
  operationText,
} from './verb.ts';

const artifact: ListedArtifact = {
  name: 'report.md',
  size: 1536,
  content_type: 'text/markdown',
  created_at: '2030-01-31T12:00:00.000Z',
  download_url: '/api/v1/operations/0199/artifacts/report.md',
  checksum: `sha256:${'0'.repeat(64)}`,
  id: '01'.repeat(16),
  expires_at: '2030-02-07T12:00:00.000Z',
  e2e: true,
  encryption_key_encrypted: 'A',
};

function operationWith(changes: Partial<Operation> = {}): Operation {
  return {
    id: '0199c1f2'.repeat(4),
    status: 'succeeded',
    started_at: '2030-01-31T12:00:00.000Z',
    finished_at: '2030-01-31T12:00:02.000Z',
    result: { status: 'ok', summary: 'All is\nwell.\n', execution_time: 1.5, logs: [] },
    artifacts: { count: 1, total_size: 1536, artifacts: [artifact] },
    ...changes,
  };
}

describe('what is told of an operation', () => {
  test('get shows facts, artifacts, and then what the agent answered', () => {
    expect(operationText(operationWith())).toBe(
      [
        `operation  ${'0199c1f2'.repeat(4)}`,
        'status     succeeded',
        'started    2030-01-31T12:00:00.000Z',
        'finished   2030-01-31T12:00:02.000Z',
        'took       1.5 s',
        'artifacts  1 artifact (1.5 kB)',
        '  report.md  1.5 kB  text/markdown  expires 2030-02-07T12:00:00.000Z  no key of the home opens it',
        '',
        'All is\nwell.',
      ].join('\n'),
    );
  });

  test('one that waits has nothing yet', () => {
    const waiting: Operation = {
      id: '0199',
      status: 'pending',
      artifacts: { count: 0, total_size: 0, artifacts: [] },
    };

    expect(operationText(waiting)).toBe(
      'operation  0199\nstatus     pending\nartifacts  no artifacts',
    );
    expect(operationsText([waiting], (id) => id)).toBe('0199  pending  -  no artifacts');
  });

  test('in a list an answer is one line, and its beginning', () => {
    const summary = `a\nb${'x'.repeat(100)}`;
    const result: Operation['result'] = { status: 'ok', summary, execution_time: 1, logs: [] };

    const text = operationsText([operationWith({ result })], (id) => id.slice(0, 4));

    expect(text).toMatch(/^0199 {2}succeeded {2}2030.* {2}a\S+xx…$/);
    expect(text.split('\n')).toHaveLength(1);
  });

  test('what an agent has named cannot steer a terminal', () => {
    const odd = { ...artifact, name: 'a\u001b[31m', e2e: false, encryption_key_encrypted: null };
    const said = operationText(
      operationWith({
        result: { status: 'ok', summary: '\u001b[2J', execution_time: 1, logs: [] },
      }),
    );

    const text = artifactsText({ count: 1, total_size: 1, artifacts: [odd] });

    expect(text).not.toContain('\u001b');
    expect(text).toMatch(/sealed for somebody else$/);
    expect(said).not.toContain('\u001b');
  });
});

describe('failureOf()', () => {
  const failed = (summary: string, status: Operation['status'] = 'failed') =>
    failureOf(
      operationWith({ status, result: { status: 'error', summary, execution_time: 1, logs: [] } }),
    );

  test('is the error that stands in front of the summary', () => {
    expect(failed('artifact.too-many: It makes 51')).toMatchObject({
      ...{ code: 'artifact.too-many', message: 'It makes 51' },
    });
  });

  test('is none of ours where no known code stands there', () => {
    expect(failed('odd.code: x')).toMatchObject({ code: 'gateway.strange-answer' });
    expect(failed('')).toMatchObject({ code: 'gateway.strange-answer' });
    expect(failed('', 'cancelled')).toMatchObject({ code: 'operation.cancelled' });
  });
});
