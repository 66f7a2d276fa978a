import { expect, test } from 'vitest';
import { costOf, pricesFrom } from './budgets.ts';

const prices = pricesFrom('anthropic:claude-x=3/15 ollama:*=0/0');

test('a price is that of the model, else that of its provider, else nobody knows it', () => {
  expect(prices.of('anthropic:claude-x')).toEqual({ input: 3, output: 15 });
  expect(prices.of('ollama:llama3.2:1b')).toEqual({ input: 0, output: 0 });
  expect(prices.of('openai:gpt-5')).toBeUndefined();
});

test('a script is free', () => {
  expect(prices.of('scripted:/tmp/a.json')).toEqual({ input: 0, output: 0 });
});

test('a cost is in millionths of a dollar, and never rounded down', () => {
  const price = { input: 0.25, output: 2 };

  expect(costOf(price, { inputTokens: 1001, outputTokens: 10 })).toBe(271);
  expect(costOf(undefined, { inputTokens: 1, outputTokens: 1 })).toBeUndefined();
});
