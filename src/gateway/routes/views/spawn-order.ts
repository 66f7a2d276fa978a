/** What the owner asks for when an agent is to be made, as the runtime takes it. */
import type { AgentSpec, CommandSpec } from '../../../kernel/agent/agent.ts';
import { parseLimits } from '../../../kernel/agent/budget.ts';
import { AosError } from '../../../kernel/errors.ts';
import { quote } from '../../../kernel/text/quote.ts';
import type { SpawnOrder } from '../../../runtime/spawn.ts';
import type { Body } from '../../contract/contract.ts';

type Asked = Body<'spawn'>;

const usualOutputTokens = 4096;

/** Throws `agent.bad-spec` and `budget.malformed`. */
export function spawnOrder(name: string, by: string, asked: Asked): SpawnOrder {
  const spec = specFrom(name, asked);
  const { goal, priority } = asked;
  return {
    ...{ name, by, spec, parent: asked.parent },
    grants: asked.grants,
    askingGrants: asked.asking_grants,
    budget: parseLimits(asked.budget ?? []),
    // A program finds its goal in its inbox.
    goal: spec.body === 'model' && goal !== undefined ? { text: goal, priority } : undefined,
  };
}

function specFrom(name: string, asked: Asked): AgentSpec {
  const { model, cli } = asked;
  if (model !== undefined && cli !== undefined) {
    throw badSpec('it is to run on a model and as a program', 'Name one of them: model, or cli');
  }
  if (model !== undefined) return modelSpec(name, asked, model);
  if (cli !== undefined) return commandSpec(asked, cli);
  throw badSpec(
    'nothing says what it runs as',
    `aos spawn ${name} --model anthropic:NAME, or aos spawn ${name} --cli "PROGRAM ARGUMENT"`,
  );
}

function modelSpec(name: string, asked: Asked, model: string): AgentSpec {
  const ofPrograms = ['cwd', 'env', 'unsandboxed', 'sees', 'writable'] as const;
  refuse(asked, ofPrograms, 'a program, and it runs on a model');
  return {
    ...{ body: 'model', model },
    instructions: asked.instructions ?? `You are agent ${name} of Agent OS.`,
    ...(asked.tools === undefined ? {} : { tools: asked.tools }),
    max_output_tokens: asked.max_output_tokens ?? usualOutputTokens,
    restart: asked.restart ?? 'on-failure',
    is_standing: asked.standing ?? asked.goal === undefined,
  };
}

function commandSpec(asked: Asked, cli: readonly string[]): AgentSpec {
  refuse(
    asked,
    ['instructions', 'tools', 'standing', 'max_output_tokens', 'priority'],
    'a model, and it runs as a program',
  );
  const [program = '', ...rest] = cli;
  if (program === '') throw badSpec('its program has no name', 'Name the program first in cli');
  if (cli.some((word) => word.includes('\0'))) {
    throw badSpec('an argument has a NUL in it, which no program can be given', 'Leave it out');
  }
  const { cwd, goal } = asked;
  if (cwd !== undefined) checkFolder(cwd, 'cwd');
  return {
    ...{ body: 'command', argv: [program, ...rest], env: asked.env ?? {} },
    ...(cwd === undefined ? {} : { cwd }),
    ...(goal === undefined ? {} : { prompt: goal }),
    restart: asked.restart ?? 'never',
    ...wallOf(asked),
  };
}

type Wall = Pick<CommandSpec, 'unsandboxed' | 'sees' | 'writable'>;

/** What the owner chooses about the wall around a program; nothing where that is as usual. */
function wallOf({ unsandboxed, sees = [], writable, cwd }: Asked): Wall {
  if (unsandboxed === true && (sees.length > 0 || writable === true)) {
    throw badSpec(
      'without a sandbox it sees everything, and sees or writable would mean nothing',
      'Leave out unsandboxed, or the others',
    );
  }
  if (writable === true && cwd === undefined) {
    throw badSpec('it may write to its folder, and none is named', 'Name it: cwd, or --cwd');
  }
  for (const folder of sees) checkFolder(folder, 'sees');
  return {
    ...(unsandboxed === true ? { unsandboxed } : {}),
    ...(sees.length > 0 ? { sees } : {}),
    ...(writable === true ? { writable } : {}),
  };
}

function checkFolder(folder: string, field: string): void {
  if (folder.startsWith('/') && !folder.includes('\0')) return;
  const shown = quote(folder.slice(0, 200));
  throw badSpec(`its folder ${shown} is not absolute`, `Begin ${field} with a /`);
}

/** What would be left unheeded is refused. */
function refuse(asked: Asked, fields: readonly (keyof Asked)[], what: string): void {
  const given = fields.filter((field) => asked[field] !== undefined);
  if (given.length > 0) throw badSpec(`${given.join(', ')} is for ${what}`, 'Leave that out');
}

function badSpec(why: string, fix: string): AosError {
  return new AosError('agent.bad-spec', { message: `The agent cannot be made: ${why}`, fix });
}
