import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { type ParseArgsConfig, parseArgs } from 'node:util';

export const root = join(import.meta.dirname, '..');

export interface ToolRun {
  readonly name: string;
  readonly code: number;
  readonly output: string;
  readonly seconds: number;
}

/** Runs a program of node_modules/.bin and keeps what it says. */
export function runTool(name: string, args: readonly string[]): Promise<ToolRun> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(join(root, 'node_modules', '.bin', name), args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      // Its stdout is our pipe, so it must be told whether a person looks at ours.
      env: { ...process.env, ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' }) },
    });
    let output = '';
    const keep = (chunk: Buffer) => {
      output += chunk.toString();
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.on('error', reject);
    child.on('close', (code) => {
      const seconds = (performance.now() - startedAt) / 1000;
      resolve({ name, code: code ?? 1, output, seconds });
    });
  });
}

/** The options and words of a script's command line; ends it with a sentence where they are wrong. */
export function commandLine<T extends ParseArgsConfig['options']>(options: T) {
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (failure) {
    say(failure instanceof Error ? failure.message : String(failure));
    process.exit(2);
  }
}

/** One line in a script's own words. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
