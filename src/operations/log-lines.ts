/** What is told of the steps of an operation: what was done, and never what was said. */
import type { JournalStep, Step, ToldResult } from '../kernel/journal/step.ts';

/** One line for each step. */
export function logLine({ at, step }: JournalStep): string {
  return `${new Date(at).toISOString()} ${wordsOf(step)}`;
}

function wordsOf(step: Step): string {
  switch (step.kind) {
    case 'begun':
      return `begun: ${step.because}`;
    case 'remembered':
      return `told of ${step.items.length} memory(s)`;
    case 'mail':
      return `${step.messages.length} message(s) came in`;
    case 'asked':
      return `turn ${step.turn}: the model is asked`;
    case 'answered':
      return `turn ${step.turn}: the model has answered${callsIn(step)}`;
    case 'lost':
      return `turn ${step.turn}: the answer was lost, and is asked for again`;
    case 'results':
      return `turn ${step.turn}: ${step.results.map(resultWords).join(', ')}`;
    case 'note':
      return `a warning: ${step.code}`;
    case 'summary':
      return 'what was said before was made shorter';
    case 'checkpoint':
      return 'put aside, to go on from here';
    case 'ended':
      return `ended: ${step.state}`;
  }
}

// What a model calls a tool is said by the model, until there is a tool that was called.
function callsIn({ parts }: Extract<Step, { kind: 'answered' }>): string {
  const { length } = parts.filter(({ kind }) => kind === 'tool-call');
  return length === 0 ? '' : `, and makes ${length} call(s)`;
}

function resultWords({ tool, is_error, call_id }: ToldResult): string {
  if (call_id === '') return 'a call was refused';
  return `${tool} ${is_error ? 'has failed' : 'is done'}`;
}
