/**
 * The loop of a model agent. Its state is the fold of its journal (kernel/journal), so there
 * is no way to resume but this one: look what comes next, do it, write it down.
 *
 * R1. Every line that has an effect comes after the row that says it will, and is found by
 *     that row after a crash: the model is asked again (and the first answer counts as
 *     spent), a tool is called under the same key, a message is read once.
 * R2. Nothing is written without the lease: a run that was taken over elsewhere ends here.
 */
import { AosError } from '../../kernel/errors.ts';
import {
  callKey,
  type JournalStep,
  judgeProgress,
  type MailIn,
  type ShownResult,
  type Step,
  type ToolCallPart,
} from '../../kernel/journal/step.ts';
import type { Sql } from '../../ledger/ledger.ts';
import { copyMemoryUses } from '../../ledger/memory/uses.ts';
import { mailboxSize } from '../../ledger/messages/messages.ts';
import { type OperationRow, openChildrenOf } from '../../ledger/operations/operations.ts';
import type { MailboxItem } from '../../relay/relay.ts';
import { isToBeTold } from '../../relay/tell.ts';
import type { CallOutcome } from '../../tools/call.ts';
import { askModel, writeForgotten } from './ask.ts';
import type { ModelRun, ModelRunDeps, RunEnd } from './deps.ts';

/** What the run came to, apart from failures, which are thrown: they end the operation. */
export type Worked = RunEnd | { readonly kind: 'done'; readonly text: string };

export async function work(deps: ModelRunDeps, run: ModelRun): Promise<Worked> {
  for (;;) {
    run.signal.throwIfAborted();
    if (run.wantsPause()) return { kind: 'paused' };
    const { next, losses } = run.journal.state;
    switch (next.kind) {
      case 'begin':
        await askModel(deps, run, 1, await withMail(deps, run, await beginning(deps, run)));
        break;
      case 'asked':
        await writeForgotten(run, next);
        break;
      case 'ask':
        checkTurn(deps, next.turn, losses);
        await askModel(deps, run, next.turn, await withMail(deps, run, []));
        break;
      case 'call': {
        const made = await callTools(deps, run, next);
        if (made.kind !== 'results') return made;
        await deps.observers?.afterCalls(run.operation);
        checkTurn(deps, next.turn + 1, losses);
        await askModel(deps, run, next.turn + 1, await withMail(deps, run, made.steps));
        break;
      }
      case 'spent':
        throw new AosError('budget.spent', next.error);
      case 'finish': {
        if (await takeMail(deps, run, [])) break;
        if (await hasToHear(deps.ledger.committed, { id: run.operation.id, agent: run.agent })) {
          return { kind: 'waits-for-mail' };
        }
        // What one that ended just now has told may have come meanwhile.
        if (await takeLastMail(deps, run)) break;
        if (next.text.trim() === '') {
          await askAgain(run);
          break;
        }
        await deps.observers?.beforeDone(run.operation, run.signal);
        run.signal.throwIfAborted();
        return { kind: 'done', text: next.text };
      }
      case 'over':
        throw new Error('an operation that is over was started');
    }
  }
}

/** Nothing was said, and nothing called: that is no result. */
async function askAgain(run: ModelRun): Promise<void> {
  const verdict = judgeProgress(run.journal.steps);
  if (verdict?.kind === 'stop') {
    throw new AosError('operation.no-progress', {
      message: verdict.text,
      fix: 'Change the goal, the instructions or the model',
    });
  }
  const text = 'You have answered nothing. Go on, or say what the result is.';
  await run.journal.write(async () => [{ kind: 'note', code: 'operation.no-progress', text }]);
}

const looks = { most: 10, everyMs: 50 };

/** Something may be on its way into the mailbox just now, and can be taken in a moment. */
async function takeLastMail(deps: ModelRunDeps, run: ModelRun): Promise<boolean> {
  for (let look = 0; look < looks.most; look++) {
    if (await takeMail(deps, run, [])) return true;
    if ((await mailboxSize(deps.ledger.committed, run.agent)).pending === 0) return false;
    await deps.clock.sleep(looks.everyMs, run.signal);
  }
  return false;
}

