import { AosError } from '../errors.ts';
import { quote } from '../text/quote.ts';

/**
 * `claude --model "big one"` as the words of a command. Quotes hold a word together, and that
 * is all that is special: there is no shell, so nothing is expanded.
 */
export function commandWords(text: string): readonly [string, ...string[]] {
  const words: string[] = [];
  let rest = text.trim();
  while (rest !== '') {
    const [whole = ''] = /^(?:"[^"]*"|'[^']*'|[^\s"'])+/.exec(rest) ?? [];
    if (whole === '') throw badCommand(text, 'a quote in it does not end');
    words.push(whole.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, double, single) => double ?? single));
    rest = rest.slice(whole.length).trimStart();
  }
  const [program, ...others] = words;
  if (program === undefined || program === '') throw badCommand(text, 'it names no program');
  if (text.includes('\0')) throw badCommand(text, 'there is a NUL in it');
  return [program, ...others];
}

function badCommand(text: string, why: string): AosError {
  return new AosError('agent.bad-spec', {
    message: `${quote(text.slice(0, 200))} cannot be run: ${why}`,
    fix: 'Write the program and its arguments, as in: claude --model "big one"',
  });
}
