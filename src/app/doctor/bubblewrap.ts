import { probeBubblewrap } from '../../security/sandbox/bubblewrap.ts';
import type { Patient, Verdict } from './finding.ts';

/** Does the sandbox really hold? A program is started in one and tries to look out. */
export async function checkBubblewrap({
  disk,
  clock,
  signal,
}: Pick<Patient, 'disk' | 'clock' | 'signal'>): Promise<Verdict> {
  const probe = await probeBubblewrap({ disk, clock }, signal);
  switch (probe.kind) {
    case 'works':
      return { state: 'ok', says: `bubblewrap isolates programs (${probe.path})` };
    case 'missing':
      return {
        state: 'failed',
        says: 'bubblewrap is not installed, so programs of agents are refused',
        fix: 'sudo apt-get install bubblewrap (or with the package manager of this system)',
      };
    case 'refused':
      return {
        state: 'failed',
        says: `bubblewrap cannot make a sandbox here, so programs of agents are refused: ${probe.says}`,
        fix: probe.fix,
      };
    case 'unsupported':
      return { state: 'warning', says: `there is no bubblewrap on ${probe.platform}` };
  }
}
