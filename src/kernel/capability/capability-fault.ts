import { AosError } from '../errors.ts';
import { quote } from '../text/quote.ts';

const longestShown = 120;

/** Why a text is no capability, with what would be one. */
export function badCapability(text: string, rule: string, fix: string): AosError {
  const shown = text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
  return new AosError('capability.bad', {
    message: `${quote(shown)} is no capability: ${rule}`,
    fix,
  });
}

/** A rule that a part of the text breaks; whoever has the whole text makes the fault of it. */
export class BrokenRule extends Error {
  readonly fix: string;

  constructor(rule: string, fix = 'Write it as resource:target:action, such as file:/data/*:read') {
    super(rule);
    this.fix = fix;
  }
}
