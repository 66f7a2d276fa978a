/** A question to whoever sits at the terminal. */
import type { Context } from './context.ts';
import type { Input } from './terminal.ts';

/** Whether they say yes; whatever else they say is no. */
export async function confirm(
  { terminal, signal }: Pick<Context, 'terminal' | 'signal'>,
  question: string,
): Promise<boolean> {
  // On stderr: what a command prints on stdout is its data.
  terminal.err(`${question} [y/N] `);
  const line = await readLine(terminal.input, signal);
  return /^\s*y(?:es)?\s*$/i.test(line);
}

const longestLine = 1000;

async function readLine(input: Input, signal: AbortSignal): Promise<string> {
  const chunks = input.read()[Symbol.asyncIterator]();
  const decoder = new TextDecoder();
  let text = '';
  try {
    while (!text.includes('\n') && text.length < longestLine) {
      const next = await orAborted(chunks.next(), signal);
      if (next.done === true) break;
      text += decoder.decode(next.value, { stream: true });
    }
  } finally {
    // Not awaited: a read that was under way at Ctrl-C ends with the next line, or never.
    void chunks.return?.();
  }
  const [line = ''] = text.split('\n');
  return line;
}

function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
