/**
 * Programs, as `shell` calls them: by name those of the machine, and any other by its path
 * inside the sandbox.
 */
import { BrokenRule } from './capability-fault.ts';
import { encode, parseSegmentName } from './segment-text.ts';

/** Where programs are looked for by their names, inside and on the host alike. */
export const programFolders = ['/usr/local/bin', '/usr/bin', '/bin'] as const;

export function parseProgramPath(text: string): string {
  const names = text.slice(1).split('/').map(parseSegmentName);
  const name = names.at(-1) ?? '';
  // It would allow nothing: what runs from there is asked for by its name.
  if (programFolders.some((folder) => `${folder}/${name}` === `/${names.join('/')}`)) {
    throw new BrokenRule('a program of the machine has a name', `Write ${name} and no path`);
  }
  return `/${names.join('/')}`;
}

export function printProgram(program: string): string {
  return program.startsWith('/') ? program.split('/').map(encode).join('/') : program;
}
