import { join } from 'node:path';
import { removeTree } from '../../kernel/disk/durable-file.ts';
import { AosError } from '../../kernel/errors.ts';
import { type Disk, endOfTurn, type Random } from '../../kernel/ports.ts';
import type { HeldAs, SandboxState } from '../../kernel/sandbox.ts';
import type { Engines } from '../home/compose.ts';
import { isFull } from './disk.ts';
import type { DoctorVerdict, Patient } from './finding.ts';
import { trialName } from './modes.ts';

export interface SandboxPatient
  extends Pick<Patient, 'signal'>,
    Pick<Engines, 'disk' | 'random' | 'eventLoop' | 'openSandboxes'> {
  /** Where the settings are broken, the home is not known. */
  readonly settings?: Patient['settings'];
  readonly usage?: Patient['usage'];
}

/** Does the wall around programs stand? A program is started behind it and tries to get out. */
export async function checkSandbox(patient: SandboxPatient): Promise<DoctorVerdict> {
  const usage = await patient.usage?.();
  const home = usage !== undefined && isFull(usage) ? undefined : patient.settings?.home;
  await using place = await ownPlace(patient, home);
  // What it would tell of is told as the finding.
  const log = { error: () => {} };
  await using sandboxes = patient.openSandboxes({ log, folder: place.path, ready: 0 });
  const state = await sandboxes.state();
  // To try it may block the event loop, and with it the signal to stop.
  await endOfTurn(patient.eventLoop);
  patient.signal.throwIfAborted();
  return judgeSandbox(state);
}

interface OwnPlace extends AsyncDisposable {
  readonly path: string;
}

// Where the sandboxes of the daemon are made, if that can be written; a full disk is another
// check's finding.
async function ownPlace(
  { disk, random }: { readonly disk: Disk; readonly random: Random },
  home: string | undefined,
): Promise<OwnPlace> {
  const name = `${trialName(process.pid)}-${Buffer.from(random.bytes(8)).toString('hex')}`;
  const wanted = home === undefined ? undefined : join(home, 'run', name);
  const path = (await madeFolder(disk, wanted)) ?? join('/tmp', name);
  if (path !== wanted) await disk.makeFolder(path);
  return { path, [Symbol.asyncDispose]: () => removeTree(disk, path) };
}

async function madeFolder(disk: Disk, path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  try {
    await disk.makeFolder(path);
    return path;
  } catch (failure) {
    if (failure instanceof AosError) return undefined;
    throw failure;
  }
}

export function judgeSandbox(state: SandboxState): DoctorVerdict {
  if (state.kind === 'unavailable') {
    const says = `programs of agents are refused: ${state.says}`;
    return { state: 'failed', says, fix: state.fix };
  }
  const { path, rung, holds } = state;
  const parts = ways
    .map(({ held, words }) => ({ words, limits: limitsHeld(holds, held) }))
    .filter(({ limits }) => limits.length > 0)
    .map(({ words, limits }) => `${limits.join(', ')} ${words}`);
  const says = `programs are isolated by ${path} and held by ${rung}: ${parts.join('; ')}`;
  if (limitsHeld(holds, 'not').length === 0) return { state: 'ok', says };
  return { state: 'warning', says, fix };
}

const fix = 'run the daemon as a service with a delegated control group (systemd: Delegate=yes)';

const ways: readonly { readonly held: HeldAs; readonly words: string }[] = [
  { held: 'exact', words: 'exactly' },
  { held: 'each', words: 'for each process' },
  { held: 'watched', words: 'a moment later' },
  { held: 'not', words: 'not at all' },
];

type Holds = Extract<SandboxState, { readonly kind: 'works' }>['holds'];

function limitsHeld(holds: Holds, held: HeldAs): readonly string[] {
  return Object.entries(holds)
    .filter(([, how]) => how === held)
    .map(([limit]) => limit.replace('-', ' '));
}
