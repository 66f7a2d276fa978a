/** How a command's end is told: one shape for people, one for programs. */
import { toReport } from '../../kernel/errors.ts';
import { oneLine, printable, safeJson } from '../../kernel/text/quote.ts';

export interface CommandOutcome {
  /** For `--json`; plain JSON with snake_case keys. */
  readonly data: unknown;
  /** What a person reads, without a line end. */
  readonly text: string;
}

export interface Style {
  readonly json: boolean;
  readonly debug: boolean;
}

export function reportOutcome(terminal: Terminal, style: Style, outcome: CommandOutcome): void {
  terminal.out(`${style.json ? safeJson({ ok: true, data: outcome.data }) : outcome.text}\n`);
}

/** One of many, each on its own line. */
export function reportItem(terminal: Terminal, style: Style, item: CommandOutcome): void {
  terminal.out(`${style.json ? safeJson(item.data) : item.text}\n`);
}

export function reportFailure(terminal: Terminal, style: Style, thrown: unknown): void {
  const { code, message, fix, details } = toReport(thrown);
  if (style.debug && thrown instanceof Error) terminal.err(`${printable(thrown.stack ?? '')}\n`);
  if (style.json) {
    terminal.out(`${safeJson({ ok: false, error: { code, message, fix, details } })}\n`);
    return;
  }
  terminal.err(`${paint(terminal.colorErr, 'bad', 'error:')} ${oneLine(message)}\n`);
  if (fix !== undefined)
    terminal.err(`  ${paint(terminal.colorErr, 'dim', 'try:')} ${oneLine(fix)}\n`);
}

/** Where a command's data and words go. */
export interface Terminal {
  /** Data, on stdout. */
  out(text: string): void;
  /** Words for a person, on stderr. */
  err(text: string): void;
  /**
   * Bytes as they are, on stdout; undefined where a terminal would show them. Until it resolves
   * the memory is in use.
   */
  readonly rawOut?: ((bytes: Uint8Array) => void | Promise<void>) | undefined;
  /** Like `rawOut`, on stderr. */
  readonly rawErr?: ((bytes: Uint8Array) => void) | undefined;
  readonly colorOut: boolean;
  readonly colorErr: boolean;
  /** Whether a person looks at stderr, where a line can be drawn anew. */
  readonly errIsTerminal?: boolean;
  readonly columns: number;
  readonly input: Input;
}

/** What comes in, on stdin. */
export interface Input {
  /** Whether a person sits there, who would have to type it. */
  readonly isTerminal: boolean;
  read(): AsyncIterable<Uint8Array>;
}

export type Tone = 'good' | 'warn' | 'bad' | 'dim' | 'strong';

const toneCodes: Record<Tone, number> = { strong: 1, dim: 2, bad: 31, good: 32, warn: 33 };

/** Colours a text, after making it safe: what it holds may come from a file's name. */
export function paint(wanted: boolean, tone: Tone, text: string): string {
  const safe = oneLine(text);
  return wanted ? `\u001b[${toneCodes[tone]}m${safe}\u001b[0m` : safe;
}
