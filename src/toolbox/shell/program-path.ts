/** From the name of a program to its path inside the sandbox. */
import { join } from 'node:path';
import { AosError } from '../../kernel/errors.ts';
import type { DiskView } from '../../kernel/ports.ts';
import { quote } from '../../kernel/quote.ts';
import type { SandboxView } from '../../kernel/sandbox.ts';
import { programFolders } from './order.ts';

/** Throws `shell.unknown-program`. Whether it can be run is seen when it is. */
export async function findProgram(
  disk: DiskView,
  view: Pick<SandboxView, 'workspace'>,
  program: string,
): Promise<string> {
  if (!program.includes('/')) return findByName(disk, program);
  const onHost = hostPath(view, program);
  if (onHost === undefined || (await exists(disk, onHost))) return program;
  throw unknown(program, 'Look at what is in the workspace, with program "ls"');
}

async function findByName(disk: DiskView, name: string): Promise<string> {
  for (const folder of programFolders) {
    const path = join(folder, name);
    if (await exists(disk, path)) return path;
  }
  throw unknown(name, 'Install it on the machine, or give the path of one in the workspace');
}

/** Undefined for what lies elsewhere than in the workspace and among the programs. */
function hostPath({ workspace }: Pick<SandboxView, 'workspace'>, path: string): string | undefined {
  if (path.startsWith('/workspace/')) return join(workspace, path.slice('/workspace/'.length));
  return /^\/(?:usr|bin|sbin|lib)\//.test(path) ? path : undefined;
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
