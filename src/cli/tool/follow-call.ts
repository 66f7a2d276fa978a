/** A call of a tool, with what it shows while it runs: its stdout to ours, its stderr to ours. */
import type { Client } from '../../gateway/client/client.ts';
import type { Answer } from '../../gateway/contract/contract.ts';
import { AosError } from '../../kernel/errors.ts';
import type { OutputStream } from '../../kernel/sandbox.ts';
import { bytesOfShown, printable, type ShownPart, textOfShown } from '../../kernel/text/quote.ts';
import type { Context } from '../core/context.ts';
import { counted } from '../core/words.ts';

/** What comes while a tool runs. */
type CallUpdates = ReturnType<Client['streamTool']>;
type CallAnswer = Answer<'callTool'>;

export interface SeenCall {
  readonly answer: CallAnswer;
  /** Whether anything came before it. */
  readonly hasShown: boolean;
}

/** For a person, and for whatever reads our streams. */
export async function followCall({ terminal }: Context, updates: CallUpdates): Promise<SeenCall> {
  /** Where a line has not ended, and how to end it. */
  const open = new Map<'terminal' | OutputStream, () => void>();
  const show = (part: ShownPart): void => {
    const { stream } = part;
    const [write, raw] =
      stream === 'stdout' ? [terminal.out, terminal.rawOut] : [terminal.err, terminal.rawErr];
    const text = textOfShown(part);
    if (raw === undefined) write(printable(text));
    else raw(bytesOfShown(part));
    const place = raw === undefined ? 'terminal' : stream;
    if (text.endsWith('\n')) open.delete(place);
    else open.set(place, () => write('\n'));
  };
  /** What we say is on a line of its own, and what we hand on has nothing in it but what came. */
  const endLines = (): void => {
    open.delete('stdout');
    for (const endLine of open.values()) endLine();
    open.clear();
  };
  try {
    return await watchCall(updates, {
      output: show,
      dropped: (bytes) => {
        endLines();
        terminal.err(
          `… ${counted(bytes, 'byte')} left out here, which came too fast to be shown\n`,
        );
      },
    });
  } finally {
    endLines();
  }
}

/** Follows a call for a program that reads: a line of JSON for everything that comes. */
export function streamCall({ stream }: Context, updates: CallUpdates): Promise<SeenCall> {
  return watchCall(updates, {
    output: (part) => stream({ data: { type: 'output', ...part }, text: '' }),
    dropped: (bytes) => stream({ data: { type: 'dropped', bytes }, text: '' }),
  });
}

interface Onlooker {
  output(part: ShownPart): void;
  dropped(bytes: number): void;
}

async function watchCall(updates: CallUpdates, onlooker: Onlooker): Promise<SeenCall> {
  let hasShown = false;
  for await (const { kind, ...update } of updates) {
    if ('answer' in update) return { answer: update.answer, hasShown };
    hasShown = true;
    if ('bytes' in update) onlooker.dropped(update.bytes);
    else onlooker.output(update);
  }
  throw new AosError('gateway.strange-answer', {
    message: 'The call ended without an answer',
    fix: 'aos tool calls',
  });
}
