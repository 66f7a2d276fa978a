/** `aos op ls` and `aos op get`. */
import { type Command, Option } from 'commander';
import type { Client } from '../../gateway/client/client.ts';
import { type OperationStatus, operationStatuses } from '../../kernel/agent/operation.ts';
import type { Context } from '../core/context.ts';
import { shortIds } from '../core/names.ts';
import {
  type Operation,
  type OpOptions,
  operationIdOf,
  operationsText,
  operationText,
  opVerb,
  withOperations,
} from './verb.ts';

interface ListOptions extends OpOptions {
  readonly status?: OperationStatus;
  readonly all?: true;
}

const newest = 20;

export function defineOpLists(group: Command, context: Context): void {
  opVerb(group, 'ls', 'list operations, the newest first')
    .addOption(new Option('--status <status>', 'only these').choices([...operationStatuses]))
    .option('--all', `every one, and not the newest ${newest} only`)
    .addHelpText(
      'after',
      '\nExamples:\n  aos op ls\n  aos op ls --status running\n  aos op ls --all --json',
    )
    .action((options: ListOptions) => list(context, options));
  opVerb(group, 'get', 'tell how an operation stands, and what came of it')
    .argument('<id>', 'its id; the owner may cut it short')
    .addHelpText('after', '\nExample:\n  aos op get 0199c1f2')
    .action((id: string, options: OpOptions) => show(context, id, options));
}

async function list(context: Context, options: ListOptions): Promise<void> {
  const { items, isOwner } = await withOperations(context, options, async (actor) => ({
    items: await found(actor.client, options, context.signal),
    isOwner: actor.isOwner,
  }));
  const shortOf = isOwner ? shortIds(items.map(({ id }) => id)) : (id: string) => id;
  const text = items.length === 0 ? 'There are no operations.' : operationsText(items, shortOf);
  context.print({ data: { items }, text });
}

async function found(
  client: Client,
  { status, all }: ListOptions,
  signal: AbortSignal,
): Promise<Operation[]> {
  const items: Operation[] = [];
  const wanted = all === true ? Number.POSITIVE_INFINITY : newest;
  for (let before: string | undefined; ; ) {
    // A page of one status may have fewer than it was asked for, and still not be the last.
    const limit = Math.min(1000, wanted);
    const page = await client.operations({ status, before, limit }, { signal });
    items.push(...page.items);
    if (page.next === null || items.length >= wanted) return items.slice(0, wanted);
    before = page.next;
  }
}

async function show(context: Context, typed: string, options: OpOptions): Promise<void> {
  const id = operationIdOf(typed);
  const operation = await withOperations(context, options, ({ client }) =>
    client.operation(id, { signal: context.signal }),
  );
  context.print({ data: operation, text: operationText(operation) });
}
