import { describe, expect, test } from 'vitest';
import { estimatePrompt, pack } from './compact.ts';
import type { JournalStep, Step } from './step.ts';

describe('pack()', () => {
  test('leaves a short run as it is', () => {
    const packed = pack(run(3), { contextTokens: 100_000, maxOutputTokens: 1000, tools: [] });

    expect(packed.summary).toBeUndefined();
    expect(packed.messages.filter(({ role }) => role === 'assistant')).toHaveLength(3);
  });

  test('sums up what lies further back, keeps the goal, and fits', () => {
    const window = { contextTokens: 6000, maxOutputTokens: 1000, tools: [] };

    const packed = pack(run(60), window);

    expect(packed.summary?.text).toContain('[turns so far: ');
    expect(packed.messages[1]).toEqual({ role: 'user', text: 'Count everything.' });
    expect(estimatePrompt(packed.messages, [])).toBeLessThanOrEqual(5000);
    expect(packed.promptTokens).toBe(estimatePrompt(packed.messages, []));
  });

  test('leaves no result without its call', () => {
    const { messages } = pack(run(60), { contextTokens: 6000, maxOutputTokens: 1000, tools: [] });
    const called = messages.flatMap((one) =>
      one.role === 'assistant'
        ? one.parts.flatMap((part) => (part.kind === 'tool-call' ? [part.id] : []))
        : [],
    );
    const returned = messages.flatMap((one) =>
      one.role === 'tool' ? one.results.map(({ id }) => id) : [],
    );

    expect(returned).toEqual(called);
  });

  test('makes the same summary whenever it is asked, and goes on from it', () => {
    const window = { contextTokens: 6000, maxOutputTokens: 1000, tools: [] };
    const steps = run(60);
    const { summary } = pack(steps, window);
    if (summary === undefined) throw new Error('there is no summary');

    const again = pack([...steps, { seq: steps.length + 1, at: 0, step: summary }], window);

    expect(pack(steps, window).summary).toEqual(summary);
    expect(again.summary).toBeUndefined();
    expect(again.messages).toEqual(pack(steps, window).messages);
  });

  test('cuts a result that would crowd out everything else', () => {
    const huge = run(1, 'x'.repeat(100_000));

    const { messages } = pack(huge, { contextTokens: 6000, maxOutputTokens: 1000, tools: [] });

    const told = messages.find(({ role }) => role === 'tool');
    expect(JSON.stringify(told)).toContain('more characters were cut');
  });
});

function run(turns: number, text = 'a line of what it found, and some more words '.repeat(5)) {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const steps: Step[] = [
    {
      ...{ kind: 'begun', goal: 'Count everything.', because: '', instructions: 'You count.' },
      ...{ model: 'm', is_scripted: true },
    },
  ];
  for (let turn = 1; turn <= turns; turn++) {
    const id = `call-${turn}`;
    const tool = 'file.read';
    steps.push(
      { kind: 'asked', turn, model: 'm', hold: { tokens: 1, cost: 1 } },
      {
        ...{ kind: 'answered', turn, finish: 'tool-calls', usage, cost: 0 },
        parts: [{ kind: 'tool-call', id, tool, args: { path: `/${turn}` } }],
      },
      { kind: 'results', turn, results: [{ id, tool, text, is_error: false, call_id: id }] },
    );
  }
  return steps.map((step, place): JournalStep => ({ seq: place + 1, at: 0, step }));
}
