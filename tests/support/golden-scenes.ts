/** The runs that the golden journals are of: each a model and tools that do the same every time. */
import * as z from 'zod';
import type { AnswerPart, LanguageModel, ModelRequest } from '../../src/kernel/agent/model.ts';
import { AosError } from '../../src/kernel/errors.ts';
import { forkOperation } from '../../src/runtime/fork.ts';
import type { SpawnOrder } from '../../src/runtime/spawn.ts';
import { defineTool, type Tool } from '../../src/tools/tool.ts';
import { seededRandom } from '../sim/random.ts';
import { wholeMessage } from './temporary-relay.ts';
import type { RuntimeChoices, TemporaryRuntime } from './temporary-runtime.ts';

export interface Scene {
  readonly name: string;
  readonly what: string;
  readonly end: 'completed' | 'failed';
  /** New ones for every run; what its tools have done is in `effects`. */
  readonly choices: (effects: string[]) => RuntimeChoices;
  readonly order?: Partial<Pick<SpawnOrder, 'goal' | 'budget'>>;
  /** Lies in the mailbox before it begins. */
  readonly mail?: string;
  /** Whether a human is asked for every call, and approves. */
  readonly asks?: true;
  /** Another operation that is made of the first one. */
  readonly next?: (home: TemporaryRuntime, id: string) => Promise<string>;
}

export const scenes: readonly Scene[] = [
  {
    ...{ name: 'plain', what: 'An answer, and nothing else', end: 'completed' },
    choices: (effects) => ({ models: { model: counting(0) }, tools: [append(effects)] }),
  },
  {
    ...{ name: 'tools', what: 'Three turns with two calls each', end: 'completed' },
    choices: (effects) => ({ models: { model: counting(3) }, tools: [append(effects)] }),
  },
  {
    ...{ name: 'mail', what: 'A message that was there before', end: 'completed', mail: 'Hello.' },
    choices: (effects) => ({ models: { model: counting(1) }, tools: [append(effects)] }),
  },
  {
    ...{ name: 'approval', what: 'Calls that a human approved', end: 'completed', asks: true },
    choices: (effects) => ({
      models: { model: counting(1) },
      tools: [append(effects, { asks: () => 'the scene wants it' })],
    }),
  },
  {
    ...{ name: 'lost', what: 'An answer that was cut off and asked for again', end: 'completed' },
    choices: (effects) => ({ models: { model: cutOffOnce() }, tools: [append(effects)] }),
  },
  {
    ...{ name: 'summary', what: 'More than fits into the window of the model', end: 'completed' },
    choices: (effects) => ({
      models: { model: { ...counting(6), contextTokens: 1500 } },
      tools: [append(effects, {}, 'so much '.repeat(150))],
    }),
  },
  {
    ...{ name: 'spent', what: 'A budget that does not cover the calls', end: 'failed' },
    order: { goal: { text: 'Do it.', budget: { tokens: 100_000, tool_calls: 5 } } },
    choices: (effects) => ({ models: { model: counting(4) }, tools: [append(effects)] }),
  },
  {
    ...{ name: 'forked', what: 'A run that goes on from the middle of another', end: 'completed' },
    choices: (effects) => ({ models: { model: counting(2) }, tools: [append(effects)] }),
    next: async (home, id) => {
      const random = seededRandom('fork');
      const request = { from: 4, by: 'owner' };
      const { operation } = await forkOperation({ ...home, random }, id, request);
      home.scheduler.wake();
      return operation;
    },
  },
  {
    ...{ name: 'reasoning', what: 'What a vendor wants to have back unread', end: 'completed' },
    choices: (effects) => ({
      models: { model: counting(1, { signature: 'b3BhcXVl' }) },
      tools: [append(effects)],
    }),
  },
];

/** Calls the tool twice in each of so many turns, then says so. */
function counting(turns: number, meta?: object): LanguageModel {
  return {
    ...{ id: 'test:model', contextTokens: 100_000, isScripted: true },
    answer: async (request) => {
      const turn = 1 + turnsBefore(request);
      const usage = { inputTokens: 10 * turn, outputTokens: 5 };
      const thought: AnswerPart[] =
        meta === undefined ? [] : [{ kind: 'reasoning', text: 'I think.', meta }];
      if (turn > turns) {
        const parts = [...thought, { kind: 'text', text: `Done after ${turns}.` } as const];
        return { parts, finish: 'stop', usage };
      }
      const calls = ['a', 'b'].map((letter) => ({
        ...({ kind: 'tool-call', id: `call-${letter}`, tool: 'test.append' } as const),
        args: { text: `${turn}${letter}` },
        ...(meta === undefined ? {} : { meta }),
      }));
      return { parts: [...thought, ...calls], finish: 'tool-calls', usage };
    },
  };
}

/** Also those that only a summary tells of. */
function turnsBefore({ messages }: ModelRequest): number {
  const told = /\[turns so far: (\d+)\]/.exec(JSON.stringify(messages))?.[1] ?? '0';
  return Number(told) + messages.filter(({ role }) => role === 'assistant').length;
}

function cutOffOnce(): LanguageModel {
  const model = counting(1);
  let isFirst = true;
  return {
    ...model,
    answer: async (request, asking) => {
      if (!isFirst) return model.answer(request, asking);
      isFirst = false;
      throw new AosError('model.cut-off', { message: 'The answer ended early' });
    },
  };
}

function append(
  effects: string[],
  choices: { readonly asks?: () => string } = {},
  more = '',
): Tool {
  return defineTool<{ readonly text: string }>({
    ...{ name: 'test.append', summary: 'Writes it down', effect: 'external', repeatable: true },
    schema: z.strictObject({ text: z.string() }),
    actions: () => [],
    run: async ({ text }) => {
      effects.push(text);
      return `${text} is written. ${more}`.trim();
    },
    ...choices,
  });
}

export async function sendMail(home: TemporaryRuntime, body: string): Promise<void> {
  const message = wholeMessage({ to: 'jean', body });
  await home.relay.accept([{ sender: 'owner', message }]);
}
