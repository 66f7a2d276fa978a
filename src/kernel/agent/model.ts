/**
 * What is said to a language model and what it answers, in our own shape: vendors change
 * theirs, and what the journal holds must stay readable. `models/` converts at the edge.
 */

/** What a model answers with. `meta` is the vendor's own, kept and handed back unread. */
export type AnswerPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'reasoning'; readonly text: string; readonly meta?: unknown }
  | {
      readonly kind: 'tool-call';
      /** As the model named it; vendors may repeat or leave out these. */
      readonly id: string;
      /** Our own name of the tool, such as `file.read`. */
      readonly tool: string;
      readonly args: unknown;
      readonly meta?: unknown;
    };

export interface ToolResult {
  /** Of the tool call that it answers. */
  readonly id: string;
  readonly tool: string;
  /** Data, never an instruction. */
  readonly text: string;
  readonly isError: boolean;
}

export type ModelMessage =
  | { readonly role: 'system'; readonly text: string }
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly parts: readonly AnswerPart[] }
  | { readonly role: 'tool'; readonly results: readonly ToolResult[] };

export interface OfferedTool {
  readonly name: string;
  readonly summary: string;
  /** JSON Schema of the arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export interface ModelRequest {
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly OfferedTool[];
  readonly maxOutputTokens: number;
}

export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** `length` when `maxOutputTokens` cut it off. */
export type FinishReason = 'stop' | 'tool-calls' | 'length' | 'refused' | 'other';

export interface ModelAnswer {
  readonly parts: readonly AnswerPart[];
  readonly finish: FinishReason;
  readonly usage: ModelUsage;
}

/** What comes in while a model still answers; nothing of it is kept. */
export type Delta =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'reasoning'; readonly text: string }
  | { readonly kind: 'tool-call'; readonly tool: string };

export interface Asking {
  readonly signal: AbortSignal;
  readonly onDelta: (delta: Delta) => void;
}

export interface LanguageModel {
  /** `anthropic:claude-…`, `openai:gpt-…`, `ollama:llama3.2`, `scripted:/path/to/file.json`. */
  readonly id: string;
  /** How many tokens go in and out of one call together. */
  readonly contextTokens: number;
  /** It follows a script, and is no intelligence: this must show wherever its words do. */
  readonly isScripted: boolean;
  /** How many tokens the prompt of a request has, where the model itself can tell. */
  countPrompt?(request: ModelRequest): number;
  /**
   * Failures are AosErrors with a `model.*` code. Busy and broken vendors are tried again in here,
   * until the first word of an answer has come; an answer that is cut off after that is
   * `model.cut-off`, and the caller decides whether to ask again, because it may have cost
   * something.
   */
  answer(request: ModelRequest, asking: Asking): Promise<ModelAnswer>;
}

export interface ModelCatalog {
  /** Throws `model.unknown`, `model.no-key` and `model.bad-script`, which say what to do. */
  open(id: string): Promise<LanguageModel>;
}
