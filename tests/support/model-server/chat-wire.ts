/** OpenAI's chat completions, as everybody speaks them. */
import * as z from 'zod';
import type { AnswerPart, ModelAnswer, ModelMessage } from '../../../src/kernel/agent/model.ts';
import {
  argsOnWire,
  type Call,
  chunks,
  jsonSchema,
  nameOnWire,
  type ServedRequest,
  textContent,
  type Wire,
} from './wire.ts';

const toolCall = z.looseObject({
  id: z.string(),
  type: z.literal('function').optional(),
  function: z.looseObject({
    name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
    arguments: z.string(),
  }),
});

const message = z.discriminatedUnion('role', [
  z.looseObject({ role: z.enum(['system', 'developer']), content: textContent }),
  z.looseObject({ role: z.literal('user'), content: textContent }),
  z.looseObject({
    role: z.literal('assistant'),
    content: textContent.nullish(),
    tool_calls: z.array(toolCall).optional(),
  }),
  z.looseObject({ role: z.literal('tool'), tool_call_id: z.string(), content: textContent }),
]);

const body = z.looseObject({
  model: z.string(),
  stream: z.boolean().default(false),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  max_tokens: z.int().min(1).optional(),
  max_completion_tokens: z.int().min(1).optional(),
  messages: z.array(message),
  tools: z
    .array(
      z.looseObject({
        type: z.literal('function'),
        function: z.looseObject({
          name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
          description: z.string().default(''),
          parameters: jsonSchema.default({}),
        }),
      }),
    )
    .default([]),
});

const withoutLimit = 1_000_000;

export const chatWire: Wire = {
  path: '/v1/chat/completions',
  read(given) {
    const { model, stream, stream_options, messages, tools, ...limits } = body.parse(given);
    return {
      model,
      isStream: stream,
      wantsUsage: stream_options?.include_usage ?? false,
      offered: tools.map((tool) => tool.function.name),
      request: {
        messages: messages.map(readMessage),
        tools: tools.map(({ function: { name, description, parameters } }) => ({
          name,
          summary: description,
          inputSchema: parameters,
        })),
        maxOutputTokens: limits.max_completion_tokens ?? limits.max_tokens ?? withoutLimit,
      },
    };
  },
  whole(served, answer) {
    const calls = callsOf(answer).map((call) => written(served, call));
    const said = {
      role: 'assistant',
      content: textOf(answer, 'text'),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    };
    return {
      ...envelope(served, 'chat.completion'),
      choices: [{ index: 0, message: said, finish_reason: finishReason(answer), logprobs: null }],
      usage: usage(answer),
    };
  },
  events(served, answer) {
    const deltas = answer.parts.flatMap((part) => deltasOf(served, part, answer));
    return [
      chunk(served, { choices: [choice({ role: 'assistant', content: '' })] }),
      ...deltas.map((delta) => chunk(served, { choices: [choice(delta)] })),
      chunk(served, { choices: [choice({}, finishReason(answer))] }),
      ...(served.wantsUsage ? [chunk(served, { choices: [], usage: usage(answer) })] : []),
      'data: [DONE]\n\n',
    ];
  },
  failure: openaiFailure,
};

export function openaiFailure(status: number, text: string): object {
  const codes: Readonly<Record<number, string>> = {
    401: 'invalid_api_key',
    404: 'model_not_found',
  };
  return { error: { message: text, type: 'error', param: null, code: codes[status] ?? null } };
}

function readMessage(given: z.infer<typeof message>): ModelMessage {
  switch (given.role) {
    case 'system':
    case 'developer':
      return { role: 'system', text: given.content };
    case 'user':
      return { role: 'user', text: given.content };
    case 'assistant':
      return { role: 'assistant', parts: readParts(given.content ?? '', given.tool_calls ?? []) };
    case 'tool': {
      const result = { id: given.tool_call_id, tool: '', text: given.content, isError: false };
      return { role: 'tool', results: [result] };
    }
  }
}

function readParts(text: string, calls: readonly z.infer<typeof toolCall>[]): AnswerPart[] {
  return [
    ...(text === '' ? [] : [{ kind: 'text', text } as const]),
    ...calls.map(
      (call) =>
        ({
          kind: 'tool-call',
          id: call.id,
          tool: call.function.name,
          args: call.function.arguments,
        }) as const,
    ),
  ];
}

function envelope({ model }: ServedRequest, object: string) {
  return { id: 'chatcmpl-scripted', object, created: 1_900_000_000, model };
}

function chunk(served: ServedRequest, more: object): string {
  return `data: ${JSON.stringify({ ...envelope(served, 'chat.completion.chunk'), ...more })}\n\n`;
}

function choice(delta: object, finish: string | null = null) {
  return { index: 0, delta, finish_reason: finish, logprobs: null };
}

function deltasOf(served: ServedRequest, part: AnswerPart, answer: ModelAnswer): readonly object[] {
  if (part.kind === 'text') return chunks(part.text).map((content) => ({ content }));
  // Not in OpenAI's documents: how the servers of open models stream what they think.
  if (part.kind === 'reasoning') {
    return chunks(part.text).map((reasoning_content) => ({ reasoning_content }));
  }
  const index = callsOf(answer).indexOf(part);
  const begun = written(served, part);
  const first = { ...begun, index, function: { ...begun.function, arguments: '' } };
  return [
    { tool_calls: [first] },
    ...chunks(argsOnWire(part)).map((text) => ({
      tool_calls: [{ index, function: { arguments: text } }],
    })),
  ];
}

function written(served: ServedRequest, call: Call) {
  const name = nameOnWire(served, call.tool);
  return { id: call.id, type: 'function', function: { name, arguments: argsOnWire(call) } };
}

export function callsOf({ parts }: ModelAnswer): readonly Call[] {
  return parts.filter((part) => part.kind === 'tool-call');
}

function textOf({ parts }: ModelAnswer, kind: 'text'): string | null {
  const texts = parts.flatMap((part) => (part.kind === kind ? [part.text] : []));
  return texts.length === 0 ? null : texts.join('');
}

function finishReason({ finish }: ModelAnswer): string {
  if (finish === 'tool-calls') return 'tool_calls';
  return finish === 'length' ? 'length' : 'stop';
}

function usage({ usage: { inputTokens, outputTokens } }: ModelAnswer) {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  };
}
