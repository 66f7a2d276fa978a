/** Every provider, over a real connection to a server that speaks its wire. */
import { describe, expect, test } from 'vitest';
import {
  ask,
  asked,
  type Heard,
  modelsAt,
  textOf,
  told,
  wiredModels,
} from '../../tests/support/model-server/ask.ts';
import { HastyClock } from '../../tests/support/model-server/hasty-clock.ts';
import { type Fault, modelServer } from '../../tests/support/model-server/model-server.ts';
import { until } from '../../tests/support/until.ts';
import { AosError } from '../kernel/errors.ts';
import type { ScriptText } from './scripted/script.ts';

const path = 'größe "📏"\n.txt';
const script: ScriptText = {
  scripted_model: 1,
  turns: [
    { reason: 'Hmm, 🤔', say: 'Let me look.', call: [{ tool: 'file.read', args: { path } }] },
    { say: 'It says: {{last}} ✓', usage: { input_tokens: 70, output_tokens: 7 } },
  ],
};
const spoken: ScriptText = { scripted_model: 1, turns: [{ say: 'Good morning, 🌍!' }] };

const failing = (fault: Fault, times: number) => [{ fault, times }];
const busy: Fault = { kind: 'status', status: 429, headers: { 'retry-after': '7' } };

/** What was said and the arguments of what was called, or the code of the error. */
async function outcomeOf(work: Promise<Heard>): Promise<string> {
  try {
    const { answer } = await work;
    const calls = answer.parts.flatMap((part) => (part.kind === 'tool-call' ? [part.args] : []));
    return [textOf(answer), ...calls.map((args) => JSON.stringify(args))].join(' ');
  } catch (error) {
    return error instanceof AosError ? error.code : String(error);
  }
}

