import type { Command } from 'commander';
import type { Environment, FlagValue } from '../../app/config/config.ts';
import type { CommandOutcome, Terminal } from './report.ts';

/** What every command is handed. */
export interface Context {
  readonly terminal: Terminal;
  readonly environment: Environment;
  /** What was typed after the name of the program. */
  readonly argv: readonly string[];
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal;
  /** The settings given on the command line. */
  readonly flags: () => readonly FlagValue[];
  /** The whole tree of commands, every command's own part defined. */
  readonly wholeProgram: () => Command;
  /** Ends the command well: for a person, or as JSON. */
  readonly print: (outcome: CommandOutcome) => void;
  /** One of many: each a line, of JSON with `--json`. */
  readonly stream: (item: CommandOutcome) => void;
  /** A line of the answer for a person; nothing with `--json`. */
  readonly words: (text: string) => void;
}

/** Adds a command's arguments, options and action to the empty command of its name. */
export type Define = (command: Command, context: Context) => void;
