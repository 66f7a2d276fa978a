import { expect, test } from 'vitest';
import { moreWords, receivedWords, type ShownTransfer, sentWords } from './verb.ts';

const transfer: ShownTransfer = {
  ...{ id: '0199', sender: 'samantha', recipient: 'jared', filename: 'research.pdf' },
  ...{ file_size_bytes: 2_300_000, mime_type: null, s3_key: 'k', s3_bucket: 'b', metadata: {} },
  ...{ status: 'pending', created_at: '2026-01-01T00:00:00.000Z', downloaded_at: null },
  ...{ expires_at: '2026-01-08T00:00:00.000Z', batch: '0199', kind: 'file', entries: null },
  ...{ sha256: null, sealed: true, ack: 'announced', ack_at: '2026-01-01T00:00:00.000Z' },
  ...{ reason: null, attempts: 0, saved_bytes: 0 },
};

test('a line of the list says what, from whom and how large', () => {
  expect(receivedWords(transfer)).toBe('research.pdf from samantha (2.3 MB)');
  expect(sentWords(transfer)).toBe('research.pdf to jared (2.3 MB)');
});

test('a name cannot forge a line', () => {
  const forged = { ...transfer, filename: 'a\n0199  b.pdf from samantha (1 B)\u001b[2J' };

  expect(receivedWords(forged)).toMatch(/^a\\u000a0199 .*\\u001b\[2J from samantha/);
});

test('a folder says so, and what is over says how it ended', () => {
  const now = Date.parse('2026-01-07T00:00:00.000Z');

  expect(moreWords(transfer, now)).toBe('expires in 1 d 0 h');
  expect(moreWords({ ...transfer, kind: 'folder', entries: 12 }, now)).toMatch(
    /^a folder of 12 entries /,
  );
  const over: ShownTransfer = { ...transfer, status: 'failed', ack: 'rejected', reason: 'Page 3' };
  expect(moreWords(over, now)).toBe('failed (rejected)  Page 3');
});
