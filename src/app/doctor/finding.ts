import type { VolumeUsage } from '../../kernel/ports.ts';
import type { Settings } from '../config/settings.ts';
import type { Engines } from '../home/compose.ts';

/** What doctor looks at, in the order in which it tells. */
export const checkNames = [
  'node',
  'config',
  'home',
  'modes',
  'disk',
  'filesystem',
  'ledger',
  'relay',
  'inotify',
  'sandbox',
  'programs',
  'clock',
] as const;

export type CheckName = (typeof checkNames)[number];

export interface DoctorFinding {
  readonly check: CheckName;
  readonly state: 'ok' | 'warning' | 'failed' | 'skipped';
  /** One sentence: what was seen, and what it means. */
  readonly says: string;
  /** A command that mends it, or what to do. */
  readonly fix?: string;
}

/** What a check is handed. */
export interface Patient
  extends Pick<Engines, 'clock' | 'random' | 'disk' | 'fileWatching' | 'processes' | 'programs'>,
    Pick<Engines, 'eventLoop' | 'openSandboxes'> {
  readonly settings: Settings;
  readonly signal: AbortSignal;
  /** Of the file system under the home folder; asked once for all checks. */
  readonly usage: () => Promise<VolumeUsage>;
}

export type DoctorVerdict = Omit<DoctorFinding, 'check'>;
export type Check = (patient: Patient) => Promise<DoctorVerdict>;
