/**
 * The socket of an agent where its program finds it behind the wall: `run/bodies/NAME/aos.sock`,
 * a second name of `run/agents/NAME.sock`.
 *
 * B1. The folder stays for as long as the agent does: a program that outlived its daemon has it
 *     mounted, and finds the socket of the next daemon in it.
 * B2. Nothing else is ever in it: the new name is made beside it and moved in, in the place of
 *     the old one. Under root the folder is the agent's, and so the socket becomes the agent's.
 */

import { join } from 'node:path';
import { readSpec } from '../../kernel/agent/agent.ts';
import { removeIfThere } from '../../kernel/disk/folders.ts';
import type { Disk } from '../../kernel/ports.ts';
import { agentInnards, everyAgent } from '../../ledger/agents.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { HomeSandboxes } from './sandboxes.ts';

export interface BodySocketDeps extends Pick<HomeSandboxes, 'ownFolders'> {
  readonly disk: Disk;
  readonly ledger: Pick<Ledger, 'committed'>;
  readonly home: string;
}

/** Its socket was made, now or by a daemon after another. For those with a wall around them. */
export async function showSocketOf(deps: BodySocketDeps, name: string): Promise<void> {
  const spec = readSpec((await agentInnards(deps.ledger.committed, name))?.spec);
  if (spec?.body !== 'command' || spec.unsandboxed === true) return;
  await deps.ownFolders(name);
  await showSocket(deps.disk, deps.home, name);
}

/** Removes the folders of agents that are gone, also if they went while no daemon ran. */
export async function sweepSocketFolders({
  disk,
  ledger,
  home,
}: Omit<BodySocketDeps, 'ownFolders'>): Promise<void> {
  const bodies = bodiesFolder(home);
  const found = new Set(await disk.list(bodies));
  for await (const { name, body, state } of everyAgent(ledger.committed)) {
    if (body === 'command' && state !== 'terminated') found.delete(name);
  }
  for (const name of found) {
    if (name.startsWith('.')) await removeIfThere(disk, join(bodies, name));
    else await removeSocketFolder(disk, home, name);
  }
}

/** In it is a folder for each agent. */
function bodiesFolder(home: string): string {
  return join(home, 'run', 'bodies');
}

/** The agent's folder is there already. */
export async function showSocket(disk: Disk, home: string, name: string): Promise<void> {
  const bodies = bodiesFolder(home);
  // No agent's name begins like this.
  const beside = join(bodies, `.${name}.sock`);
  await removeIfThere(disk, beside);
  await disk.link(join(home, 'run', 'agents', `${name}.sock`), beside);
  // B2
  await disk.rename(beside, join(bodies, name, 'aos.sock'));
  // To move one name of a file onto another of the same does nothing.
  await removeIfThere(disk, beside);
}

/** Nothing happens when it is gone. */
export async function removeSocketFolder(disk: Disk, home: string, name: string): Promise<void> {
  const folder = join(bodiesFolder(home), name);
  await removeIfThere(disk, join(folder, 'aos.sock'));
  await removeIfThere(disk, folder);
}
