/** From the name of a program to its path inside the sandbox. */
import { join } from 'node:path';
import { programFolders } from '../../kernel/capability/target-text.ts';
import { AosError } from '../../kernel/errors.ts';
import type { DiskView } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';

/** Throws `shell.unknown-program`. Whether it can be run is seen when it is. */
export async function findProgram(disk: DiskView, program: string): Promise<string> {
  if (!program.includes('/')) return findByName(disk, program);
  // Not what lies in the workspace: whoever can make a symlink there would learn by it what
  // lies elsewhere. The program's own end tells.
  if (!ofMachine.test(program) || (await exists(disk, program))) return program;
  throw unknown(program, 'Give the name of a program that is installed');
}

const ofMachine = /^\/(?:usr|bin|sbin|lib)\//;

async function findByName(disk: DiskView, name: string): Promise<string> {
  for (const folder of programFolders) {
    const path = join(folder, name);
    if (await exists(disk, path)) return path;
  }
  throw unknown(name, 'Install it on the machine, or give the path of one in the workspace');
}

async function exists(disk: DiskView, path: string): Promise<boolean> {
  try {
    return (await disk.stat(path)) !== undefined;
  } catch {
    // Something on the way is no folder, or closed: there is no such program.
    return false;
  }
}

function unknown(program: string, fix: string): AosError {
  return new AosError('shell.unknown-program', {
    message: `There is no program ${quote(program.slice(0, 200))} in the sandbox`,
    fix,
  });
}
