/** A program that is run for each file that came, without a shell. */
import type { ChildProcess } from 'node:child_process';
import { oneLine } from '../../kernel/text/quote.ts';
import type { Context } from '../core/context.ts';
import type { Transfer } from './words.ts';

export interface Run {
  readonly program: string;
  readonly args: readonly string[];
  /** Absolute, so that no program takes it for an option. */
  readonly path: string;
  readonly transfer: Transfer;
}

/** How it ends is told, and changes nothing: the file is there. */
export async function runFor(
  { environment, terminal, signal }: Context,
  { program, args, path, transfer }: Run,
  { json }: { readonly json: boolean },
): Promise<void> {
  const facts = {
    TRANSFER_ID: transfer.id,
    TRANSFER_SENDER: transfer.sender,
    TRANSFER_FILENAME: transfer.filename,
  };
  const { spawn } = process.getBuiltinModule('node:child_process');
  const child = spawn(program, [...args, path], {
    env: { ...environment, ...facts },
    shell: false,
    // With --json only what we print is on stdout.
    stdio: ['ignore', json ? 2 : 'inherit', 'inherit'],
  });
  const stop = (): void => void child.kill('SIGTERM');
  signal.addEventListener('abort', stop, { once: true });
  try {
    const trouble = await endOf(child);
    if (trouble === undefined) return;
    terminal.err(oneLine(`${program} ${trouble} for ${transfer.filename}`).concat('\n'));
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** What went wrong, in words. */
function endOf(child: ChildProcess): Promise<string | undefined> {
  return new Promise((done) => {
    child.once('error', (failure) => done(`could not be run (${failure.message})`));
    child.once('exit', (code, signal) => {
      if (code === 0) done(undefined);
      else done(signal === null ? `ended with ${code}` : `was ended by ${signal}`);
    });
  });
}
