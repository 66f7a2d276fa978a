/** What `aos files write` writes: words, or what is piped in. */
import { AosError } from '../../kernel/errors.ts';
import type { FileRequest } from '../../kernel/files/request.ts';
import type { Input } from '../core/report.ts';
import { bytesWords } from '../core/words.ts';

// A text of control characters takes six times its room on the way.
const mostBytes = 1024 * 1024;

type Content = Pick<FileRequest, 'content' | 'content_base64'>;

export async function contentOf(input: Input, given: string | undefined): Promise<Content> {
  if (given !== undefined && given !== '-') return { content: given };
  if (given === undefined && input.isTerminal) throw noText();
  const bytes = await allOf(input);
  // Where no person types, a text that was forgotten looks like one that is empty.
  if (bytes.length === 0 && given === undefined) throw noText();
  return bytes.toString().includes('\uFFFD')
    ? { content_base64: bytes.toString('base64') }
    : { content: bytes.toString() };
}

async function allOf(input: Input): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const part of input.read()) {
    sizeBytes += part.length;
    if (sizeBytes > mostBytes) throw tooLarge();
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function noText(): AosError {
  return new AosError('usage.missing-argument', {
    message: 'There is nothing to write',
    fix: 'Give it as the last word, or pipe it in; "" makes an empty file',
  });
}

function tooLarge(): AosError {
  return new AosError('files.too-large', {
    message: `What was piped in is larger than ${bytesWords(mostBytes)}`,
    fix: 'Write it with your shell, or copy it: aos files copy',
  });
}
