/** Messages for a model agent: read in the transaction that puts them into its journal. */
import type { JournalStep, MailIn, Step } from '../../kernel/journal/step.ts';
import { copyMemoryUses } from '../../ledger/memory/uses.ts';
import { mailboxSize } from '../../ledger/messages/messages.ts';
import type { MailboxItem } from '../../relay/relay.ts';
import type { ModelRunDeps, Run } from './deps.ts';

/** Whether there was any; then `before` is written in front of it. */
export async function takeMail(
  deps: ModelRunDeps,
  run: Run,
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
