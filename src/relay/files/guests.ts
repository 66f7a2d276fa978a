/** Folders that somebody made under `agents/`: each with a lawful name becomes a guest. */
import { checkAgentName } from '../../kernel/agent/agent.ts';
import { type AosError, toReport } from '../../kernel/errors.ts';
import type { DiskView } from '../../kernel/ports.ts';

export interface GuestDeps {
  readonly disk: DiskView;
  readonly home: string;
  /** Makes an agent of it; no error when it is one already. */
  registerGuest(name: string): Promise<void>;
  readonly tellOnce: (about: string, facts: object, words: string) => void;
}

/** True when an agent of that name has its folder and may be listened to. Never throws. */
export async function meetGuest(deps: GuestDeps, name: string): Promise<boolean> {
  try {
    const entry = await deps.disk.stat(`${deps.home}/agents/${name}`);
    if (entry === undefined) return false;
    if (entry.kind !== 'folder') {
      const words = 'what stands under agents/ is no folder of its own and is left alone';
      deps.tellOnce(`guest ${name}`, { name: shortened(name), kind: entry.kind }, words);
      return false;
    }
    checkAgentName(name);
    await deps.registerGuest(name);
    return true;
  } catch (failure) {
    const facts = { name: shortened(name), error: toReport(failure) };
    deps.tellOnce(`guest ${name}`, facts, wordsFor(toReport(failure).code));
    return false;
  }
}

function wordsFor(code: AosError['code']): string {
  return code === 'agent.bad-name'
    ? 'a folder under agents/ has a name that no agent may have; it is left alone'
    : 'a folder under agents/ cannot be made a guest for now';
}

function shortened(name: string): string {
  return name.length > 80 ? `${name.slice(0, 80)}…` : name;
}
