/** Descriptors that the parent of this process left open, and that it would pass on. */
import { closeSync, readdirSync, readFileSync } from 'node:fs';

const closeOnExec = 0o2000000;

/**
 * Closes them: what is started later inherits 0 to 2 and what it is given. Only for a process that
 * is ours from its first line: in others they may be in use. Nothing on systems that do not tell.
 */
export function closeInherited(): void {
  if (process.platform !== 'linux') return;
  for (const name of readdirSync('/proc/self/fd')) {
    const descriptor = Number(name);
    if (descriptor > 2 && isPassedOn(descriptor)) closeSync(descriptor);
  }
}

// All that this process opens itself is not.
function isPassedOn(descriptor: number): boolean {
  try {
    const info = readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8');
    const flags = /^flags:\s*(\d+)$/m.exec(info)?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0;
  } catch {
    // It was of the listing itself.
    return false;
  }
}
