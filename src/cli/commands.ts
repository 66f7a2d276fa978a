import { defineComplete } from './complete.ts';
import { defineCompletion } from './completion.ts';
import { defineConfig } from './config.ts';
import type { Define } from './context.ts';
import { defineDoctor } from './doctor.ts';

export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  readonly hidden?: true;
  /** Called only when the command is named: the others cost nothing but their place in the file. */
  readonly define: Define;
}

/** Every command, in the order in which `aos --help` lists them. */
export const commands: readonly CommandEntry[] = [
  {
    name: 'doctor',
    summary: 'check that this machine can run agents, and say what to mend',
    define: defineDoctor,
  },
  {
    name: 'config',
    summary: 'show the settings in force, where they come from, and what there is to set',
    define: defineConfig,
  },
  {
    name: 'completion',
    summary: 'print a script that lets your shell complete aos commands',
    define: defineCompletion,
  },
  {
    name: '__complete',
    summary: 'print what may follow the words typed so far',
    hidden: true,
    define: defineComplete,
  },
];
