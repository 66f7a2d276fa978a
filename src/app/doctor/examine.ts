/** `aos doctor`: every check at once, each one's failure its own finding. */

import { join } from 'node:path';
import { AosError, toReport } from '../../kernel/errors.ts';
import type { Instant, VolumeUsage } from '../../kernel/ports.ts';
import { openSqlite } from '../../ledger/sqlite/database.ts';
import { type ConfigSources, loadConfig } from '../config/config.ts';
import type { Settings } from '../config/settings.ts';
import type { Engines } from '../home/compose.ts';
import { plainerIfFull } from '../upkeep/reserve.ts';
import { checkDisk, checkFileSystem } from './disk.ts';
import type { Check, CheckName, DoctorFinding, DoctorVerdict, Patient } from './finding.ts';
import { checkHome, checkInotify } from './home.ts';
import { checkModes } from './modes.ts';
import { checkRelay } from './relay.ts';
import { checkSandbox } from './sandbox.ts';

export interface DoctorExamination
  extends Pick<Engines, 'clock' | 'random' | 'disk' | 'volume' | 'fileWatching'>,
    Pick<Engines, 'processes' | 'programs' | 'eventLoop' | 'openSandboxes'>,
    Pick<ConfigSources, 'environment' | 'flags'> {
  readonly signal: AbortSignal;
}

const checks: Record<Exclude<CheckName, 'config'>, Check> = {
  node: checkNode,
  home: checkHome,
  modes: checkModes,
  disk: checkDisk,
  filesystem: checkFileSystem,
  ledger: checkLedger,
  relay: checkRelay,
  inotify: checkInotify,
  sandbox: checkSandbox,
  programs: checkPrograms,
  clock: checkClock,
};

/** Looks at the named things. Broken settings are a finding, not the end. */
export async function examine(
  examination: DoctorExamination,
  names: readonly CheckName[],
): Promise<DoctorFinding[]> {
  const config = await settingsOrError(examination);
  const broken = config instanceof AosError;
  const judge = broken ? judgeWithout(config, examination) : judgeWith(config, examination);
  // A caller that asks for something else must hear why it was not looked at.
  const asked = broken && !names.includes('config') ? ['config' as const, ...names] : names;
  return Promise.all(
    asked.map(async (check) => {
      const verdict = await judge(check).catch((error: unknown) => {
        examination.signal.throwIfAborted();
        // A check that breaks has found something: the others still have their say.
        return told(error);
      });
      return { check, ...verdict };
    }),
  );
}

async function settingsOrError({
  disk,
  environment,
  flags,
}: DoctorExamination): Promise<Settings | AosError> {
  try {
    return (await loadConfig({ view: disk, environment, flags })).settings;
  } catch (error) {
    if (error instanceof AosError) return error;
    throw error;
  }
}

type Judge = (check: CheckName) => Promise<DoctorVerdict>;

function judgeWithout(error: AosError, examination: DoctorExamination): Judge {
  return async (check) => {
    if (check === 'config') return told(error);
    if (check === 'node') return checkNode();
    if (check === 'sandbox') return checkSandbox(examination);
    return { state: 'skipped', says: 'not looked at: the settings come first' };
  };
}

function judgeWith(settings: Settings, examination: DoctorExamination): Judge {
  let asked: Promise<VolumeUsage> | undefined;
  const usage = () => {
    asked ??= examination.volume.usage(settings.home);
    return asked;
  };
  return async (check) => {
    if (check === 'config') return { state: 'ok', says: 'every setting is understood' };
    try {
      return await checks[check]({ ...examination, settings, usage });
    } catch (failure) {
      // To read the ledger takes room too, and SQLite would have the disk looked at.
      throw await plainerIfFull(examination, settings.home, failure);
    }
  };
}

function told(error: unknown): DoctorVerdict {
  const { message, fix } = toReport(error);
  return { state: 'failed', says: message, ...(fix === undefined ? {} : { fix }) };
}

/** The launcher has refused an older Node already; this says which one is in use. */
async function checkNode(): Promise<DoctorVerdict> {
  return { state: 'ok', says: `Node ${process.versions.node} at ${process.execPath}` };
}

/** Can a program be ended with all that it started? It is tried. */
async function checkPrograms({ programs }: Pick<Patient, 'programs'>): Promise<DoctorVerdict> {
  if (process.platform !== 'linux') {
    return { state: 'warning', says: 'programs are held together by their process group only' };
  }
  if (programs.holdsBy() === 'control groups') {
    return { state: 'ok', says: 'programs are held together by control groups' };
  }
  return {
    state: 'warning',
    says: 'there are no control groups to write to, so a program of an agent that means to can leave processes behind',
    fix: 'run the daemon as a service with a delegated control group (systemd: Delegate=yes)',
  };
}

/** Reads the whole ledger and lets SQLite judge it; the daemon may run meanwhile. */
async function checkLedger({ settings, disk }: Patient): Promise<DoctorVerdict> {
  const path = join(settings.home, 'ledger.db');
  const there = await disk.stat(path);
  if (there === undefined || there.sizeBytes === 0) {
    return { state: 'ok', says: 'the ledger is not there yet' };
  }
  using database = openSqlite(path, { readOnly: true });
  const found = await database.get<{ integrity_check: string }>('pragma integrity_check(1)');
  if (found?.integrity_check === 'ok') return { state: 'ok', says: 'the ledger is sound' };
  return {
    state: 'failed',
    says: `the ledger is damaged: ${found?.integrity_check ?? 'it cannot be judged'}`,
    fix: 'stop the daemon and put a backup back: aos restore FILE --replace',
  };
}

// No clock that is right shows a time before this program was written.
const earliest: Instant = Date.UTC(2026, 0, 1);
const toleranceMs = 5 * 60_000;
const fix = 'sudo timedatectl set-ntp true';

/** Is the wall clock plausible, and not behind what was written under it earlier? */
async function checkClock({ clock, disk, settings }: Patient): Promise<DoctorVerdict> {
  const now = clock.now();
  const today = new Date(now).toISOString();
  if (now < earliest)
    return { state: 'failed', says: `the clock says ${today}, which is past`, fix };
  const newest = await newestChange(disk, settings.home);
  if (newest > now + toleranceMs) {
    return {
      state: 'warning',
      says: `the clock says ${today}, but the home folder was changed at ${new Date(newest).toISOString()}: it went back`,
      fix,
    };
  }
  return { state: 'ok', says: `the clock says ${today}` };
}

async function newestChange(disk: Patient['disk'], home: string): Promise<Instant> {
  if ((await disk.stat(home)) === undefined) return 0;
  const names = await disk.list(home);
  const entries = await Promise.all(names.map((name) => disk.stat(join(home, name))));
  return Math.max(0, ...entries.map((entry) => entry?.modifiedAt ?? 0));
}
