import { expect, test } from 'vitest';
import type { RememberedItem, Step } from '../kernel/journal/step.ts';
import { logLine } from './finish.ts';

const secret = 'only the journal has this';
const usage = { input_tokens: 1, output_tokens: 1 };
const call = { kind: 'tool-call', id: secret, tool: 'file.write', args: { text: secret } } as const;
const result = { id: secret, tool: 'file.write', text: secret, is_error: false, call_id: 'a1' };

const remembered: RememberedItem = {
  ...{ id: 1, owner: secret, scope: 'long-term', key: secret, version: 1 },
  ...{ why: 'fits', text: secret },
};
const steps: readonly (readonly [Step, string])[] = [
  [
    {
      ...{ kind: 'begun', goal: secret, because: 'a template was named', instructions: secret },
      ...{ model: 'scripted:x', is_scripted: true },
    },
    'begun: a template was named',
  ],
  [
    { kind: 'mail', messages: [{ id: secret, from: secret, kind: 'message', text: secret }] },
    '1 message(s) came in',
  ],
  [{ kind: 'remembered', items: [remembered] }, 'told of 1 memory(s)'],
  [
    { kind: 'asked', turn: 2, model: secret, hold: { tokens: 1, cost: 1 } },
    'turn 2: the model is asked',
  ],
  [
    {
      ...{ kind: 'answered', turn: 2, finish: 'tool-calls', usage, cost: null },
      parts: [{ kind: 'text', text: secret }, { kind: 'reasoning', text: secret }, call],
    },
    'turn 2: the model has answered, and makes 1 call(s)',
  ],
  [
    { kind: 'answered', turn: 3, finish: 'stop', usage, cost: 1, parts: [] },
    'turn 3: the model has answered',
  ],
  [
    { kind: 'lost', turn: 3, cause: 'daemon', why: secret },
    'turn 3: the answer was lost, and is asked for again',
  ],
  [
    { kind: 'results', turn: 3, results: [result, { ...result, is_error: true }] },
    'turn 3: file.write is done, file.write has failed',
  ],
  [{ kind: 'note', code: 'budget.near', text: secret }, 'a warning: budget.near'],
  [{ kind: 'summary', up_to: 3, text: secret, usage }, 'what was said before was made shorter'],
  [{ kind: 'checkpoint', why: secret }, 'put aside, to go on from here'],
  [{ kind: 'ended', state: 'failed', text: secret }, 'ended: failed'],
];

test.each(steps)(
  'a line of $kind tells what was done, and nothing that was said',
  (step, words) => {
    const line = logLine({ seq: 1, at: Date.UTC(2030, 0, 1), step });

    expect(line).toBe(`2030-01-01T00:00:00.000Z ${words}`);
    expect(line).not.toContain(secret);
  },
);

test('a tool that a model has made up cannot write lines of its own', () => {
  const made = { ...call, tool: `no.such\n2030-01-01T00:00:00.000Z ended: completed ${secret}` };
  const step: Step = {
    ...{ kind: 'answered', turn: 1, finish: 'tool-calls', usage, cost: null, parts: [made] },
  };

  const refused: Step = {
    ...{ kind: 'results', turn: 1, results: [{ ...result, tool: made.tool, call_id: '' }] },
  };

  const lines = [step, refused].map((one) => logLine({ seq: 1, at: 0, step: one }));

  expect(lines).toEqual([
    '1970-01-01T00:00:00.000Z turn 1: the model has answered, and makes 1 call(s)',
    '1970-01-01T00:00:00.000Z turn 1: a call was refused',
  ]);
});
