import { expect, test } from 'vitest';
import type { ModelMessage } from '../kernel/agent/model.ts';
import { parseArgs } from './failure.ts';
import { toVendor } from './to-vendor.ts';
import { ourToolName, vendorToolName } from './vendors.ts';

const promptOf = (...messages: readonly ModelMessage[]) =>
  toVendor({ messages, tools: [], maxOutputTokens: 10 }, 'anthropic').prompt;

test('what the system says stands first, and users in a row are one', () => {
  const prompt = promptOf(
    { role: 'user', text: 'a' },
    { role: 'system', text: 'one' },
    { role: 'user', text: 'b' },
    { role: 'user', text: ' ' },
    { role: 'system', text: 'two' },
  );

  expect(prompt).toEqual([
    { role: 'system', content: 'one\n\ntwo' },
    { role: 'user', content: [{ type: 'text', text: 'a\n\nb' }] },
  ]);
});

test('an answer without a word is left out', () => {
  const prompt = promptOf(
    { role: 'assistant', parts: [{ kind: 'text', text: '\n' }] },
    { role: 'assistant', parts: [] },
  );

  expect(prompt).toEqual([]);
});

test('results follow their calls, when ids repeat and when they are of letters no vendor takes', () => {
  const call = (id: string) => ({ kind: 'tool-call', id, tool: 'file.read', args: {} }) as const;
  const result = (id: string, text: string) => ({ id, tool: 'file.read', text, isError: false });

  const prompt = promptOf(
    { role: 'assistant', parts: [call('x'), call('x'), call('')] },
    { role: 'tool', results: [result('x', '1'), result('x', '2'), result('', '3')] },
    { role: 'assistant', parts: [call('x')] },
    { role: 'tool', results: [result('x', '4')] },
  );

  const ids = prompt.flatMap(({ content }) =>
    typeof content === 'string'
      ? []
      : content.flatMap((part) => ('toolCallId' in part ? [part.toolCallId] : [])),
  );
  expect(ids).toEqual(['x', 'call_1', 'call_2', 'x', 'call_1', 'call_2', 'call_3', 'call_3']);
});

test('names of tools go out with hyphens and come back with dots', () => {
  expect(vendorToolName('file.read')).toBe('file-read');
  expect(ourToolName('file-read')).toBe('file.read');
  expect(vendorToolName('föö bar!')).toBe('f___bar_');
  expect(vendorToolName('')).toBe('unnamed');
  expect(vendorToolName('x'.repeat(500))).toHaveLength(64);
});

test.each(['{"a":', '[1]', '"text"', '7', 'null'])('%s are no arguments', (text) => {
  expect(parseArgs(text)).toEqual({ $malformed: text });
});

test('no text at all means no arguments', () => {
  expect(parseArgs(' ')).toEqual({});
  expect(parseArgs('{"a":1}')).toEqual({ a: 1 });
});
