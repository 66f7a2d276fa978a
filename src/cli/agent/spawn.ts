/** `aos spawn`: makes an agent, of a model or of a program. */
import { dirname, isAbsolute, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { composeEngines } from '../../app/home/compose.ts';
import type { Answer, Body } from '../../gateway/contract/contract.ts';
import { checkAgentName, type RestartPolicy, restartPolicies } from '../../kernel/agent/agent.ts';
import { parseLimits } from '../../kernel/agent/budget.ts';
import { commandWords } from '../../kernel/agent/program.ts';
import { AosError } from '../../kernel/errors.ts';
import type { DiskView } from '../../kernel/ports.ts';
import { oneLine, quote } from '../../kernel/text/quote.ts';
import { withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { fileParts, textOf } from '../core/input.ts';
import { modelOf, modelWords } from '../core/names.ts';
import { repeated } from '../core/words.ts';

interface SpawnOptions {
  readonly cli?: string;
  readonly model?: string;
  readonly goal?: string;
  readonly instructions?: string;
  readonly grant?: readonly string[];
  readonly askingGrant?: readonly string[];
  readonly budget?: readonly string[];
  readonly restart?: RestartPolicy;
  readonly parent?: string;
  readonly cwd?: string;
  readonly env?: readonly string[];
  readonly tool?: readonly string[];
  readonly standing?: true;
  readonly unsandboxed?: true;
  readonly see?: readonly string[];
  readonly writable?: true;
}

export function defineSpawn(command: Command, context: Context): void {
  command
    .argument('<name>', 'a letter, then letters, digits, "_" and "-"; 63 at most')
    .argument('[command...]', 'after "--": a program and its arguments')
    .option('--cli <command>', 'a program and its arguments, in one word')
    .option('--model <model>', 'as anthropic:NAME, openai:NAME, ollama:NAME or scripted:FILE')
    .option('--goal <text>', 'what it is to do')
    .option('--instructions <text>', 'what a model is told first; @FILE reads them from a file')
    .option('--grant <capability>', 'what it may do, as file:/srv/**:read; repeatable', repeated)
    .option('--asking-grant <capability>', 'the same, approved by a human each time', repeated)
    .option(
      '--budget <what=much>',
      'as tokens=50000, cost=0.50 or children=2; repeatable',
      repeated,
    )
    .addOption(new Option('--restart <policy>', 'when it ends').choices([...restartPolicies]))
    .option('--parent <agent>', 'the agent whose child it is')
    .option('--cwd <folder>', 'where a program runs (its own workspace)')
    .option('--env <name=value>', 'a variable for a program; repeatable', repeated)
    .option('--see <folder>', 'a folder that a program sees, read-only; repeatable', repeated)
    .option('--writable', 'a program may write to the folder of --cwd')
    .option('--unsandboxed', 'no wall around a program: it can do all that you can')
    .option('--tool <tool>', 'a tool that a model is offered, or an area as file.*', repeated)
    .option('--standing', 'it stays for messages that come for it (when there is no goal)')
    .addHelpText(
      'after',
      '\nMakes an agent that lives here: on a model, or as a program. Exactly one of the two is\nsaid. "aos ps" lists it, "aos inspect NAME" tells all about it.\n\nA program runs in a sandbox: it sees its own workspace, inbox, outbox and socket, and\nwhat --cwd and --see name. A script that is an argument has to be shown: --cwd . does it.\nWithout a sandbox, by --unsandboxed, it is trusted as you are.\n\nExamples:\n  aos spawn worker -- sleep 60\n  aos spawn bot --cwd . -- python3 ./bot.py\n  aos spawn coder --cli "claude -p" --goal "Mend the build" --cwd . --writable\n  aos spawn reader --model scripted:hello --goal "Say hello" --budget tokens=50000\n  aos spawn jean --model anthropic:claude-sonnet-4-5 --instructions @jean.md --standing',
    )
    .action((name: string, words: readonly string[], options: SpawnOptions) =>
      spawn(context, name, { words, options }),
    );
}

interface Spawning {
  readonly words: readonly string[];
  readonly options: SpawnOptions;
}

async function spawn(context: Context, name: string, spawning: Spawning): Promise<void> {
  checkAgentName(name);
  const body = await bodyOf(name, spawning);
  const answer = await withHome(context, { holder: 'aos spawn' }, (client) =>
    client.spawn(name, body, { signal: context.signal }).catch(async (failure: unknown) => {
      throw await withUnseen(failure, body);
    }),
  );
  context.print({ data: answer, text: spawnedText(answer, body) });
}

async function withUnseen(failure: unknown, body: Body<'spawn'>): Promise<unknown> {
  if (!(failure instanceof AosError) || failure.code !== 'program.not-started') return failure;
  const fix = await unseenArgument(composeEngines().disk, body);
  const { code, message, details } = failure;
  return fix === undefined ? failure : new AosError(code, { message, fix, details });
}

async function bodyOf(name: string, { words, options }: Spawning): Promise<Body<'spawn'>> {
  const { model, goal, instructions, grant, askingGrant, budget, restart, parent } = options;
  const cli = programOf(words, options.cli);
  if ((cli === undefined) === (model === undefined)) throw notOneBody(name, model);
  // What is written wrongly is told before a daemon is asked.
  parseLimits(budget ?? []);
  return {
    cli,
    model: model === undefined ? undefined : modelOf(model),
    goal,
    instructions: instructions === undefined ? undefined : await instructionsOf(instructions),
    grants: listOf(grant),
    asking_grants: listOf(askingGrant),
    budget: listOf(budget),
    restart,
    parent,
    cwd: options.cwd === undefined ? undefined : resolve(options.cwd),
    env: options.env === undefined ? undefined : variablesOf(options.env),
    tools: listOf(options.tool),
    standing: options.standing,
    unsandboxed: options.unsandboxed,
    sees: options.see?.map((folder) => resolve(folder)),
    writable: options.writable,
  };
}

function listOf(values: readonly string[] | undefined): string[] | undefined {
  return values === undefined ? undefined : [...values];
}

/** `--cli` and what stands after `--` are one line. */
function programOf(words: readonly string[], cli: string | undefined): string[] | undefined {
  if (cli !== undefined) return [...commandWords(cli), ...words];
  return words.length === 0 ? undefined : [...words];
}

function notOneBody(name: string, model: string | undefined): AosError {
  return new AosError('agent.bad-spec', {
    message:
      model === undefined
        ? `It is not said what agent ${quote(name)} runs on: a model or a program`
        : `Agent ${quote(name)} runs on a model or as a program, and not both`,
    fix: `aos spawn ${name} --model MODEL, or aos spawn ${name} -- PROGRAM ARGUMENTS`,
  });
}

const mostBytes = 256 * 1024;

function instructionsOf(typed: string): Promise<string> | string {
  if (!typed.startsWith('@')) return typed;
  const path = resolve(typed.slice(1));
  return textOf(fileParts(composeEngines().disk, path), { what: quote(path), mostBytes });
}

function variablesOf(texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const equals = text.indexOf('=');
      if (equals > 0) return [text.slice(0, equals), text.slice(equals + 1)];
      throw new AosError('usage.bad-value', {
        message: `--env wants NAME=VALUE, and got ${quote(text.slice(0, 100))}`,
        fix: '--env LANG=C',
      });
    }),
  );
}

