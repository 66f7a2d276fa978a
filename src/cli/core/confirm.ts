/** Questions to the person at the terminal. */
import type { Context } from './context.ts';
import type { Input } from './report.ts';

type AskingTerminal = Pick<Context, 'terminal' | 'signal'>;

/** Whether they say yes; whatever else they say is no. */
export async function confirm(asker: AskingTerminal, question: string): Promise<boolean> {
  using questions = askingAt(asker);
  return await questions.confirm(question);
}

export interface Questions extends Disposable {
  confirm(question: string): Promise<boolean>;
}

/** For more than one question: what was typed ahead is kept for the next. */
export function askingAt({ terminal, signal }: AskingTerminal): Questions {
  let lines: Lines | undefined;
  return {
    async confirm(question) {
      // On stderr: what a command prints on stdout is its data.
      terminal.err(`${question} [y/N] `);
      lines ??= linesOf(terminal.input);
      return /^\s*y(?:es)?\s*$/i.test(await lines.next(signal));
    },
    [Symbol.dispose]: () => lines?.[Symbol.dispose](),
  };
}

const longestLine = 1000;

interface Lines extends Disposable {
  next(signal: AbortSignal): Promise<string>;
}

function linesOf(input: Input): Lines {
  const chunks = input.read()[Symbol.asyncIterator]();
  const decoder = new TextDecoder();
  let text = '';
  return {
    async next(signal) {
      while (!text.includes('\n') && text.length < longestLine) {
        const next = await orAborted(chunks.next(), signal);
        if (next.done === true) break;
        text += decoder.decode(next.value, { stream: true });
      }
      const [line = '', ...rest] = text.split('\n');
      text = rest.join('\n');
      return line;
    },
    // Not awaited: a read that was under way at Ctrl-C ends with the next line, or never.
    [Symbol.dispose]: () => void chunks.return?.(),
  };
}

function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
