/** A scripted turn as the answer of a model: with ids, with usage, and no longer than asked for. */

import type { AnswerPart, ModelAnswer, ModelRequest } from '../../kernel/agent/model.ts';
import { estimatePrompt, estimateTokens } from '../../kernel/journal/estimate.ts';
import { turnsSoFar } from './follow.ts';
import type { ScriptedTurn } from './script.ts';

export function scriptedAnswer(turn: ScriptedTurn, request: ModelRequest): ModelAnswer {
  const whole = partsOf(turn, turnsSoFar(request.messages));
  const wanted = turn.usage?.output_tokens ?? whole.reduce((sum, part) => sum + tokensOf(part), 0);
  const inputTokens = promptTokens(turn, request);
  const isCut = wanted > request.maxOutputTokens;
  const parts = isCut ? cutParts(whole, request.maxOutputTokens / wanted) : whole;
  const isCalling = parts.some(({ kind }) => kind === 'tool-call');
  return {
    parts,
    finish: isCut ? 'length' : isCalling ? 'tool-calls' : 'stop',
    usage: { inputTokens, outputTokens: Math.min(wanted, request.maxOutputTokens) },
  };
}

/** The tools are not sent to anybody, so they weigh nothing. */
export function promptTokens({ usage }: ScriptedTurn, { messages }: ModelRequest): number {
  return usage?.input_tokens ?? estimatePrompt(messages, []);
}

// The ids follow from the conversation too, and none comes twice in it.
function partsOf({ say, reason, call = [] }: ScriptedTurn, turn: number): readonly AnswerPart[] {
  return [
    ...(reason === undefined ? [] : [{ kind: 'reasoning', text: reason } as const]),
    ...(say === undefined ? [] : [{ kind: 'text', text: say } as const]),
    ...call.map(
      ({ tool, args }, index) =>
        ({ kind: 'tool-call', id: `scripted_${turn}_${index}`, tool, args }) as const,
    ),
  ];
}

/**
 * As much of the front as that share of its tokens allows. A call that is not whole is left
 * out, and everything behind the cut: the rest was never said.
 */
function cutParts(parts: readonly AnswerPart[], share: number): readonly AnswerPart[] {
  let left = share * parts.reduce((sum, part) => sum + tokensOf(part), 0);
  const kept: AnswerPart[] = [];
  for (const part of parts) {
    const tokens = tokensOf(part);
    if (tokens <= left) kept.push(part);
    else {
      if (part.kind !== 'tool-call')
        kept.push({ ...part, text: cutText(part.text, left / tokens) });
      break;
    }
    left -= tokens;
  }
  return kept;
}

function cutText(text: string, share: number): string {
  const cut = text.slice(0, Math.floor(text.length * share));
  // Not in the middle of a character that takes two.
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}

function tokensOf(part: AnswerPart): number {
  if (part.kind !== 'tool-call') return estimateTokens(part.text);
  return estimateTokens(part.tool + JSON.stringify(part.args));
}
