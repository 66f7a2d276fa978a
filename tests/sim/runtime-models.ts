/** The model and the tools of simulated agents, which do what the dice say. */
import * as z from 'zod';
import type { AnswerPart, LanguageModel, ModelRequest } from '../../src/kernel/agent/model.ts';
import { AosError } from '../../src/kernel/errors.ts';
import type { Clock } from '../../src/kernel/ports.ts';
import { defineTool, type Tool, type ToolCall, type ToolSpec } from '../../src/tools/tool.ts';
import type { RuntimeWorld } from './runtime-world.ts';

/** Something that happened outside the ledger, and cannot be taken back. */
export interface SimulatedEffect {
  readonly tool: string;
  readonly key: string;
  readonly text: string;
}

export interface Surroundings {
  readonly clock: Clock;
  /** May be where the process dies, or stands still. */
  pass(): Promise<void>;
}

const promptTokens = 10;
const mostTurns = 4;

export function simulatedModel(world: RuntimeWorld, around: Surroundings): LanguageModel {
  return {
    ...{ id: 'sim:model', contextTokens: 100_000, isScripted: false },
    countPrompt: () => promptTokens,
    async answer(request, { signal }) {
      const { dice } = world;
      await around.pass();
      const delayMs = world.isCalm ? 0 : dice.pick([0, 0, 3, 40, 400, 4000]);
      await around.clock.sleep(delayMs, signal);
      if (world.plan.faults && !world.isCalm) mayFail(world);
      await around.pass();
      signal.throwIfAborted();
      const parts = partsOf(world, request);
      const outputTokens = 1 + dice.below(request.maxOutputTokens);
      const usage = { inputTokens: 1 + dice.below(promptTokens), outputTokens };
      const isCalling = parts.some(({ kind }) => kind === 'tool-call');
      return { parts, usage, finish: isCalling ? 'tool-calls' : 'stop' };
    },
  };
}

function mayFail({ dice }: RuntimeWorld): void {
  const what = dice.below(100);
  if (what < 4) throw new AosError('model.cut-off', { message: 'It ended early' });
  if (what < 7) throw new AosError('model.overloaded', { message: 'Busy' });
  if (what < 8) throw new AosError('model.bad-key', { message: 'The key is refused' });
}

function partsOf(world: RuntimeWorld, { messages, tools }: ModelRequest): AnswerPart[] {
  const { dice } = world;
  const turns = messages.filter(({ role }) => role === 'assistant').length;
  if (world.isCalm || turns >= mostTurns || dice.chance(25)) {
    return [{ kind: 'text', text: `said ${world.count()}` }];
  }
  const names = tools.map(({ name }) => name).filter((name) => /^sim\.|spawn$/.test(name));
  const calls = Array.from({ length: 1 + dice.below(3) }, (_, place) => {
    const tool = dice.oneOf(names) ?? 'sim.look';
    // Some vendors give the same ids in every turn.
    return { kind: 'tool-call', id: `call-${place}`, tool, args: argsFor(world, tool) } as const;
  });
  return calls;
}

function argsFor(world: RuntimeWorld, tool: string): unknown {
  const { dice } = world;
  if (tool !== 'agent.spawn') return { text: `text-${world.count()}` };
  const budget = dice.pick([
    ['tokens=60', 'cost=0.0005', 'tool_calls=4'],
    ['tokens=500', 'cost=0.005', 'tool_calls=1', 'children=1'],
    [],
  ]);
  const grants = dice.chance(30) ? ['agent:*:spawn'] : [];
  return { name: `child-${world.count()}`, goal: 'Be a child', model: 'sim:model', budget, grants };
}

type TextArgs = { readonly text: string };

export function simulatedTools(world: RuntimeWorld, around: Surroundings): readonly Tool[] {
  const effects = (tool: string, check: boolean) => async (args: TextArgs, call: ToolCall) => {
    await around.pass();
    await around.clock.sleep(world.isCalm ? 0 : world.dice.pick([0, 0, 2, 30, 1000]));
    await around.pass();
    // In one turn, as a unique key in a database of somebody else is.
    if (!check || !world.effects.some(({ key }) => key === call.key)) {
      world.effects.push({ tool, key: call.key, text: args.text });
      world.note(`effect ${tool} ${args.text} ${call.key}`);
    }
    await around.pass();
    return args.text;
  };
  return [
    textTool('sim.once', { effect: 'external', repeatable: true, run: effects('sim.once', true) }),
    textTool('sim.risky', { effect: 'external', run: effects('sim.risky', false) }),
    textTool('sim.asking', {
      ...{ effect: 'external', repeatable: true, run: effects('sim.asking', true) },
      asks: () => 'a human has to know',
    }),
    textTool('sim.look', {
      effect: 'read',
      run: async () => {
        await around.pass();
        return world.count();
      },
    }),
  ];
}

function textTool(
  name: string,
  parts: Pick<ToolSpec<TextArgs>, 'run' | 'effect'> & Partial<ToolSpec<TextArgs>>,
): Tool {
  return defineTool<TextArgs>({
    ...{ name, summary: 'A simulated tool', actions: () => [] },
    schema: z.strictObject({ text: z.string() }),
    ...parts,
  });
}
