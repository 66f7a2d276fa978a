import { expect, test } from 'vitest';
import { SimulatedClock } from '../../tests/sim/clock.ts';
import { seededRandom } from '../../tests/sim/random.ts';
import { ask, asked, textOf } from '../../tests/support/model-server/ask.ts';
import { AosError } from '../kernel/errors.ts';
import { type ModelOptions, openModels } from './catalog.ts';

const hello = JSON.stringify({ scripted_model: 1, turns: [{ say: 'hello' }] });

function catalog(options: Partial<ModelOptions> = {}) {
  return openModels({
    clock: new SimulatedClock(),
    random: seededRandom(1),
    endpoints: { ollama: 'http://127.0.0.1:1/v1' },
    scripts: { demo: hello },
    keyOf: async () => undefined,
    readScript: async () => hello,
    ...options,
  });
}

const refusal = (id: string, options: Partial<ModelOptions> = {}) =>
  catalog(options)
    .open(id)
    .then(
      () => 'opened',
      (error: unknown) => error,
    );

test('an unknown provider is answered with the one that was meant and the list', async () => {
  const error = await refusal('antropic:claude');

  expect(error).toMatchObject({ code: 'model.unknown' });
  expect(String(error)).toContain('Did you mean "anthropic"?');
  expect(error).toMatchObject({ fix: expect.stringContaining('ollama:') });
});

test.each([
  ['claude-x', 'anthropic:claude-x'],
  ['gpt-x', 'openai:gpt-x'],
])('who writes %s alone is told to write %s', async (id, better) => {
  const error = await refusal(id);

  expect(error).toMatchObject({ code: 'model.unknown', fix: expect.stringContaining(better) });
});

test.each(['anthropic:', 'ollama', 'scripted:', 'scripted:nothing', '', ':', '__proto__:x'])(
  '%j is no model',
  async (id) => {
    expect(await refusal(id)).toMatchObject({ code: 'model.unknown' });
  },
);

test.each(['anthropic', 'openai'])('without a key for %s it says how to set one', async (name) => {
  const error = await refusal(`${name}:x`);

  expect(error).toMatchObject({ code: 'model.no-key' });
  expect(error instanceof AosError && error.fix).toContain(`aos secret set model.${name}`);
  expect(error instanceof AosError && error.fix).toContain('--model scripted:FILE');
});

test('a key that cannot be one is not repeated in what is said of it', async () => {
  const error = await refusal('openai:x', { keyOf: async () => 'sk-abc\nxyz' });

  expect(error).toMatchObject({ code: 'model.bad-key' });
  expect(JSON.stringify(error) + String(error)).not.toMatch(/abc|xyz/);
});

test('an endpoint cannot take the name of a vendor', () => {
  const endpoints = { anthropic: 'http://127.0.0.1:1/v1' };

  expect(() => catalog({ endpoints })).toThrow('cannot be called "anthropic"');
});

test.each(['scripted:demo', 'scripted:/a/file.json'])('%s answers as written', async (id) => {
  const model = await catalog().open(id);

  const { answer } = await ask(model, asked('hi'));

  expect(model).toMatchObject({ id, isScripted: true });
  expect(textOf(answer)).toBe('hello');
});

test('a script that cannot be read or followed is refused when it is opened', async () => {
  const readScript = async () => {
    throw new AosError('disk.missing', { message: 'There is no "/a"' });
  };

  expect(await refusal('scripted:/a', { readScript })).toMatchObject({
    code: 'model.bad-script',
    message: expect.stringContaining('There is no "/a"'),
  });
  expect(await refusal('scripted:/a', { readScript: async () => '{}' })).toMatchObject({
    code: 'model.bad-script',
  });
});

test('how much goes into a model is known, or said', async () => {
  const keyOf = async () => 'k';
  const sizeOf = async (id: string, contextTokens: Record<string, number> = {}) =>
    (await catalog({ keyOf, contextTokens }).open(id)).contextTokens;

  expect(await sizeOf('anthropic:claude-x')).toBe(200_000);
  expect(await sizeOf('openai-chat:gpt-4o-mini')).toBe(128_000);
  expect(await sizeOf('ollama:llama')).toBe(32_768);
  expect(await sizeOf('ollama:llama', { ollama: 5000 })).toBe(5000);
  expect(await sizeOf('ollama:llama', { ollama: 5000, 'ollama:llama': 7000 })).toBe(7000);
});
