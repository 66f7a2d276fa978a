/** Lines of memories on their way in. All are in memory at once, because all or none count. */
import { AosError } from '../../../kernel/errors.ts';
import { routes } from '../../contract/contract.ts';
import { tooLarge } from '../../server/problem.ts';

const mostBytes = routes.importMemory.bodyBytes;

export async function readLines(source: AsyncIterable<Uint8Array>): Promise<readonly string[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const lines: string[] = [];
  let rest = '';
  let sizeBytes = 0;
  // As they come: all at once would hold up everybody else.
  const take = (text: string): void => {
    const [first = '', ...more] = text.split('\n');
    rest += first;
    for (const line of more) {
      lines.push(rest);
      rest = line;
    }
  };
  for await (const bytes of source) {
    sizeBytes += bytes.length;
    if (sizeBytes > mostBytes) throw tooLarge();
    take(decoded(() => decoder.decode(bytes, { stream: true })));
  }
  take(decoded(() => decoder.decode()));
  return [...lines, rest];
}

function decoded(decode: () => string): string {
  try {
    return decode();
  } catch (cause) {
    throw new AosError('memory.bad-import', {
      message: 'What is to be imported is no text in UTF-8; nothing was imported',
      fix: 'Give lines as "aos memory export" writes them',
      cause,
    });
  }
}
