/** Names of files that come from somebody else: what could do harm where they arrive is refused. */
import { AosError } from '../errors.ts';
import { quote } from '../text/quote.ts';

const mostBytes = 255;
/** Of our own files, which lie beside what is received. */
export const ownPrefix = '.aos-';

/**
 * Refuses a name, with the rule that is broken. What is thrown is a `transfer.bad-name` for
 * whoever sends it, or what `refuse` makes of the name, quoted, and the rule.
 */
export function checkFileName(
  name: string,
  refuse: (shown: string, rule: string) => AosError = notSent,
): void {
  const broken = brokenRule(name);
  if (broken === undefined) return;
  throw refuse(quote(name.length > 80 ? `${name.slice(0, 80)}…` : name), broken);
}

function notSent(shown: string, rule: string): AosError {
  return new AosError('transfer.bad-name', {
    message: `A file cannot be sent as ${shown}: ${rule}`,
    fix: 'Rename it, or give it another name with --name',
  });
}

function brokenRule(name: string): string | undefined {
  if (name === '') return 'a name has at least one character';
  if (name === '.' || name === '..') return 'that is a folder and not a name';
  if (name.includes('/')) return 'a name has no "/" in it';
  if (name.includes('\0')) return 'a name has no NUL in it';
  if (!name.isWellFormed()) return 'half of a character is in it';
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name)) return 'a control character or a line end is in it';
  if (name.startsWith(ownPrefix)) return `names that begin with "${ownPrefix}" are taken`;
  const sizeBytes = new TextEncoder().encode(name).length;
  return sizeBytes > mostBytes
    ? `a name has at most ${mostBytes} bytes, and this one has ${sizeBytes}`
    : undefined;
}
