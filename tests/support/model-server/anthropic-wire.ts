/** Anthropic's Messages. */
import * as z from 'zod';
import type {
  AnswerPart,
  ModelAnswer,
  ModelMessage,
  ToolResult,
} from '../../../src/kernel/agent/model.ts';
import {
  argsOnWire,
  chunks,
  jsonSchema,
  nameOnWire,
  type ServedRequest,
  textContent,
  type Wire,
} from './wire.ts';

const block = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string().min(1) }),
  z.looseObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() }),
  z.looseObject({
    type: z.literal('tool_use'),
    id: z.string().regex(/^[a-zA-Z0-9_-]+$/),
    name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/),
    input: jsonSchema,
  }),
  z.looseObject({
    type: z.literal('tool_result'),
    tool_use_id: z.string(),
    content: textContent.optional(),
    is_error: z.boolean().optional(),
  }),
]);

const body = z.looseObject({
  model: z.string(),
  max_tokens: z.int().min(1),
  stream: z.boolean().default(false),
  system: textContent.optional(),
  messages: z.array(
    z.looseObject({
      role: z.enum(['user', 'assistant', 'system']),
      content: z.union([
        z.string().transform((text) => [{ type: 'text', text } as const]),
        z.array(block),
      ]),
    }),
  ),
  tools: z
    .array(
      z.looseObject({
        name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/),
        description: z.string().default(''),
        input_schema: jsonSchema.default({}),
      }),
    )
    .default([]),
});

type Block = z.infer<typeof block>;
type Message = z.infer<typeof body>['messages'][number];

export const anthropicWire: Wire = {
  path: '/v1/messages',
  read(given) {
    const { model, max_tokens, stream, system, messages, tools } = body.parse(given);
    refuseBrokenPairs(messages);
    return {
      model,
      isStream: stream,
      wantsUsage: true,
      offered: tools.map(({ name }) => name),
      request: {
        messages: [
          ...(system === undefined ? [] : [{ role: 'system', text: system } as const]),
          ...messages.flatMap(readMessage),
        ],
        tools: tools.map(({ name, description, input_schema }) => ({
          name,
          summary: description,
          inputSchema: input_schema,
        })),
        maxOutputTokens: max_tokens,
      },
    };
  },
  whole(served, answer) {
    return {
      ...envelope(served),
      content: answer.parts.map((part) => writtenBlock(served, part)),
      stop_reason: stopReason(answer),
      usage: usage(answer),
    };
  },
  events(served, answer) {
    const message = {
      ...envelope(served),
      content: [],
      usage: { ...usage(answer), output_tokens: 1 },
    };
    return [
      event({ type: 'message_start', message }),
      event({ type: 'ping' }),
      ...answer.parts.flatMap((part, index) => blockEvents(served, part, index)),
      event({
        type: 'message_delta',
        delta: { stop_reason: stopReason(answer), stop_sequence: null },
        usage: { output_tokens: answer.usage.outputTokens },
      }),
      event({ type: 'message_stop' }),
    ];
  },
  failure: (status, message) => ({ type: 'error', error: { type: errorType(status), message } }),
};

// As the vendor does: every call is answered by the very next message, and no id comes twice.
function refuseBrokenPairs(messages: readonly Message[]): void {
  const seen = new Set<string>();
  for (const [index, { content }] of messages.entries()) {
    const answered = new Set(
      messages[index + 1]?.content.flatMap((part) =>
        part.type === 'tool_result' ? [part.tool_use_id] : [],
      ),
    );
    for (const part of content) {
      if (part.type !== 'tool_use') continue;
      if (seen.has(part.id)) throw new Error('`tool_use` ids must be unique');
      if (!answered.has(part.id)) throw new Error(`${part.id} has no tool_result behind it`);
      seen.add(part.id);
    }
  }
}

function readMessage({ role, content }: Message): readonly ModelMessage[] {
  if (role === 'assistant') return [{ role, parts: content.flatMap(readPart) }];
  const results = content.flatMap(readResult);
  const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  return [
    ...(results.length === 0 ? [] : [{ role: 'tool', results } as const]),
    ...(text === '' ? [] : [{ role, text }]),
  ];
}

function readPart(part: Block): readonly AnswerPart[] {
  if (part.type === 'text') return [{ kind: 'text', text: part.text }];
  if (part.type === 'thinking') return [{ kind: 'reasoning', text: part.thinking }];
  if (part.type !== 'tool_use') return [];
  return [{ kind: 'tool-call', id: part.id, tool: part.name, args: part.input }];
}

function readResult(part: Block): readonly ToolResult[] {
  if (part.type !== 'tool_result') return [];
  const { tool_use_id, content = '', is_error = false } = part;
  return [{ id: tool_use_id, tool: '', text: content, isError: is_error }];
}

function envelope({ model }: ServedRequest) {
  return {
    id: 'msg_scripted',
    type: 'message',
    role: 'assistant',
    model,
    stop_reason: null,
    stop_sequence: null,
  };
}

function writtenBlock(served: ServedRequest, part: AnswerPart): object {
  switch (part.kind) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'reasoning':
      return { type: 'thinking', thinking: part.text, signature: signatureOf(part.text) };
    case 'tool-call':
      return {
        type: 'tool_use',
        id: part.id,
        name: nameOnWire(served, part.tool),
        input: part.args,
      };
  }
}

/** What the client has to hand back with its thinking. */
export function signatureOf(thinking: string): string {
  return `signed:${thinking.length}`;
}

function blockEvents(served: ServedRequest, part: AnswerPart, index: number): readonly string[] {
  const begun = startedBlock(served, part);
  return [
    event({ type: 'content_block_start', index, content_block: begun }),
    ...deltasOf(part).map((delta) => event({ type: 'content_block_delta', index, delta })),
    event({ type: 'content_block_stop', index }),
  ];
}

function startedBlock(served: ServedRequest, part: AnswerPart): object {
  switch (part.kind) {
    case 'text':
      return { type: 'text', text: '' };
    case 'reasoning':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'tool-call':
      return { type: 'tool_use', id: part.id, name: nameOnWire(served, part.tool), input: {} };
  }
}

function deltasOf(part: AnswerPart): readonly object[] {
  switch (part.kind) {
    case 'text':
      return chunks(part.text).map((text) => ({ type: 'text_delta', text }));
    case 'reasoning':
      return [
        ...chunks(part.text).map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature: signatureOf(part.text) },
      ];
    case 'tool-call':
      return chunks(argsOnWire(part)).map((partial_json) => ({
        type: 'input_json_delta',
        partial_json,
      }));
  }
}

function stopReason({ finish }: ModelAnswer): string {
  if (finish === 'tool-calls') return 'tool_use';
  return finish === 'length' ? 'max_tokens' : 'end_turn';
}

function usage({ usage: { inputTokens, outputTokens } }: ModelAnswer) {
  return { input_tokens: inputTokens, output_tokens: outputTokens };
}

function errorType(status: number): string {
  const types: Readonly<Record<number, string>> = {
    401: 'authentication_error',
    404: 'not_found_error',
    429: 'rate_limit_error',
    529: 'overloaded_error',
  };
  return types[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
}

function event(data: { readonly type: string; readonly [key: string]: unknown }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}
