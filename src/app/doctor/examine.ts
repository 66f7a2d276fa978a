/** `aos doctor`: every check at once, each one's failure its own finding. */
import { AosError, toReport } from '../../kernel/errors.ts';
import type { VolumeUsage } from '../../kernel/ports.ts';
import { type ConfigSources, loadConfig } from '../config/config.ts';
import type { Settings } from '../config/settings.ts';
import type { Engines } from '../home/compose.ts';
import { plainerIfFull } from '../upkeep/reserve.ts';
import { checkClock } from './clock.ts';
import { checkDisk, checkFileSystem } from './disk.ts';
import type { Check, CheckName, Finding, Verdict } from './finding.ts';
import { checkHome } from './home.ts';
import { checkInotify } from './inotify.ts';
import { checkLedger } from './ledger.ts';
import { checkModes } from './modes.ts';
import { checkNode } from './node.ts';
import { checkPrograms } from './programs.ts';
import { checkRelay } from './relay.ts';
import { checkSandbox } from './sandbox.ts';

export interface Examination
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
  examination: Examination,
  names: readonly CheckName[],
): Promise<Finding[]> {
  const config = await settingsOrError(examination);
  const broken = config instanceof AosError;
  const judge = broken ? judgeWithout(config, examination) : judgeWith(config, examination);
  // Whoever asks for something else must hear why it was not looked at.
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
}: Examination): Promise<Settings | AosError> {
  try {
    return (await loadConfig({ view: disk, environment, flags })).settings;
  } catch (error) {
    if (error instanceof AosError) return error;
    throw error;
  }
}

type Judge = (check: CheckName) => Promise<Verdict>;

function judgeWithout(error: AosError, examination: Examination): Judge {
  return async (check) => {
    if (check === 'config') return told(error);
    if (check === 'node') return checkNode();
    if (check === 'sandbox') return checkSandbox(examination);
    return { state: 'skipped', says: 'not looked at: the settings come first' };
  };
}

function judgeWith(settings: Settings, examination: Examination): Judge {
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

function told(error: unknown): Verdict {
  const { message, fix } = toReport(error);
  return { state: 'failed', says: message, ...(fix === undefined ? {} : { fix }) };
}
