import { expect, test } from 'vitest';
import type { WireCall } from '../../gateway/contract/contract.ts';
import { endWords } from './call-end.ts';

const call = {
  ...{ call_id: '1', tool: 'files.move_file', state: 'answered', error: null },
} as WireCall;
const metadata = { files_affected: 0, bytes_affected: 0, duration_ms: 1 };

test('what the file agent did is said of a call that is answered', () => {
  const output = { status: 'success', action_performed: 'Moved 2 files', result: {}, metadata };

  expect(endWords({ ...call, output })).toBe('is answered: Moved 2 files');
});

test('what kept the file agent from doing it is said of a call that is answered', () => {
  const error = { code: 'PLAN_CHANGED', message: 'The files have changed since' };
  const output = { status: 'error', action_performed: 'Nothing', result: {}, error, metadata };

  expect(endWords({ ...call, output })).toBe(
    'is answered with an error: The files have changed since',
  );
});

test('what another tool answered is not said', () => {
  const output = { action_performed: 'x' };

  expect(endWords({ ...call, tool: 'web.read', output })).toBe('is answered');
});
