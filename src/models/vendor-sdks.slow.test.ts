/** The scripted server, held against the vendors' own clients. */
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { modelServer } from '../../tests/support/model-server/model-server.ts';
import type { ScriptText } from './scripted/script.ts';

const script: ScriptText = {
  scripted_model: 1,
  turns: [
    { say: 'Let me look.', call: [{ tool: 'file.read', args: { path: 'größe 📏.txt' } }] },
    { say: 'It says: {{last}}', usage: { input_tokens: 70, output_tokens: 7 } },
  ],
};
const schema = { type: 'object' as const, properties: { path: { type: 'string' } } };

describe.each([true, false])('with streaming %s,', (stream) => {
  test("Anthropic's client makes a round with a tool", async () => {
    await using server = await modelServer({ script, key: 'k' });
    const client = new Anthropic({ baseURL: server.url, apiKey: 'k', maxRetries: 0 });
    const asked: Anthropic.MessageParam[] = [{ role: 'user', content: 'read it' }];
    const ask = (messages: Anthropic.MessageParam[]) => {
      const tools = [{ name: 'file-read', input_schema: schema }];
      const body = { model: 'claude', max_tokens: 500, messages, tools };
      return stream ? client.messages.stream(body).finalMessage() : client.messages.create(body);
    };

    const first = await ask(asked);
    const call = first.content.find((block) => block.type === 'tool_use');
    const result = { type: 'tool_result' as const, tool_use_id: call?.id ?? '', content: '42 cm' };
    const second = await ask([
      ...asked,
      { role: 'assistant', content: first.content },
      { role: 'user', content: [result] },
    ]);

    expect(first.stop_reason).toBe('tool_use');
    expect(call).toMatchObject({ name: 'file-read', input: { path: 'größe 📏.txt' } });
    expect(second).toMatchObject({
      stop_reason: 'end_turn',
      content: [{ type: 'text', text: 'It says: 42 cm' }],
      usage: { input_tokens: 70, output_tokens: 7 },
    });
  });

  test("OpenAI's client makes a round with a tool over chat completions", async () => {
    await using server = await modelServer({ script, key: 'k' });
    const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'k', maxRetries: 0 });
    const asked: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'read it' }];
    const ask = (messages: OpenAI.ChatCompletionMessageParam[]) => {
      const offered = { name: 'file-read', parameters: schema };
      const tools = [{ type: 'function' as const, function: offered }];
      const body = { model: 'gpt', messages, tools };
      if (!stream) return client.chat.completions.create(body);
      const options = { include_usage: true };
      return client.chat.completions
        .stream({ ...body, stream_options: options })
        .finalChatCompletion();
    };

    const first = (await ask(asked)).choices[0];
    const call = first?.message.tool_calls?.[0];
    const second = await ask([
      ...asked,
      ...(first === undefined ? [] : [first.message]),
      { role: 'tool', tool_call_id: call?.id ?? '', content: '42 cm' },
    ]);

    expect(first?.finish_reason).toBe('tool_calls');
    expect(call).toMatchObject({
      function: { name: 'file-read', arguments: '{"path":"größe 📏.txt"}' },
    });
    expect(second).toMatchObject({
      choices: [{ finish_reason: 'stop', message: { content: 'It says: 42 cm' } }],
      usage: { prompt_tokens: 70, completion_tokens: 7 },
    });
  });

  test("OpenAI's client makes a round with a tool over responses", async () => {
    await using server = await modelServer({ script, key: 'k' });
    const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'k', maxRetries: 0 });
    const ask = (input: OpenAI.Responses.ResponseInput) => {
      const tools = [
        { type: 'function' as const, name: 'file-read', parameters: schema, strict: false },
      ];
      const body = { model: 'gpt', input, tools };
      return stream ? client.responses.stream(body).finalResponse() : client.responses.create(body);
    };
    const asked = [{ role: 'user' as const, content: 'read it' }];

    const first = await ask(asked);
    const [call] = first.output.flatMap((item) => {
      if (item.type !== 'function_call') return [];
      return [{ ...item, type: item.type, call_id: item.call_id, name: item.name }];
    });
    const second = await ask([
      ...asked,
      { role: 'assistant', content: 'Let me look.' },
      ...(call === undefined ? [] : [call]),
      { type: 'function_call_output', call_id: call?.call_id ?? '', output: '42 cm' },
    ]);

    expect(call).toMatchObject({ name: 'file-read', arguments: '{"path":"größe 📏.txt"}' });
    expect(second).toMatchObject({
      status: 'completed',
      output_text: 'It says: 42 cm',
      usage: { input_tokens: 70, output_tokens: 7 },
    });
  });
});

test('the server lists its models, and answers a HEAD', async () => {
  await using server = await modelServer({ script, models: ['a', 'b'] });
  const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'k', maxRetries: 0 });

  const listed = await client.models.list();
  const head = await fetch(server.url, { method: 'HEAD' });

  expect(listed.data.map(({ id }) => id)).toEqual(['a', 'b']);
  expect(head.status).toBe(200);
});

test('the server refuses a wrong key and an unknown model as the vendors do', async () => {
  await using server = await modelServer({ script, key: 'right', models: ['a'] });
  const messages = [{ role: 'user' as const, content: 'hello' }];
  const ask = (apiKey: string, model: string) =>
    new Anthropic({ baseURL: server.url, apiKey, maxRetries: 0 }).messages.create({
      model,
      max_tokens: 10,
      messages,
    });

  await expect(ask('wrong', 'a')).rejects.toBeInstanceOf(Anthropic.AuthenticationError);
  await expect(ask('right', 'b')).rejects.toBeInstanceOf(Anthropic.NotFoundError);
});
