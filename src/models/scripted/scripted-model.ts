/**
 * A model that follows a script: for tests, for the demo, and for working offline. It is no
 * intelligence, and says so wherever it shows (`isScripted`).
 */
import type { Asking, LanguageModel, ModelAnswer, ModelRequest } from '../../kernel/agent/model.ts';
import type { Clock } from '../../kernel/ports.ts';
import { followScript } from './follow.ts';
import type { Script, ScriptedTurn } from './script.ts';
import { promptTokens, scriptedAnswer } from './scripted-answer.ts';

/** Instead of a script, in tests: what is said to that request. */
export type ScriptFunction = (request: ModelRequest) => ScriptedTurn | Promise<ScriptedTurn>;

export interface ScriptedModelOptions {
  readonly id: string;
  /** Only for turns with a delay. */
  readonly clock?: Clock | undefined;
  readonly contextTokens?: number | undefined;
}

const defaultContextTokens = 128_000;
const defaultStreamCharacters = 32;

export function scriptedModel(
  script: Script | ScriptFunction,
  { id, clock, contextTokens = defaultContextTokens }: ScriptedModelOptions,
): LanguageModel {
  return {
    id,
    contextTokens,
    isScripted: true,
    // A function may have effects, and is asked once.
    ...(typeof script === 'function' ? {} : { countPrompt: (request) => countOf(script, request) }),
    async answer(request, asking) {
      asking.signal.throwIfAborted();
      const turn =
        typeof script === 'function'
          ? await script(request)
          : followScript(script, request.messages);
      const delayMs = turn.delay_ms ?? 0;
      if (delayMs > 0) await clock?.sleep(delayMs, asking.signal);
      const answer = scriptedAnswer(turn, request);
      stream(answer, turn.stream ?? defaultStreamCharacters, asking);
      asking.signal.throwIfAborted();
      return answer;
    },
  };
}

function countOf(script: Script, request: ModelRequest): number {
  return promptTokens(followScript(script, request.messages), request);
}

function stream({ parts }: ModelAnswer, characters: number, { signal, onDelta }: Asking): void {
  for (const part of parts) {
    if (part.kind === 'tool-call') onDelta({ kind: 'tool-call', tool: part.tool });
    else {
      for (const text of pieces(part.text, characters)) {
        signal.throwIfAborted();
        onDelta({ kind: part.kind, text });
      }
    }
  }
}

/** A text in pieces of so many characters, none cut in two. */
export function pieces(text: string, characters: number): readonly string[] {
  const found: string[] = [];
  for (let from = 0; from < text.length; ) {
    let to = Math.min(text.length, from + characters);
    if (!text.slice(from, to).isWellFormed() && text.slice(from, to + 1).isWellFormed()) to++;
    found.push(text.slice(from, to));
    from = to;
  }
  return found;
}
