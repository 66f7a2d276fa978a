/** An answer as it streams in, put together. Nothing is an answer before its end has come. */

import type {
  AnswerPart,
  Delta,
  FinishReason,
  ModelAnswer,
  ModelRequest,
  ModelUsage,
} from '../kernel/agent/model.ts';
import { estimateMessage, estimatePrompt } from '../kernel/journal/compact.ts';
import { isObject, parseArgs } from './failure.ts';
import { ourToolName, type VendorPart } from './vendors.ts';

type FinishPart = Extract<VendorPart, { type: 'finish' }>;
type Open = { readonly kind: 'text' | 'reasoning'; text: string; meta: unknown };

/** Longer than any model answers; a server that never stops is not read for ever. */
const mostCharacters = 16 * 1024 * 1024;

/** The stream ended, or said that it broke, before the answer was whole. */
export class BrokenStream extends Error {}

export class AnswerReader {
  readonly #onDelta: (delta: Delta) => void;
  readonly #parts: (Open | Extract<AnswerPart, { kind: 'tool-call' }>)[] = [];
  readonly #open = new Map<string, Open>();
  #finish: FinishPart | undefined;
  #characters = 0;
  #hasContent = false;

  constructor(onDelta: (delta: Delta) => void) {
    this.#onDelta = onDelta;
  }

  /** From then on the answer has begun, and may have cost something. */
  get hasContent(): boolean {
    return this.#hasContent;
  }

  take(part: VendorPart): void {
    switch (part.type) {
      case 'text-start':
        this.#start('text', part.id, part.providerMetadata);
        break;
      case 'reasoning-start':
        this.#start('reasoning', part.id, part.providerMetadata);
        break;
      case 'text-delta':
        this.#add('text', part.id, part.delta, undefined);
        break;
      case 'reasoning-delta':
        this.#add('reasoning', part.id, part.delta, part.providerMetadata);
        break;
      case 'reasoning-end':
        this.#add('reasoning', part.id, '', part.providerMetadata);
        break;
      case 'tool-input-start':
        this.#hasContent = true;
        this.#onDelta({ kind: 'tool-call', tool: ourToolName(part.toolName) });
        break;
      case 'tool-input-delta':
        this.#count(part.delta);
        break;
      case 'tool-call':
        this.#call(part);
        break;
      case 'finish':
        this.#finish = part;
        break;
      case 'error':
        throw part.error;
      // Warnings, sources, files: we ask for none of them.
    }
  }

  /** Throws when the end has not come. */
  answer(request: ModelRequest): ModelAnswer {
    const finish = this.#finish;
    if (finish === undefined) throw new BrokenStream('the stream ended before the answer did');
    const unified = finish.finishReason.unified;
    if (unified === 'error' || unified === 'interrupted') {
      throw new BrokenStream('the stream ended before the answer did');
    }
    const parts = this.#parts.flatMap(finishedPart);
    const hasCalls = parts.some(({ kind }) => kind === 'tool-call');
    return {
      parts,
      finish: finishOf(unified, hasCalls),
      usage: usageOf(finish, request, parts),
    };
  }

  #start(kind: Open['kind'], id: string, meta: unknown): void {
    const open: Open = { kind, text: '', meta };
    this.#open.set(`${kind} ${id}`, open);
    this.#parts.push(open);
  }

  #add(kind: Open['kind'], id: string, delta: string, meta: unknown): void {
    if (!this.#open.has(`${kind} ${id}`)) this.#start(kind, id, undefined);
    const open = this.#open.get(`${kind} ${id}`);
    if (open === undefined) return;
    open.text += delta;
    open.meta = mergedMeta(open.meta, meta);
    if (delta === '') return;
    this.#hasContent = true;
    this.#count(delta);
    this.#onDelta({ kind, text: delta });
  }

  #call(part: Extract<VendorPart, { type: 'tool-call' }>): void {
    this.#hasContent = true;
    this.#parts.push({
      kind: 'tool-call',
      id: part.toolCallId,
      tool: ourToolName(part.toolName),
      args: parseArgs(part.input),
      ...(part.providerMetadata === undefined ? {} : { meta: part.providerMetadata }),
    });
  }

  #count(text: string): void {
    this.#characters += text.length;
    if (this.#characters > mostCharacters) {
      throw new BrokenStream('the answer is longer than any answer should be');
    }
  }
}

// Reasoning without words is kept for what the vendor put beside it.
function finishedPart(part: Open | Extract<AnswerPart, { kind: 'tool-call' }>): AnswerPart[] {
  if (part.kind === 'tool-call') return [part];
  const { kind, text, meta } = part;
  if (kind === 'text') return text === '' ? [] : [{ kind, text }];
  if (meta === undefined) return text === '' ? [] : [{ kind, text }];
  return [{ kind, text, meta }];
}

// Anthropic sends a signature after the words that it is for, OpenAI an encrypted copy.
function mergedMeta(before: unknown, added: unknown): unknown {
  if (!isObject(added)) return before;
  if (!isObject(before)) return added;
  const merged: Record<string, unknown> = { ...before };
  for (const [vendor, facts] of Object.entries(added)) {
    const known = merged[vendor];
    merged[vendor] = isObject(known) && isObject(facts) ? { ...known, ...facts } : facts;
  }
  return merged;
}

// Some servers say "stop" after a call of a tool too.
function finishOf(unified: FinishPart['finishReason']['unified'], hasCalls: boolean): FinishReason {
  if (unified === 'length') return 'length';
  if (unified === 'content-filter') return 'refused';
  if (hasCalls) return 'tool-calls';
  return unified === 'stop' ? 'stop' : 'other';
}

// A server that says nothing, or nonsense, must not make a call free.
function usageOf(
  { usage }: FinishPart,
  request: ModelRequest,
  parts: readonly AnswerPart[],
): ModelUsage {
  return {
    inputTokens: counted(usage.inputTokens.total, () =>
      estimatePrompt(request.messages, request.tools),
    ),
    outputTokens: counted(usage.outputTokens.total, () =>
      parts.length === 0 ? 0 : estimateMessage({ role: 'assistant', parts }),
    ),
  };
}

function counted(reported: number | undefined, estimate: () => number): number {
  return reported !== undefined && Number.isSafeInteger(reported) && reported > 0
    ? reported
    : estimate();
}
