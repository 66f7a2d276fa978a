/** Commands as they can be typed again. */
import { shellWord } from '../../kernel/text/quote.ts';

/** A longer command is not worth reading again. */
const mostCharacters = 2000;

/** The command with options added, before words that only look like options. */
export function commandWith(argv: readonly string[], options: readonly string[]): string {
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  const [before, after] = [argv.slice(0, end).map(shellWord), argv.slice(end).map(shellWord)];
  const whole = ['aos', ...before, ...options, ...after].join(' ');
  if (whole.length <= mostCharacters) return whole;
  return `The same command with ${options.join(' ')}`;
}
