/**
 * What we say to a model, as the provider packages want it. Vendors refuse some of what is
 * fine for us, so it is made fit here:
 *
 * V1. What the system says stands first and in one piece.
 * V2. What users say one after another is one message, and an empty text is none.
 * V3. No id of a call is used twice, and each has only the letters that all vendors take: the
 *     journal may hold calls of another vendor's model, or of one that repeats its ids.
 */
import type { AnswerPart, ModelMessage, ModelRequest, OfferedTool } from '../kernel/agent/model.ts';
import { isObject } from './failure.ts';
import {
  type VendorMessage,
  type VendorPrompt,
  type VendorRequest,
  type VendorTool,
  vendorToolName,
  type Wire,
} from './vendors.ts';

export function toVendor(request: ModelRequest, wire: Wire): VendorRequest {
  const tools = request.tools.map(vendorTool);
  return {
    prompt: promptOf(request.messages),
    maxOutputTokens: request.maxOutputTokens,
    ...(tools.length === 0 ? {} : { tools }),
    // The journal is the conversation: nothing of it is to be kept at the vendor's.
    ...(wire === 'openai-responses' ? { providerOptions: { openai: { store: false } } } : {}),
  };
}

function vendorTool({ name, summary, inputSchema }: OfferedTool): VendorTool {
  return { type: 'function', name: vendorToolName(name), description: summary, inputSchema };
}

function promptOf(messages: readonly ModelMessage[]): VendorPrompt {
  const ids = new CallIds();
  const prompt: VendorPrompt = [];
  const system = messages.flatMap((message) => (message.role === 'system' ? [message.text] : []));
  if (system.length > 0) prompt.push({ role: 'system', content: system.join('\n\n') });
  for (const message of mergeUsers(messages)) {
    const converted = vendorMessage(message, ids);
    if (converted !== undefined) prompt.push(converted);
  }
  return prompt;
}

// V2
function mergeUsers(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const merged: ModelMessage[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (message.role === 'system') continue;
    if (message.role === 'user' && message.text.trim() === '') continue;
    if (message.role === 'user' && last?.role === 'user') {
      merged[merged.length - 1] = { role: 'user', text: `${last.text}\n\n${message.text}` };
    } else merged.push(message);
  }
  return merged;
}

function vendorMessage(message: ModelMessage, ids: CallIds): VendorMessage | undefined {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.text };
    case 'user':
      return { role: 'user', content: [{ type: 'text', text: message.text }] };
    case 'assistant': {
      ids.nextAnswer();
      const content = message.parts.flatMap((part) => vendorPart(part, ids));
      return content.length === 0 ? undefined : { role: 'assistant', content };
    }
    case 'tool':
      return {
        role: 'tool',
        content: message.results.map(({ id, tool, text, isError }) => ({
          type: 'tool-result',
          toolCallId: ids.answered(id),
          toolName: vendorToolName(tool),
          output: { type: isError ? 'error-text' : 'text', value: text },
        })),
      };
  }
}

type AssistantPart = Extract<VendorMessage, { role: 'assistant' }>['content'][number];

function vendorPart(part: AnswerPart, ids: CallIds): AssistantPart[] {
  switch (part.kind) {
    case 'text':
      return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }];
    case 'reasoning':
      return [{ type: 'reasoning', text: part.text, ...handedBack(part.meta) }];
    case 'tool-call':
      return [
        {
          type: 'tool-call',
          toolCallId: ids.called(part.id),
          toolName: vendorToolName(part.tool),
          input: part.args,
          ...handedBack(part.meta),
        },
      ];
  }
}

type Handed = Pick<VendorMessage, 'providerOptions'>;

// A border: what the vendor gave as metadata is what it takes as options, unread by us. Each
// vendor's stands under its name, so that another's does not see it.
function handedBack(meta: unknown): Handed {
  return isObject(meta) ? { providerOptions: meta as NonNullable<Handed['providerOptions']> } : {};
}

const takenEverywhere = /^[A-Za-z0-9_-]{1,40}$/;

// V3
class CallIds {
  readonly #used = new Set<string>();
  /** Of the last answer: what was said for each id of ours, in order. */
  #open = new Map<string, string[]>();

  nextAnswer(): void {
    this.#open = new Map();
  }

  called(id: string): string {
    let said = id;
    for (let n = this.#used.size; !takenEverywhere.test(said) || this.#used.has(said); n++) {
      said = `call_${n}`;
    }
    this.#used.add(said);
    this.#open.set(id, [...(this.#open.get(id) ?? []), said]);
    return said;
  }

  // Of two calls with one id, the first result is the first one's.
  answered(id: string): string {
    const open = this.#open.get(id);
    return (open !== undefined && open.length > 1 ? open.shift() : open?.[0]) ?? id;
  }
}
