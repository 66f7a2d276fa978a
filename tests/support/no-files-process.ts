/**
 * A home on a disk that has room for bytes and for no more files: what is said while its daemon
 * runs and after that was killed, and whether it starts once files were removed. Its argument is
 * the folder of the disk; a line with a `NoFilesReport` goes to its output.
 */
import { mkdirSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type Run, runAos } from './run-aos.ts';
import { startDaemon } from './running-daemon.ts';

export interface NoFilesReport {
  readonly alive: NoFilesLook;
  readonly killed: NoFilesLook;
  /** What `aos up` says after files were removed. */
  readonly again: NoFilesAnswer;
}

export interface NoFilesLook {
  readonly status: NoFilesAnswer;
  readonly doctor: NoFilesAnswer;
  readonly up: NoFilesAnswer;
}

export interface NoFilesAnswer extends Pick<Run, 'code'> {
  readonly text: string;
}

async function main(folder: string): Promise<NoFilesReport> {
  const home = join(folder, 'home');
  const files = join(folder, 'files');
  await using daemon = await startDaemon(home);
  mkdirSync(files);
  fillWithFiles(files);
  const alive = await look(home);
  await daemon.kill();
  fillWithFiles(files);
  const killed = await look(home);
  rmSync(files, { recursive: true });
  const again = await tell(home, 'up', '--detach', '--port', '0');
  await tell(home, 'down');
  return { alive, killed, again };
}

let made = 0;

function fillWithFiles(folder: string): void {
  try {
    for (;;) writeFileSync(join(folder, String(made++)), '');
  } catch {
    // No more can be made, which is what is wanted.
  }
}

async function look(home: string): Promise<NoFilesLook> {
  const status = await tell(home, 'status');
  const doctor = await tell(home, 'doctor');
  const up = await tell(home, 'up', '--detach', '--port', '0');
  return { status, doctor, up };
}

async function tell(home: string, ...argv: readonly string[]): Promise<NoFilesAnswer> {
  const { code, stdout, stderr } = await runAos(['--home', home, ...argv]);
  return { code, text: stdout + stderr };
}

const report = await main(process.argv[2] ?? '');
writeSync(1, `${JSON.stringify(report)}\n`);
