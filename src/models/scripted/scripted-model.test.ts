import { expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import { ask, asked, textOf, told } from '../../../tests/support/model-server/ask.ts';
import type { ModelMessage } from '../../kernel/agent/model.ts';
import { checkScript, parseScript, type ScriptText } from './script.ts';
import { type ScriptFunction, scriptedModel } from './scripted-model.ts';

const id = 'scripted:test';
const spoken: ModelMessage = { role: 'assistant', parts: [{ kind: 'text', text: '…' }] };

function model(script: ScriptText | ScriptFunction) {
  const clock = new SimulatedClock();
  const made = typeof script === 'function' ? script : checkScript(script, 'test');
  return { clock, model: scriptedModel(made, { id, clock }) };
}

const sayings = (...turns: NonNullable<ScriptText['turns']>) =>
  model({ scripted_model: 1, turns }).model;

const said = async (asking: Promise<{ answer: Parameters<typeof textOf>[0] }>) =>
  textOf((await asking).answer);

test('which turn it is follows from the conversation, and asking again changes nothing', async () => {
  const scripted = sayings({ say: 'first' }, { say: 'again', repeat: 2 }, { say: 'last' });
  const after = (turns: number) =>
    said(ask(scripted, asked('go', ...Array.from({ length: turns }, () => spoken))));

  expect(await after(3)).toBe('last');
  expect(await after(0)).toBe('first');
  expect(await after(0)).toBe('first');
  expect(await after(1)).toBe('again');
  expect(await after(2)).toBe('again');
  expect(await after(4)).toBe('The script is over.');
});

test('turns that a summary replaced are counted by what it says', async () => {
  const scripted = sayings({ say: '0' }, { say: '1' }, { say: '2' }, { say: '3' });

  const answer = ask(scripted, asked('go', 'What happened: [turns so far: 2] much', spoken));

  expect(await said(answer)).toBe('3');
});

test('a call has an id that follows from its place, and its templates filled in', async () => {
  const scripted = sayings(
    { call: [{ tool: 'file.read', args: { path: '{{goal}}' } }, { tool: 'tool.list' }] },
    { say: '{{result 1}} and {{last}}' },
  );

  const first = await ask(scripted, asked('a.txt'));
  const second = ask(scripted, asked('a.txt', ...told(first.answer, 'data')));

  expect(first.answer).toMatchObject({
    finish: 'tool-calls',
    parts: [
      { id: 'scripted_0_0', tool: 'file.read', args: { path: 'a.txt' } },
      { id: 'scripted_0_1', tool: 'tool.list', args: {} },
    ],
  });
  expect(await said(second)).toBe('data and data');
});

test('the first rule that applies comes before the turns', async () => {
  const { model: scripted } = model({
    scripted_model: 1,
    turns: [{ say: 'turn' }],
    rules: [
      { when: { goal_matches: 'count *', last_contains: 'error' }, say: 'both' },
      { when: { last_contains: 'error' }, say: 'oh' },
    ],
  });

  expect(await said(ask(scripted, asked('count it')))).toBe('turn');
  expect(await said(ask(scripted, asked('count it', spoken, 'an error')))).toBe('both');
  expect(await said(ask(scripted, asked('do it', spoken, 'an error')))).toBe('oh');
});

test('words come in pieces of which none is half a character', async () => {
  const scripted = sayings({ reason: 'hmm', say: 'a📏b📏', stream: 2 });

  const { deltas } = await ask(scripted, asked('go'));

  expect(deltas).toEqual([
    { kind: 'reasoning', text: 'hm' },
    { kind: 'reasoning', text: 'm' },
    { kind: 'text', text: 'a📏' },
    { kind: 'text', text: 'b📏' },
  ]);
});

test('an answer ends where it may cost no more, and its calls are left out', async () => {
  const scripted = sayings({ say: 'x'.repeat(3000), call: [{ tool: 'tool.list' }] });

  const { answer } = await ask(scripted, { ...asked('go'), maxOutputTokens: 100 });

  expect(answer.finish).toBe('length');
  expect(answer.usage.outputTokens).toBe(100);
  expect(answer.parts.map(({ kind }) => kind)).toEqual(['text']);
  expect(textOf(answer).length).toBeLessThan(400);
});

test('a script that claims to cost more than it may is cut as if it had', async () => {
  const scripted = sayings({
    say: 'working…',
    call: [{ tool: 'tool.list' }],
    usage: { input_tokens: 5, output_tokens: 10_000 },
  });

  const { answer } = await ask(scripted, { ...asked('go'), maxOutputTokens: 100 });

  expect(answer).toMatchObject({
    finish: 'length',
    usage: { inputTokens: 5, outputTokens: 100 },
  });
});

test('without a word on usage it is estimated', async () => {
  const { answer } = await ask(sayings({ say: 'hello there' }), asked('go'));

  expect(answer.usage.inputTokens).toBeGreaterThan(0);
  expect(answer.usage.outputTokens).toBe(4);
});

test('a delay passes on the clock, and can be called off', async () => {
  const { clock, model: slow } = model({
    scripted_model: 1,
    turns: [{ say: 'done', delay_ms: 5000 }],
  });
  const calledOff = new AbortController();

  const waited = said(ask(slow, asked('go')));
  const stopped = ask(slow, asked('go'), calledOff.signal);
  calledOff.abort(new Error('called off'));
  await expect(stopped).rejects.toThrow('called off');
  await clock.advance(5000);

  expect(await waited).toBe('done');
});

test('a function can stand for a script', async () => {
  const { model: scripted } = model(({ messages }) => ({ say: `${messages.length} messages` }));

  expect(await said(ask(scripted, asked('a', 'b')))).toBe('2 messages');
});

test('a template that cannot be filled in names its turn', async () => {
  const attempt = ask(sayings({ say: '{{result 1}}' }), asked('go'));

  await expect(attempt).rejects.toMatchObject({
    code: 'model.bad-script',
    message: expect.stringContaining('turns[0]: there is no result 1'),
  });
});

test.each([
  ['{', 'no JSON'],
  ['[]', 'expected object'],
  ['{"scripted_model":2}', 'scripted_model'],
  ['{"scripted_model":1,"turn":[]}', 'turn'],
  ['{"scripted_model":1,"turns":[{}]}', 'turns[0]: it needs "say" or "call"'],
  ['{"scripted_model":1,"turns":[{"say":"a"},{"say":"{{what}}"}]}', 'turns[1].say'],
  [
    '{"scripted_model":1,"turns":[{"call":[{"tool":"a","args":{"x":["{{what}}"]}}]}]}',
    'turns[0].call[0].args.x[0]',
  ],
  ['{"scripted_model":1,"rules":[{"when":{},"say":"a"}]}', 'rules[0].when: it names no condition'],
  ['{"scripted_model":1,"turns":[{"say":"a","repeat":0}]}', 'turns[0].repeat'],
  [`"${'x'.repeat(1024 * 1024)}"`, 'over 1 MiB'],
])('the script %.60s is refused with the place: %s', (text, place) => {
  expect(() => parseScript(text, 'test')).toThrow(
    expect.objectContaining({
      code: 'model.bad-script',
      message: expect.stringContaining(place),
    }),
  );
});
