/** OpenAI's responses. */
import * as z from 'zod';
import type { AnswerPart, ModelAnswer, ModelMessage } from '../../../src/kernel/agent/model.ts';
import { openaiFailure } from './chat-wire.ts';
import {
  argsOnWire,
  chunks,
  jsonSchema,
  nameOnWire,
  type ServedRequest,
  textContent,
  type Wire,
} from './wire.ts';

const item = z.union([
  z.looseObject({
    type: z.literal('function_call'),
    call_id: z.string().max(64),
    name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
    arguments: z.string(),
  }),
  z.looseObject({
    type: z.literal('function_call_output'),
    call_id: z.string(),
    output: textContent,
  }),
  z.looseObject({ type: z.literal('reasoning') }),
  z.looseObject({
    type: z.literal('message').optional(),
    role: z.enum(['system', 'developer', 'user', 'assistant']),
    content: textContent,
  }),
]);

const body = z.looseObject({
  model: z.string(),
  stream: z.boolean().nullish(),
  max_output_tokens: z.int().min(1).nullish(),
  instructions: z.string().nullish(),
  input: z.union([
    z.string().transform((content) => [{ role: 'user', content, type: 'message' } as const]),
    z.array(item),
  ]),
  tools: z
    .array(
      z.looseObject({
        type: z.string(),
        name: z.string().optional(),
        description: z.string().nullish(),
        parameters: jsonSchema.nullish(),
      }),
    )
    .default([]),
});

type Item = z.infer<typeof item>;

const withoutLimit = 1_000_000;

export const responsesWire: Wire = {
  path: '/v1/responses',
  read(given) {
    const { model, stream, max_output_tokens, instructions, input, tools } = body.parse(given);
    const system = instructions ?? '';
    const functions = tools.flatMap(({ name, description, parameters }) =>
      name === undefined
        ? []
        : [{ name, summary: description ?? '', inputSchema: parameters ?? {} }],
    );
    return {
      model,
      isStream: stream ?? false,
      wantsUsage: true,
      offered: functions.map(({ name }) => name),
      request: {
        messages: [
          ...(system === '' ? [] : [{ role: 'system', text: system } as const]),
          ...joined(input.flatMap(readItem)),
        ],
        tools: functions,
        maxOutputTokens: max_output_tokens ?? withoutLimit,
      },
    };
  },
  whole(served, answer) {
    const output = answer.parts.map((part, index) => outputItem(served, part, index));
    return { ...envelope(served), ...ending(answer), output, usage: usage(answer) };
  },
  events(served, answer) {
    const begun = { ...envelope(served), status: 'in_progress', output: [], usage: null };
    const done = responsesWire.whole(served, answer);
    const kind = answer.finish === 'length' ? 'response.incomplete' : 'response.completed';
    const all = [
      { type: 'response.created', response: begun },
      { type: 'response.in_progress', response: begun },
      ...answer.parts.flatMap((part, index) => itemEvents(served, part, index)),
      { type: kind, response: done },
    ];
    return all.map((data, sequence_number) => event({ ...data, sequence_number }));
  },
  failure: openaiFailure,
};

function readItem(given: Item): readonly ModelMessage[] {
  switch (given.type) {
    case 'function_call': {
      const { call_id, name, arguments: args } = given;
      const call = { kind: 'tool-call', id: call_id, tool: name, args } as const;
      return [{ role: 'assistant', parts: [call] }];
    }
    case 'function_call_output': {
      const result = { id: given.call_id, tool: '', text: given.output, isError: false };
      return [{ role: 'tool', results: [result] }];
    }
    case 'reasoning':
      return [];
    default:
      return readSaid(given);
  }
}

function readSaid({ role, content }: { role: string; content: string }): readonly ModelMessage[] {
  if (role === 'user') return [{ role, text: content }];
  if (role === 'assistant') return [{ role, parts: [{ kind: 'text', text: content }] }];
  return [{ role: 'system', text: content }];
}

