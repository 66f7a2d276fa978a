/** Commands as they can be typed again, whatever is in their words. */
import { oneLine } from '../kernel/quote.ts';

/** One word for a shell. */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  if (/^[\w @%+=:,./~-]+$/.test(text)) return `"${text}"`;
  if (oneLine(text) === text) return `'${text.replaceAll("'", `'\\''`)}'`;
  // What a terminal must not be shown is spelt out, so that a shell reads it back.
  return `$'${text.replace(/[\\']/g, '\\$&').replace(/./gsu, spelt)}'`;
}

/** By its bytes, which every shell that knows `$'…'` understands. */
function spelt(character: string): string {
  if (oneLine(character) === character) return character;
  return [...Buffer.from(character)]
    .map((byte) => `\\${byte.toString(8).padStart(3, '0')}`)
    .join('');
}

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
