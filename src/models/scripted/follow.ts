/**
 * What a script says to a conversation. It follows from the two alone: no state is kept
 * between calls, so that a run which is taken up again gets the same answers.
 */
import type { ModelMessage } from '../../kernel/agent/model.ts';
import { globMatches } from './glob.ts';
import { badScript, type Script, type ScriptedTurn } from './script.ts';
import { type Facts, fillText, fillValue, TemplateFault } from './template.ts';

const theEnd: ScriptedTurn = { say: 'The script is over.' };

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
    for (const [, told] of message.text.matchAll(marker)) turns += Number(told);
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