/** Of its children: also of those that are over, while the message that says so is on its way. */
export async function hasToHear(
  sql: Sql,
  { id, agent }: Pick<OperationRow, 'id' | 'agent'>,
): Promise<boolean> {
  return (await openChildrenOf(sql, id)).length > 0 || isToBeTold(sql, `agent:${agent}`);
}

/** The steps that are left to be written: none where mail was written behind them. */
async function withMail(
  deps: ModelRunDeps,
  run: ModelRun,
  steps: readonly Step[],
): Promise<readonly Step[]> {
  return (await takeMail(deps, run, steps)) ? [] : steps;
}

async function beginning(deps: ModelRunDeps, run: ModelRun): Promise<readonly Step[]> {
  const items = (await deps.remember?.(run)) ?? [];
  return items.length === 0 ? [begun(run)] : [begun(run), { kind: 'remembered', items }];
}

function begun({ operation, spec, model }: ModelRun): Step {
  return {
    kind: 'begun',
    goal: operation.goal,
    because: operation.because,
    instructions: spec.instructions,
    model: model.id,
    is_scripted: model.isScripted,
  };
}

function checkTurn({ limits }: ModelRunDeps, turn: number, losses: number): void {
  if (turn > limits.mostTurns) {
    throw new AosError('operation.too-long', {
      message: `It is not done after ${limits.mostTurns} turns`,
      fix: 'Divide the goal into smaller ones, or fork it at a good step: aos retry ID --from STEP',
    });
  }
  if (losses < limits.mostLosses) return;
  throw new AosError('model.cut-off', {
    message: `The answer of turn ${turn} was lost ${losses} times, and is not asked for again`,
    fix: 'Look into the log why, then fork it at its last step: aos retry ID --from STEP',
  });
}

// Messages for a model agent: read in the transaction that puts them into its journal.

/** Whether there was any; then `before` is written in front of it. */
async function takeMail(
  deps: ModelRunDeps,
  run: ModelRun,
  before: readonly Step[],
): Promise<boolean> {
  // Mostly there is none, and that is quickly seen.
  if ((await mailboxSize(deps.ledger.committed, run.agent)).pending === 0) return false;
  let added: readonly JournalStep[] = [];
  await deps.mailboxes.take(run.agent, {
    limit: deps.limits.messagesPerTurn,
    also: async (tx, taken) => {
      added = await run.journal.writeIn(tx, async () => [
        ...before,
        { kind: 'mail', messages: taken.map(mailOf) },
      ]);
      for (const { id } of taken.filter(({ kind }) => kind === 'continuity')) {
        await copyMemoryUses(tx, `message:${id}`, `operation:${run.operation.id}`);
      }
    },
  });
  run.journal.written(added);
  return added.length > 0;
}

const longestText = 64 * 1024;

function mailOf({ id, from, kind, thread, re, body }: MailboxItem): MailIn {
  const left = body.length - longestText;
  const text = left <= 0 ? body : `${body.slice(0, longestText)}\n[${left} more characters]`;
  return {
    id,
    from,
    kind,
    ...(thread === undefined ? {} : { thread }),
    ...(re === undefined ? {} : { re }),
    text,
  };
}

// The tools that a model has called in one turn, one after another, through the one door.
//
// C1. The key of a call is made of operation, turn and place: run again after a crash, it is
//     the same call, and the door answers with what came of it.
// C2. What came of them is written together with what comes next: until then the door knows it.
// C3. A call that waits for a human, and one of which it is not known whether it had its effect,
//     stop the run here; it goes on when a human has said.

type ToolTurn =
  | Extract<RunEnd, { kind: 'paused' | 'waits-for-call' }>
  /** All are over; these steps are to be written with whatever comes next. */
  | { readonly kind: 'results'; readonly steps: readonly Step[] };

async function callTools(
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
