/** How a program ended, in the words of one line. */
import { printAmount } from '../../kernel/agent/budget.ts';
import type { SandboxLimit } from '../../kernel/sandbox.ts';
import { oneLine } from '../../kernel/text/quote.ts';

/** What a tool brings that has run a program, as far as it is looked at. */
export interface ProgramEnd {
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly stopped_by: string | null;
  readonly ms: number;
  /** Undefined where it is base64. */
  readonly stdout?: string;
  readonly stderr?: string;
}

const limitWords: Readonly<Record<SandboxLimit, string>> = {
  memory: 'it used more memory than it may',
  processes: 'it started more processes than it may',
  output: 'it wrote more than it may',
  time: 'it took longer than it may',
  'file-size': 'it wrote a larger file than it may',
  workspace: 'its workspace is larger than it may be',
};

/** Undefined for what another tool brings. */
export function programEnd(output: unknown): ProgramEnd | undefined {
  if (typeof output !== 'object' || output === null) return undefined;
  const has = ['program', 'exit_code', 'signal', 'stopped_by', 'ms'].every((key) => key in output);
  // The daemon and this command are of one version, as for every answer.
  return has ? (output as ProgramEnd) : undefined;
}

/** Whether nothing came out of it at all. */
export function isSilent({ stdout, stderr }: ProgramEnd): boolean {
  return stdout === '' && stderr === '';
}

/** `exit code 0, 1.2s` */
export function endWords({ exit_code, signal, stopped_by, ms }: ProgramEnd): string {
  const took = printAmount('wall', ms);
  if (stopped_by !== null) return oneLine(`stopped: ${whyStopped(stopped_by)}, ${took}`);
  if (signal !== null) return oneLine(`killed by ${signal}, ${took}`);
  return oneLine(`exit code ${exit_code}, ${took}`);
}

function whyStopped(by: string): string {
  const known: Readonly<Record<string, string>> = limitWords;
  return known[by] ?? `by its limit "${by}"`;
}
