/** How a command's end is told: one shape for people, one for programs. */
import { toReport } from '../../kernel/errors.ts';
import { oneLine, printable, safeJson } from '../../kernel/text/quote.ts';
import { paint, type Terminal } from './terminal.ts';

export interface Outcome {
  /** For `--json`; plain JSON with snake_case keys. */
  readonly data: unknown;
  /** The same for a person, without a line end. */
  readonly text: string;
}

export interface Style {
  readonly json: boolean;
  readonly debug: boolean;
}

export function reportOutcome(terminal: Terminal, style: Style, outcome: Outcome): void {
  terminal.out(`${style.json ? safeJson({ ok: true, data: outcome.data }) : outcome.text}\n`);
}

/** One of many, each on its own line. */
export function reportItem(terminal: Terminal, style: Style, item: Outcome): void {
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
