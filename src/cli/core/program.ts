/** The tree of commands. Each command's own part is defined when it is named. */
import { type Command, CommanderError } from 'commander';
import type { Environment, FlagValue } from '../../app/config/config.ts';
import { version } from '../../app/version.ts';
import { AosError, exitCodeOf, toReport } from '../../kernel/errors.ts';
import { quote } from '../../kernel/text/quote.ts';
import { defineTransfer } from '../transfer/transfer.ts';
import { AosCommand, inOwnWords } from './aos-command.ts';
import { commands } from './commands.ts';
import type { Context, Define } from './context.ts';
import { reportFailure, reportItem, reportOutcome, type Style, type Terminal } from './report.ts';

export type ProgramName = 'aos' | 'agent-transfer';

export interface Invocation {
  /** `aos` unless said otherwise. */
  readonly name?: ProgramName;
  readonly argv: readonly string[];
  readonly environment: Environment;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

/** Runs one command to its end and returns the exit code. */
export async function runProgram(invocation: Invocation): Promise<number> {
  const { argv, terminal } = invocation;
  const style = styleOf(argv);
  let running: Command | undefined;
  try {
    const program = createProgram(invocation, style);
    program.hook('preAction', (_program, command) => {
      running = command;
    });
    if (argv.length === 0) program.outputHelp();
    else await program.parseAsync(helpAsFlag(argv), { from: 'user' });
    return 0;
  } catch (thrown) {
    // Help or the version was asked for and has been printed.
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return 0;
    // What breaks after Ctrl-C breaks because of it.
    const why = invocation.signal.aborted ? invocation.signal.reason : inOwnWords(thrown, running);
    reportFailure(terminal, style, why);
    return exitCodeOf(toReport(why).code);
  }
}

/** The program with every command's own part defined: for completion. */
function wholeProgram(context: Context): Command {
  const program = createFrame('aos', context.terminal);
  addCommands(program);
  for (const command of program.commands) definitionOf(command)(command, context);
  return program;
}

function createProgram(invocation: Invocation, style: Style): AosCommand {
  const { name = 'aos', argv, terminal, environment, signal } = invocation;
  const program = createFrame(name, terminal);
  const context: Context = {
    terminal,
    environment,
    argv,
    signal,
    flags: () => settingFlags(program.opts()),
    wholeProgram: () => wholeProgram(context),
    print: (outcome) => reportOutcome(terminal, style, outcome),
    stream: (item) => reportItem(terminal, style, item),
    words: (text) => {
      if (!style.json) terminal.out(`${text}\n`);
    },
  };
  program.on('option:version', () => {
    context.print({ data: { version }, text: version });
    throw new CommanderError(0, 'commander.version', version);
  });
  if (name === 'agent-transfer') {
    defineTransfer(program, context);
    return program;
  }
  addCommands(program);
  program.hook('preSubcommand', (_program, command) => definitionOf(command)(command, context));
  return program;
}

const introductions: Readonly<Record<ProgramName, Introduction>> = {
  aos: {
    description: 'Agent OS: AI agents as first-class processes.',
    examples: ['aos doctor', 'aos up --detach', 'aos register jean', 'aos audit'],
  },
  'agent-transfer': {
    description: 'Files that arrive whole, between agents and humans. The same as "aos transfer".',
    examples: ['agent-transfer send report.pdf --to jared', 'agent-transfer list'],
  },
};

interface Introduction {
  readonly description: string;
  readonly examples: readonly string[];
}

function createFrame(name: ProgramName, terminal: Terminal): AosCommand {
  const { description, examples } = introductions[name];
  const program = new AosCommand(name);
  program
    .description(description)
    .usage('[options] COMMAND')
    .helpCommand(false)
    .exitOverride()
    .showSuggestionAfterError(false)
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err })
    .configureHelp({ helpWidth: Math.min(terminal.columns, 100), showGlobalOptions: true })
    .helpOption('-h, --help', 'show help for a command')
    .option('--home <dir>', 'use this home folder instead of ~/.agent-relay')
    .option('--set <key=value>', 'set one setting for this run (may be repeated)', collect)
    .option('--json', 'print {"ok":true,"data":…} or {"ok":false,"error":…}')
    .option('--no-color', 'never colour what is printed')
    .option('--debug', 'print the stack trace of an error')
    .option('-V, --version', 'print the version')
    .addHelpText('after', `\nExamples:\n${examples.map((line) => `  ${line}`).join('\n')}`);
  return program;
}

function addCommands(program: Command): void {
  for (const { name, summary, hidden } of commands) {
    program
      .command(name, { hidden: hidden === true })
      .summary(summary)
      .description(summary);
  }
}

function definitionOf(command: Command): Define {
  const entry = commands.find(({ name }) => name === command.name());
  if (entry === undefined) throw new Error(`the table has no command ${command.name()}`);
  return entry.define;
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** Needed before the arguments are understood, because misunderstandings are reported too. */
export function styleOf(argv: readonly string[]): Style & { readonly color: boolean } {
  const end = argv.indexOf('--');
  const flags = end === -1 ? argv : argv.slice(0, end);
  return {
    json: flags.includes('--json'),
    debug: flags.includes('--debug'),
    color: !flags.includes('--no-color'),
  };
}

/** `aos help config show` asks the same as `aos config show --help`. */
function helpAsFlag(argv: readonly string[]): string[] {
  return argv[0] === 'help' ? [...argv.slice(1), '--help'] : [...argv];
}

interface GlobalOptions {
  readonly home?: string;
  readonly set?: readonly string[];
}

function settingFlags({ home, set = [] }: GlobalOptions): FlagValue[] {
  const flags: FlagValue[] = set.map(settingFlag);
  return home === undefined ? flags : [...flags, { key: 'home', text: home, flag: '--home' }];
}

function settingFlag(assignment: string): FlagValue {
  const [key = '', ...rest] = assignment.split('=');
  if (rest.length > 0) return { key, text: rest.join('='), flag: '--set' };
  throw new AosError('usage.bad-value', {
    message: `--set wants KEY=VALUE, and got ${quote(assignment)}`,
    fix: 'aos --set diskWarnPercent=70 config show',
  });
}
