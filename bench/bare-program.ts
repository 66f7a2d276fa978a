/** A floor that is a program of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export interface Program extends AsyncDisposable {
  readonly pid: number;
}

/** Starts a program of this folder; resolves when it has said that it is ready. */
export async function startProgram(program: string, args: readonly string[]): Promise<Program> {
  const path = join(import.meta.dirname, program);
  const child = spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  const ready = await Promise.race([once(child.stdout, 'data'), ended.then(() => undefined)]);
  if (ready === undefined || child.pid === undefined) throw new Error(`${program} did not start`);
  return {
    pid: child.pid,
    async [Symbol.asyncDispose]() {
      child.kill();
      await ended;
    },
  };
}
