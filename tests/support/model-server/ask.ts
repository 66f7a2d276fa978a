/** A catalog that is pointed at a scripted server, and the loop of an agent in a few lines. */
import { realRandom } from '../../../src/engines/clock.ts';
import type {
  Delta,
  LanguageModel,
  ModelAnswer,
  ModelCatalog,
  ModelMessage,
  ModelRequest,
} from '../../../src/kernel/agent/model.ts';
import { type ModelOptions, openModels } from '../../../src/models/catalog.ts';
import { HastyClock } from './hasty-clock.ts';
import type { ModelServer } from './model-server.ts';

/** Every way in which a model can be asked over a wire. */
export const wiredModels = [
  'anthropic:claude-x',
  'openai:gpt-x',
  'openai-chat:gpt-x',
  'ollama:llama:1b',
];

export function modelsAt(server: ModelServer, options: Partial<ModelOptions> = {}): ModelCatalog {
  const url = `${server.url}/v1`;
  return openModels({
    clock: new HastyClock(),
    random: realRandom,
    endpoints: { ollama: url },
    anthropicUrl: url,
    openaiUrl: url,
    keyOf: async () => 'k',
    readScript: async () => '',
    ...options,
  });
}

export const readTool = {
  name: 'file.read',
  summary: 'Reads a file',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
};

export function asked(...messages: readonly (ModelMessage | string)[]): ModelRequest {
  return {
    messages: messages.map((message) =>
      typeof message === 'string' ? { role: 'user', text: message } : message,
    ),
    tools: [readTool],
    maxOutputTokens: 1000,
  };
}

export interface Heard {
  readonly answer: ModelAnswer;
  readonly deltas: readonly Delta[];
}

export async function ask(
  model: LanguageModel,
  request: ModelRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<Heard> {
  const deltas: Delta[] = [];
  const answer = await model.answer(request, { signal, onDelta: (delta) => deltas.push(delta) });
  return { answer, deltas };
}

/** What the model said, and what each of its calls is told. */
export function told({ parts }: ModelAnswer, text: string): readonly ModelMessage[] {
  const results = parts.flatMap((part) =>
    part.kind === 'tool-call' ? [{ id: part.id, tool: part.tool, text, isError: false }] : [],
  );
  return [
    { role: 'assistant', parts },
    { role: 'tool', results },
  ];
}

export function textOf({ parts }: ModelAnswer): string {
  return parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
}
