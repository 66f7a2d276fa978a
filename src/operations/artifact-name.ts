/** What an artifact may be called: the parts of a path below the operation's own folder. */

import { artifactLimits } from '../kernel/agent/operation.ts';
import { AosError } from '../kernel/errors.ts';
import { checkFileName } from '../kernel/files/names.ts';
import { quote } from '../kernel/text/quote.ts';

/** Throws `artifact.bad-name`. */
export function checkArtifactName(name: string): void {
  const parts = name.split('/');
  if (parts.length > artifactLimits.nameParts) {
    throw badName(quote(name.slice(0, 80)), `it has more than ${artifactLimits.nameParts} parts`);
  }
  for (const part of parts) checkFileName(part, badName);
  if (parts.slice(0, -1).some((folder) => folder.toLowerCase().endsWith(ending))) {
    // It would stand where the sealed bytes of another one stand.
    throw badName(quote(name.slice(0, 80)), `a folder in it ends with "${ending}"`);
  }
  // A part becomes a file of its own, with an ending behind it.
  if (Buffer.byteLength(name) > artifactLimits.nameLength - ending.length) {
    throw badName(quote(name.slice(0, 80)), `it is longer than ${artifactLimits.nameLength} bytes`);
  }
}

/** Of the sealed bytes. */
export const ending = '.enc';

export function badName(shown: string, rule: string): AosError {
  return new AosError('artifact.bad-name', {
    message: `${shown} cannot be an artifact: ${rule}`,
    fix: 'Give it a plain name, and leave out what is no file',
  });
}
