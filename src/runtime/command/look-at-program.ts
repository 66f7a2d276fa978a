/** Whether a program does what its row says. */
import { setHealth } from '../../ledger/agents.ts';
import type { CommandDeps } from './deps.ts';
import type { LiveProgram } from './live-program.ts';

export async function lookAtProgram(
  { ledger }: CommandDeps,
  name: string,
  live: LiveProgram,
): Promise<void> {
  const condition = live.program.condition();
  if (condition === 'gone') return;
  if (live.mode === 'paused') {
    // Somebody outside let it go on, and the row says otherwise.
    if (condition === 'running') await live.program.freeze();
    return;
  }
  const mode = condition === 'stopped' ? 'frozen' : 'running';
  if (mode === live.mode) return;
  await ledger.transact(async (tx) => {
    const isNews = await setHealth(tx, name, mode === 'frozen' ? 'frozen' : null);
    if (!isNews) return;
    const kind = mode === 'frozen' ? 'agent.frozen' : 'agent.thawed';
    await tx.record({ actor: 'system', kind, subject: `agent:${name}` });
  });
  live.mode = mode;
}
