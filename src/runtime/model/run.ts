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
  type JournalStep,
  judgeProgress,
  type MailIn,
  type Step,
} from '../../kernel/journal/step.ts';
import type { Sql } from '../../ledger/ledger.ts';
import { copyMemoryUses } from '../../ledger/memory/uses.ts';
import { mailboxSize } from '../../ledger/messages/messages.ts';
import { type OperationRow, openChildrenOf } from '../../ledger/operations/operations.ts';
import type { MailboxItem } from '../../relay/relay.ts';
import { isToBeTold } from '../../relay/tell.ts';
import { askModel, writeForgotten } from './ask.ts';
import { callTools } from './call-tools.ts';
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