describe.each(wiredModels)('%s', (id) => {
  test.each([false, true])('makes a round with a tool, each byte by itself: %s', async (split) => {
    await using server = await modelServer({ script, key: 'k', splitsEveryByte: split });
    const model = await modelsAt(server).open(id);

    const first = await ask(model, asked({ role: 'system', text: 'Be brief.' }, 'read it'));
    const second = await ask(model, asked('read it', ...told(first.answer, '42 cm')));

    expect(first.answer.finish).toBe('tool-calls');
    expect(first.answer.parts.at(-1)).toMatchObject({ tool: 'file.read', args: { path } });
    expect(textOf(first.answer)).toBe('Let me look.');
    expect(first.deltas.filter(({ kind }) => kind === 'text').length).toBeGreaterThan(1);
    expect(first.deltas).toContainEqual({ kind: 'tool-call', tool: 'file.read' });
    expect(second.answer).toEqual({
      parts: [{ kind: 'text', text: 'It says: 42 cm ✓' }],
      finish: 'stop',
      usage: { inputTokens: 70, outputTokens: 7 },
    });
  });

  test.each([429, 500, 503, 529, 408])('asks again after %s', async (status) => {
    const fault: Fault = { kind: 'status', status };
    await using server = await modelServer({ script: spoken, faults: failing(fault, 2) });
    const clock = new HastyClock();
    const model = await modelsAt(server, { clock }).open(id);

    const { answer } = await ask(model, asked('hello'));

    expect(textOf(answer)).toBe('Good morning, 🌍!');
    expect(server.seen).toHaveLength(3);
    expect(clock.waits).toHaveLength(2);
  });

  test('asks again after a connection that was reset', async () => {
    await using server = await modelServer({
      script: spoken,
      faults: failing({ kind: 'reset' }, 2),
    });
    const model = await modelsAt(server).open(id);

    const { answer } = await ask(model, asked('hello'));

    expect(textOf(answer)).toBe('Good morning, 🌍!');
  });

  test('waits as long as a busy vendor asks for', async () => {
    await using server = await modelServer({ script: spoken, faults: failing(busy, 1) });
    const clock = new HastyClock();
    const model = await modelsAt(server, { clock }).open(id);

    await ask(model, asked('hello'));

    expect(clock.waits).toEqual([7000]);
  });

  test('gives up after six tries, with the reason', async () => {
    await using server = await modelServer({ script: spoken, faults: [{ fault: busy }] });
    const model = await modelsAt(server).open(id);

    const attempt = ask(model, asked('hello'));

    await expect(attempt).rejects.toMatchObject({ code: 'model.overloaded' });
    expect(server.seen).toHaveLength(6);
  });

  test('says that nobody answers at an address', async () => {
    const server = await modelServer({ script: spoken });
    await server[Symbol.asyncDispose]();
    const model = await modelsAt(server).open(id);

    const attempt = ask(model, asked('hello'));

    await expect(attempt).rejects.toMatchObject({ code: 'model.unreachable' });
  });

  test.each(['reset', 'end'] as const)(
    'is cut off anywhere by %s, and never wrong',
    async (how) => {
      const whole = `Let me look. ${JSON.stringify({ path })}`;
      for (let afterBytes = 0; afterBytes < 7000; afterBytes += 149) {
        const fault: Fault = { kind: 'cut', afterBytes, how };
        await using server = await modelServer({ script, faults: failing(fault, 1) });
        const model = await modelsAt(server).open(id);

        const outcome = await outcomeOf(ask(model, asked('hello')));

        expect([whole, 'model.cut-off'], `after ${afterBytes} bytes`).toContain(outcome);
        if (afterBytes === 0) expect(outcome).toBe(whole);
        if (outcome !== whole) expect(server.seen).toHaveLength(1);
      }
    },
  );

  test('closes the connection when it is called off in the middle', async () => {
    const fault: Fault = { kind: 'stall' };
    await using server = await modelServer({ script, faults: failing(fault, 1) });
    const model = await modelsAt(server).open(id);
    const calledOff = new AbortController();
    const { promise: firstWord, resolve } = Promise.withResolvers<void>();

    const answer = model.answer(asked('hello'), {
      signal: calledOff.signal,
      onDelta: () => resolve(),
    });
    await firstWord;
    calledOff.abort(new Error('called off'));

    await expect(answer).rejects.toThrow('called off');
    await until(async () => expect(await server.connections()).toBe(0));
  });

  test('says that a key is refused, and does not repeat it', async () => {
    await using server = await modelServer({ script: spoken, key: 'right' });
    const model = await modelsAt(server, { keyOf: async () => 'wrong-one' }).open(id);

    const error = await ask(model, asked('hello')).catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ code: 'model.bad-key' });
    expect(String(error)).not.toContain('wrong-one');
    expect(server.seen).toHaveLength(1);
  });

  test('uses a new key from the next call on', async () => {
    await using server = await modelServer({ script: spoken, key: 'old' });
    let key = 'old';
    const model = await modelsAt(server, { keyOf: async () => key }).open(id);
    await ask(model, asked('hello'));
    server.changeKey('new');
    key = 'new\n';

    const { answer } = await ask(model, asked('hello'));

    expect(textOf(answer)).toBe('Good morning, 🌍!');
  });

  test('says that the vendor does not know the model', async () => {
    await using server = await modelServer({ script: spoken, models: ['another'] });
    const model = await modelsAt(server).open(id);

    const attempt = ask(model, asked('hello'));

    await expect(attempt).rejects.toMatchObject({ code: 'model.unknown' });
  });

  test('passes on why a request is refused', async () => {
    const fault: Fault = { kind: 'status', status: 400 };
    await using server = await modelServer({ script: spoken, faults: [{ fault }] });
    const model = await modelsAt(server).open(id);

    const error = await ask(model, asked('hello')).catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ code: 'model.refused' });
    expect(String(error)).toContain('not now');
    expect(server.seen).toHaveLength(1);
  });

  test('carries arguments of a megabyte', async () => {
    const text = '🧱 wall '.repeat(100_000);
    const large: ScriptText = {
      scripted_model: 1,
      turns: [{ call: [{ tool: 'file.write', args: { text } }], usage: { output_tokens: 5 } }],
    };
    await using server = await modelServer({ script: large });
    const model = await modelsAt(server).open(id);

    const { answer } = await ask(model, asked('build it'));

    expect(answer.parts).toMatchObject([{ tool: 'file.write', args: { text } }]);
  });

  test('hands on arguments that are no JSON so that a tool refuses them', async () => {
    const broken: ScriptText = {
      scripted_model: 1,
      turns: [{ call: [{ tool: 'file.read', args: { $raw: '{"path": "a.t' } }] }, { say: 'Oh.' }],
    };
    await using server = await modelServer({ script: broken });
    const model = await modelsAt(server).open(id);

    const first = await ask(model, asked('read it'));
    const second = await ask(model, asked('read it', ...told(first.answer, 'no JSON')));

    expect(first.answer.parts).toMatchObject([
      { tool: 'file.read', args: { $malformed: '{"path": "a.t' } },
    ]);
    expect(textOf(second.answer)).toBe('Oh.');
  });

  test('says when an answer was too long', async () => {
    const long: ScriptText = { scripted_model: 1, turns: [{ say: 'blah '.repeat(2000) }] };
    await using server = await modelServer({ script: long });
    const model = await modelsAt(server).open(id);

    const { answer } = await ask(model, { ...asked('talk'), maxOutputTokens: 50 });

    expect(answer.finish).toBe('length');
    expect(answer.usage.outputTokens).toBe(50);
  });

  test('carries on a conversation with ids that another model repeated', async () => {
    await using server = await modelServer({ script });
    const model = await modelsAt(server).open(id);
    const call = { kind: 'tool-call', id: 'ünique', tool: 'file.read', args: {} } as const;
    const round = told({ parts: [call, call], finish: 'tool-calls', usage: noUsage }, 'one');

    const { answer } = await ask(model, asked('read it', ...round, ...round));

    expect(textOf(answer)).toBe('The script is over.');
  });
});

