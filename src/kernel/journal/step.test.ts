import { describe, expect, test } from 'vitest';
import { foldSteps, type JournalStep, type Step } from './step.ts';

describe('what comes next', () => {
  test.each([
    ['nothing has happened', [], { kind: 'begin' }],
    ['it has begun', [begun], { kind: 'ask', turn: 1 }],
    ['the model was asked', [begun, asked(1)], { kind: 'asked', turn: 1, hold }],
    ['the answer was lost', [begun, asked(1), lost(1)], { kind: 'ask', turn: 1 }],
    [
      'it was answered',
      [begun, asked(1), said(1, 'done')],
      { kind: 'finish', turn: 1, text: 'done' },
    ],
    ['a tool was called', [begun, asked(1), called(1)], { kind: 'call', turn: 1, calls: [call] }],
    ['the tool has answered', [begun, asked(1), called(1), results(1)], { kind: 'ask', turn: 2 }],
    [
      'mail came after the last word',
      [begun, asked(1), said(1, 'x'), mail],
      { kind: 'ask', turn: 2 },
    ],
    ['mail came before the question', [begun, mail], { kind: 'ask', turn: 1 }],
    [
      'it was paused in between',
      [begun, asked(1), called(1), checkpoint],
      { kind: 'call', turn: 1, calls: [call] },
    ],
    ['it is over', [begun, asked(1), said(1, 'x'), ended], { kind: 'over', state: 'completed' }],
  ] as const)('%s', (_, steps, next) => {
    expect(foldSteps(numbered(steps)).next).toEqual(next);
  });

  test('an answer whose calls no budget covers ends there', () => {
    const error = { code: 'budget.spent', message: 'Nothing is left' } as const;
    const answered: Step = { ...called(1), spent: error };

    expect(foldSteps(numbered([begun, asked(1), answered])).next).toEqual({
      ...{ kind: 'spent', turn: 1, error },
    });
  });
});

test('losses count within a turn, and an answer ends the count', () => {
  const twice = [begun, asked(1), lost(1), asked(1), lost(1)];

  expect(foldSteps(numbered(twice)).losses).toBe(2);
  expect(foldSteps(numbered([...twice, asked(1), said(1, 'x')])).losses).toBe(0);
});

test('usage is the sum of what was answered and called', () => {
  const steps = [begun, asked(1), called(1), results(1), asked(2), said(2, 'x')];

  expect(foldSteps(numbered(steps)).usage).toEqual({ tokens: 6, cost: 14, toolCalls: 1 });
});

const hold = { tokens: 10, cost: 1 };
const begun: Step = {
  ...{ kind: 'begun', goal: 'x', because: 'y', instructions: 'z', model: 'm', is_scripted: true },
};
const mail: Step = {
  kind: 'mail',
  messages: [{ id: '1', from: 'sam', kind: 'message', text: 'hi' }],
};
const checkpoint: Step = { kind: 'checkpoint', why: 'paused' };
const ended: Step = { kind: 'ended', state: 'completed', text: 'x' };
const call = { kind: 'tool-call', id: 'a', tool: 'file.read', args: {} } as const;
const usage = { input_tokens: 1, output_tokens: 2 };

function asked(turn: number): Step {
  return { kind: 'asked', turn, model: 'm', hold };
}

function lost(turn: number): Step {
  return { kind: 'lost', turn, cause: 'model', why: 'it was cut off' };
}

function said(turn: number, text: string): Step {
  const parts = [{ kind: 'text', text } as const];
  return { kind: 'answered', turn, parts, finish: 'stop', usage, cost: 7 };
}

function called(turn: number): Extract<Step, { kind: 'answered' }> {
  return { kind: 'answered', turn, parts: [call], finish: 'tool-calls', usage, cost: 7 };
}

function results(turn: number): Step {
  const result = { id: 'a', tool: 'file.read', text: 'ok', is_error: false, call_id: 'c' };
  return { kind: 'results', turn, results: [result] };
}

function numbered(steps: readonly Step[]): JournalStep[] {
  return steps.map((step, place) => ({ seq: place + 1, at: 0, step }));
}
