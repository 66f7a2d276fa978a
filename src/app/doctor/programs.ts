import type { Patient, Verdict } from './finding.ts';

/** Can a program be ended with all that it started? It is tried. */
export async function checkPrograms({ programs }: Pick<Patient, 'programs'>): Promise<Verdict> {
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