function spawnedText(
  { agent, operation, pid, waiting }: Answer<'spawn'>,
  { model }: Body<'spawn'>,
): string {
  const runs =
    model === undefined
      ? waiting
        ? 'waits: as many programs run as may at once, and it starts when one of them ends'
        : `runs${pid === null ? '' : ` as process ${pid}`}`
      : `is there, on ${modelWords(model)}`;
  const follow = operation === null ? agent : operation;
  const goal = operation === null ? '' : ` Its goal is ${operation}.`;
  return `${oneLine(`Agent ${agent} ${runs}.${goal}`)}\nTo look at it: aos inspect ${follow}`;
}

/**
 * What to do about an argument that names a file which the program does not see, as far as one
 * can tell from here; undefined where there is none.
 */
export async function unseenArgument(
  disk: Pick<DiskView, 'stat'>,
  { cli = [], cwd, sees = [], unsandboxed }: Body<'spawn'>,
): Promise<string | undefined> {
  if (unsandboxed === true) return undefined;
  const [program = '', ...words] = cli;
  const own = program.includes('/') ? [dirname(resolve(cwd ?? '.', program))] : [];
  const shown = [...(cwd === undefined ? [] : [cwd]), ...sees, ...own, '/usr'];
  for (const word of words) {
    const path = resolve(cwd ?? '.', word);
    if (shown.some((folder) => path.startsWith(`${folder}/`))) continue;
    if (!(await isFile(disk, path))) continue;
    // Inside, what is not absolute begins at the folder that it works in.
    const flag =
      isAbsolute(word) || cwd !== undefined ? `--see ${quote(dirname(path))}` : '--cwd .';
    return `${quote(path)} is not seen inside: ${flag} shows it`;
  }
  return undefined;
}

async function isFile(disk: Pick<DiskView, 'stat'>, path: string): Promise<boolean> {
  try {
    return (await disk.stat(path))?.kind === 'file';
  } catch {
    // Most words are no paths at all, and some could not be.
    return false;
  }
}