const noUsage = { inputTokens: 0, outputTokens: 0 };

test('what Anthropic signed goes back to it', async () => {
  await using server = await modelServer({ script });
  const model = await modelsAt(server).open('anthropic:claude-x');

  const first = await ask(model, asked('read it'));
  await ask(model, asked('read it', ...told(first.answer, '42 cm')));

  expect(JSON.stringify(server.seen[1]?.body)).toContain('"signature":"signed:7"');
});

test('what OpenAI sealed goes back to it, and nothing is to be stored there', async () => {
  await using server = await modelServer({ script });
  const model = await modelsAt(server).open('openai:gpt-5-x');

  const first = await ask(model, asked('read it'));
  await ask(model, asked('read it', ...told(first.answer, '42 cm')));

  expect(server.seen[1]?.body).toMatchObject({ store: false });
  expect(JSON.stringify(server.seen[1]?.body)).toContain('"encrypted_content":"sealed:7"');
});

test('an endpoint without a key is sent none, and without usage it is estimated', async () => {
  await using server = await modelServer({ script: spoken, hidesUsage: true });
  const model = await modelsAt(server, { keyOf: async () => undefined }).open('ollama:llama');

  const { answer } = await ask(model, asked('hello'));

  expect(server.seen[0]?.headers.authorization).toBeUndefined();
  expect(answer.usage.inputTokens).toBeGreaterThan(0);
  expect(answer.usage.outputTokens).toBeGreaterThan(0);
});

test('a redirect is not followed, because the key would go along', async () => {
  const fault: Fault = { kind: 'status', status: 307, headers: { location: '/elsewhere' } };
  await using server = await modelServer({ script: spoken, faults: [{ fault }] });
  const model = await modelsAt(server).open('anthropic:claude-x');

  const attempt = ask(model, asked('hello'));

  await expect(attempt).rejects.toMatchObject({ code: 'model.refused' });
  expect(server.seen).toHaveLength(1);
});

test('while a vendor is busy, nobody with that key asks it', async () => {
  await using server = await modelServer({ script: spoken, faults: failing(busy, 1) });
  const clock = new HastyClock();
  const models = modelsAt(server, { clock, concurrency: 1 });
  const both = await Promise.all([models.open('openai:gpt-x'), models.open('openai-chat:gpt-x')]);

  await Promise.all(both.map((model) => ask(model, asked('hello'))));

  expect(clock.waits).toEqual([7000]);
});