// One answer is several items here: what the model said in a row was said in one turn.
function joined(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const found: ModelMessage[] = [];
  for (const message of messages) {
    const last = found.at(-1);
    if (message.role === 'assistant' && last?.role === 'assistant') {
      found[found.length - 1] = { role: 'assistant', parts: [...last.parts, ...message.parts] };
    } else found.push(message);
  }
  return found;
}

function envelope({ model }: ServedRequest) {
  return {
    id: 'resp_scripted',
    object: 'response',
    created_at: 1_900_000_000,
    model,
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
  };
}

function ending({ finish }: ModelAnswer): object {
  if (finish !== 'length') return { status: 'completed' };
  return { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
}

function outputItem(served: ServedRequest, part: AnswerPart, index: number) {
  const id = `item_${index}`;
  switch (part.kind) {
    case 'text': {
      const content = [{ type: 'output_text', text: part.text, annotations: [] }];
      return { id, type: 'message', role: 'assistant', status: 'completed', content };
    }
    case 'reasoning': {
      const summary = [{ type: 'summary_text', text: part.text }];
      return { id, type: 'reasoning', summary, encrypted_content: sealed(part.text) };
    }
    case 'tool-call': {
      const name = nameOnWire(served, part.tool);
      const call = { call_id: part.id, name, arguments: argsOnWire(part) };
      return { id, type: 'function_call', status: 'completed', ...call };
    }
  }
}

/** What the client has to hand back for its reasoning. */
export function sealed(reasoning: string): string {
  return `sealed:${reasoning.length}`;
}

type Event = { readonly type: string; readonly [key: string]: unknown };

function itemEvents(served: ServedRequest, part: AnswerPart, index: number): readonly Event[] {
  const item = outputItem(served, part, index);
  const begun = { ...item, ...emptied(part) };
  return [
    { type: 'response.output_item.added', output_index: index, item: begun },
    ...innerEvents(part).map((event) => ({ ...event, item_id: item.id, output_index: index })),
    { type: 'response.output_item.done', output_index: index, item },
  ];
}

function emptied(part: AnswerPart): object {
  if (part.kind === 'text') return { status: 'in_progress', content: [] };
  if (part.kind === 'reasoning') return { summary: [], encrypted_content: null };
  return { status: 'in_progress', arguments: '' };
}

function innerEvents(part: AnswerPart): readonly Event[] {
  switch (part.kind) {
    case 'text':
      return textEvents(part.text);
    case 'reasoning':
      return reasoningEvents(part.text);
    case 'tool-call': {
      const text = argsOnWire(part);
      return [
        ...chunks(text).map((delta) => ({ type: 'response.function_call_arguments.delta', delta })),
        { type: 'response.function_call_arguments.done', arguments: text },
      ];
    }
  }
}

function textEvents(text: string): readonly Event[] {
  const content_index = 0;
  const part = { type: 'output_text', annotations: [], logprobs: [] };
  const logprobs: readonly unknown[] = [];
  return [
    { type: 'response.content_part.added', content_index, part: { ...part, text: '' } },
    ...chunks(text).map((delta) => ({
      type: 'response.output_text.delta',
      content_index,
      delta,
      logprobs,
    })),
    { type: 'response.output_text.done', content_index, text, logprobs },
    { type: 'response.content_part.done', content_index, part: { ...part, text } },
  ];
}

function reasoningEvents(text: string): readonly Event[] {
  const summary_index = 0;
  const part = { type: 'summary_text', text };
  return [
    { type: 'response.reasoning_summary_part.added', summary_index, part: { ...part, text: '' } },
    ...chunks(text).map((delta) => ({
      type: 'response.reasoning_summary_text.delta',
      summary_index,
      delta,
    })),
    { type: 'response.reasoning_summary_text.done', summary_index, text },
    { type: 'response.reasoning_summary_part.done', summary_index, part },
  ];
}

function usage({ usage: { inputTokens, outputTokens } }: ModelAnswer) {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + outputTokens,
  };
}

function event(data: Event): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}
