/**
 * The tools that a model has called in one turn, one after another, through the one door.
 *
 * C1. The key of a call is made of operation, turn and place: run again after a crash, it is
 *     the same call, and the door answers with what came of it.
 * C2. What came of them is written together with what comes next: until then the door knows it.
 * C3. A call that waits for a human, and one of which it is not known whether it had its effect,
 *     stop the run here; it goes on when a human has said.
 */
import { AosError } from '../../kernel/errors.ts';
import {
  callKey,
  judgeProgress,
  type ShownResult,
  type Step,
  type ToolCallPart,
} from '../../kernel/journal/step.ts';
import type { CallOutcome } from '../../tools/call.ts';
import type { ModelRun, ModelRunDeps, RunEnd } from './deps.ts';

export type ToolTurn =
  | Extract<RunEnd, { kind: 'paused' | 'waits-for-call' }>
  /** All are over; these steps are to be written with whatever comes next. */
  | { readonly kind: 'results'; readonly steps: readonly Step[] };

export async function callTools(
  deps: ModelRunDeps,
  run: ModelRun,
  { turn, calls }: { readonly turn: number; readonly calls: readonly ToolCallPart[] },
): Promise<ToolTurn> {
  const results: ShownResult[] = [];
  for (const [place, part] of calls.entries()) {
    if (run.wantsPause()) return { kind: 'paused' };
    const made = await callOne(deps, run, { turn, place, part });
    if (made.kind === 'waits') return { kind: 'waits-for-call', callId: made.callId };
    results.push(made.result);
  }
  return judge(run, { kind: 'results', turn, results });
}

type Made =
  | { readonly kind: 'over'; readonly result: ShownResult }
  | { readonly kind: 'waits'; readonly callId: string };

async function callOne(
  deps: ModelRunDeps,
  run: ModelRun,
  {
    turn,
    place,
    part,
  }: { readonly turn: number; readonly place: number; readonly part: ToolCallPart },
): Promise<Made> {
  run.signal.throwIfAborted();
  const show = run.output.of({ call: part.id, tool: part.tool });
  try {
    // C1
    const outcome = await deps.calls.call({
      principal: `agent:${run.agent}`,
      tool: part.tool,
      args: part.args,
      key: callKey(run.operation.id, turn, place),
      isOfRun: true,
      // A tool that does not answer must not keep a run from being stopped.
      signal: run.signal,
      onOutput: (output) => show.take(output),
    });
    run.signal.throwIfAborted();
    return outcomeFor(deps, run, part, outcome);
  } catch (failure) {
    run.signal.throwIfAborted();
    // Never asked: there is no such tool, or it takes other arguments.
    if (!(failure instanceof AosError)) throw failure;
    return { kind: 'over', result: told(deps, part, { call_id: '', failure }) };
  } finally {
    show.end();
  }
}

async function outcomeFor(
  deps: ModelRunDeps,
  run: ModelRun,
  part: ToolCallPart,
  outcome: CallOutcome,
): Promise<Made> {
  const { callId } = outcome;
  switch (outcome.kind) {
    case 'answered':
      return {
        kind: 'over',
        result: told(deps, part, { call_id: callId, output: outcome.output }),
      };
    case 'failed':
      // C3
      if (outcome.error.code === 'tool.unsure') return { kind: 'waits', callId };
      return {
        kind: 'over',
        result: told(deps, part, { call_id: callId, failure: outcome.error }),
      };
    case 'waiting':
      return { kind: 'waits', callId };
    case 'running': {
      // It goes on from before a restart.
      const end = await deps.calls.settled(callId, run.signal);
      if (end === undefined) return { kind: 'waits', callId };
      return outcomeFor(deps, run, part, end);
    }
  }
}

type Content =
  | { readonly call_id: string; readonly output: unknown }
  | { readonly call_id: string; readonly failure: AosError };

function told({ limits }: ModelRunDeps, { id, tool }: ToolCallPart, content: Content): ShownResult {
  const isError = 'failure' in content;
  const text = isError ? failureText(content.failure) : outputText(content.output);
  const left = text.length - limits.resultCharacters;
  const cut =
    left <= 0 ? text : `${text.slice(0, limits.resultCharacters)}\n[${left} more characters]`;
  return { id, tool, text: cut, is_error: isError, call_id: content.call_id };
}

function outputText(output: unknown): string {
  return typeof output === 'string' ? output : (JSON.stringify(output) ?? 'null');
}

function failureText({ code, message, fix }: AosError): string {
  return `${code}: ${message}${fix === undefined ? '' : `\n${fix}`}`;
}

async function judge(
  run: ModelRun,
  results: Extract<Step, { kind: 'results' }>,
): Promise<Extract<ToolTurn, { kind: 'results' }>> {
  const { steps } = run.journal;
  const verdict = judgeProgress([...steps, { seq: steps.length + 1, at: 0, step: results }]);
  if (verdict === undefined) return { kind: 'results', steps: [results] };
  if (verdict.kind === 'warn') {
    const note = { kind: 'note', code: 'operation.no-progress', text: verdict.text } as const;
    return { kind: 'results', steps: [results, note] };
  }
  await run.journal.write(async () => [results]);
  throw new AosError('operation.no-progress', {
    message: `The agent gets nowhere: ${verdict.text}`,
    fix: `aos inspect ${run.operation.id.slice(0, 16)} shows its steps; change the goal or the instructions`,
  });
}
