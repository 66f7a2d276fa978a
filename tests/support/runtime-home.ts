/** What tests of agents on the real daemon need: scripts, looks at the ledger, and patience. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { vi } from 'vitest';
import type { ScriptText } from '../../src/models/scripted/script.ts';
import type { TemporaryFolder } from './temporary-folder.ts';

// Far above what anything here takes, so that what hangs fails its test by name.
const deadlineMs = 20_000;

export function waitFor<T>(look: () => T | Promise<T>, timeout = deadlineMs): Promise<T> {
  return vi.waitFor(look, { timeout, interval: 20 });
}

/** A model that follows these turns. */
export function writeScript(
  folder: TemporaryFolder,
  name: string,
  script: Omit<ScriptText, 'scripted_model'>,
): string {
  const path = folder.at(`${name}.json`);
  writeFileSync(path, JSON.stringify({ scripted_model: 1, name, ...script }));
  return `scripted:${path}`;
}

/** Who shows `running` and is under no lease, at this moment, whoever owns the home. */
export function liarsIn(home: string): string[] {
  using database = new DatabaseSync(join(home, 'ledger.db'), { readOnly: true });
  const rows = database
    .prepare(
      `select name from agents where state = 'running' and not exists
         (select 1 from leases where subject = 'agent:' || agents.name and owner <> '')`,
    )
    .all();
  return rows.map(({ name }) => String(name));
}

/** The processes whose command line has these words in it. */
export function processesWith(words: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && commandLine(name).includes(words))
    .map(Number);
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ');
  } catch {
    // It ended while we looked.
    return '';
  }
}

/** Those that a process has started and that still run. */
export function childrenOfProcess(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}
