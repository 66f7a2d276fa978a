/**
 * A model that follows a script: for tests, for the demo, and for working offline. It is no
 * intelligence, and says so wherever it shows (`isScripted`).
 */
import type {
  AnswerPart,
  Asking,
  LanguageModel,
  ModelAnswer,
  ModelMessage,
  ModelRequest,
} from '../../kernel/agent/model.ts';
import { estimatePrompt, estimateTokens } from '../../kernel/journal/compact.ts';
import type { Clock } from '../../kernel/ports.ts';
import { badScript, type Script, type ScriptedTurn } from './script.ts';
import { type Facts, fillText, fillValue, TemplateFault } from './template.ts';

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

const theEnd: ScriptedTurn = { say: 'The script is over.' };

/**
 * What a script says to a conversation. It follows from the two alone: no state is kept
 * between calls, so that a run which is taken up again gets the same answers.
 */
export function followScript(script: Script, messages: readonly ModelMessage[]): ScriptedTurn {
  const facts = factsOf(messages);
  const rule = script.rules.findIndex(({ when }) => applies(when, facts));
  const found = script.rules[rule];
  if (found !== undefined) return filled(script, found, facts, `rules[${rule}]`);
  const place = placeOfTurn(script, turnsSoFar(messages));
  return filled(script, script.turns[place] ?? theEnd, facts, `turns[${place}]`);
}

const marker = /\[turns so far: (\d{1,9})\]/g;

/** How often the model has spoken: what a summary replaced is counted by what it says. */
export function turnsSoFar(messages: readonly ModelMessage[]): number {
  let turns = 0;
  for (const message of messages) {
    if (message.role === 'assistant') turns++;
    if (message.role !== 'user' && message.role !== 'system') continue;
    if (!message.text.includes('[turns so far: ')) continue;
    for (const [, count] of message.text.matchAll(marker)) turns += Number(count);
  }
  return turns;
}

function placeOfTurn({ turns }: Script, spoken: number): number {
  let left = spoken;
  const place = turns.findIndex(({ repeat = 1 }) => {
    left -= repeat;
    return left < 0;
  });
  return place === -1 ? turns.length : place;
}

function factsOf(messages: readonly ModelMessage[]): Facts {
  const results = messages.flatMap((message) =>
    message.role === 'tool' ? message.results.map(({ text }) => text) : [],
  );
  const goal = messages.find(({ role }) => role === 'user');
  const last = messages.findLast(({ role }) => role === 'user' || role === 'tool');
  return {
    goal: goal?.role === 'user' ? goal.text : '',
    last: last?.role === 'user' ? last.text : (results.at(-1) ?? ''),
    results,
  };
}

function applies({ last_contains, goal_matches }: Script['rules'][number]['when'], facts: Facts) {
  return (
    (last_contains === undefined || facts.last.includes(last_contains)) &&
    (goal_matches === undefined || globMatches(goal_matches, facts.goal))
  );
}

function filled(script: Script, turn: ScriptedTurn, facts: Facts, place: string): ScriptedTurn {
  const { say, reason, call, ...rest } = turn;
  try {
    return {
      ...rest,
      ...(say === undefined ? {} : { say: fillText(say, facts) }),
      ...(reason === undefined ? {} : { reason: fillText(reason, facts) }),
      ...(call === undefined ? {} : { call: call.map((one) => filledCall(one, facts)) }),
    };
  } catch (error) {
    if (!(error instanceof TemplateFault)) throw error;
    throw badScript(script.name ?? 'without a name', `${place}: ${error.message}`);
  }
}

type Call = NonNullable<ScriptedTurn['call']>[number];

function filledCall({ tool, args }: Call, facts: Facts): Call {
  // JSON goes in, and templates put JSON in its place: it is JSON that comes out.
  return { tool, args: fillValue(args, facts) as Call['args'] };
}

/** `*` stands for any text, `?` for one character; the rest for itself. In linear memory, without regular expressions. */
export function globMatches(glob: string, text: string): boolean {
  let g = 0;
  let t = 0;
  let star = -1;
  let resumeAt = 0;
  while (t < text.length) {
    if (g < glob.length && glob[g] === '*') {
      star = g++;
      resumeAt = t;
    } else if (g < glob.length && (glob[g] === '?' || glob[g] === text[t])) {
      g++;
      t++;
    } else if (star !== -1) {
      // The last star takes one character more.
      g = star + 1;
      t = ++resumeAt;
    } else return false;
  }
  while (glob[g] === '*') g++;
  return g === glob.length;
}

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

/** The tools are not sent to a vendor, so they weigh nothing. */
function promptTokens({ usage }: ScriptedTurn, { messages }: ModelRequest): number {
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
