/** `aos files undo` and `aos files plans`. */
import type { Command } from 'commander';
import { AosError } from '../../kernel/errors.ts';
import type { FileAnswer } from '../../kernel/files/request.ts';
import { countWords } from '../../kernel/files/words.ts';
import { oneLine } from '../../kernel/text/quote.ts';
import { confirm } from '../core/confirm.ts';
import type { Context } from '../core/context.ts';
import { numberOf } from '../core/input.ts';
import { table } from '../core/words.ts';
import { type AsOption, callFilesTool, filesVerb } from './call.ts';
import { pathsOf } from './path.ts';
import { type PlanState, planStateWords, stepsText } from './plan-words.ts';

interface UndoOptions extends AsOption {
  readonly dryRun?: true;
  readonly yes?: true;
}

export function defineFilesUndo(group: Command, context: Context): void {
  const undone = filesVerb(group, 'undo', 'take back what was done')
    .argument('[plan]', 'the plan, as "aos files plans" lists it (your last one)')
    .option('--dry-run', 'say what would happen, and touch nothing')
    .option('--yes', 'do not ask; needed where nobody can be asked')
    .addHelpText(
      'after',
      '\nNames, contents, modes and times come back. A file that somebody has changed since is left\nas it is, and said. A folder that was copied goes to the trash with all that is in it by then.\n\nExamples:\n  aos files undo --dry-run\n  aos files undo 01a1e4edbc058353bde0e3140acc567c --yes',
    )
    .action((plan: string | undefined, options: UndoOptions) => {
      const json = undone.optsWithGlobals()['json'] === true;
      return undo(context, { plan, json }, options);
    });
  filesVerb(group, 'plans', 'list what was changed, the newest first, and what can be undone')
    .option('--limit <n>', 'at most so many', '20')
    .addHelpText('after', '\nExample:\n  aos files plans --limit 5')
    .action((options: AsOption & { readonly limit: string }) => plans(context, options));
}

async function undo(
  context: Context,
  { plan, json }: { readonly plan: string | undefined; readonly json: boolean },
  options: UndoOptions,
): Promise<void> {
  const tool = 'undo_plan';
  const preview = await callFilesTool(context, options, { tool, args: { plan, dry_run: true } });
  if (options.dryRun === true) {
    return context.print({ data: preview, text: await previewText(context, preview) });
  }
  if (options.yes !== true) await askFirst(context, preview, { json });
  // The last one may be another by now.
  const args = { plan: previewOf(preview).plan_id };
  const done = await callFilesTool(context, options, { tool, args });
  context.print({ data: done, text: oneLine(done.action_performed) });
}

interface Preview {
  readonly plan_id: string;
  readonly steps: readonly { readonly do: string; readonly from?: string; readonly to?: string }[];
  readonly left_out: readonly { readonly path: string; readonly why: string }[];
}

function previewOf({ result }: FileAnswer): Preview {
  // What the tool of that name answers to a dry run.
  return result as Preview;
}

async function previewText(context: Context, preview: FileAnswer): Promise<string> {
  const show = await pathsOf(context);
  const { steps, left_out } = previewOf(preview);
  const left = left_out.map(({ path, why }) => `  left as it is: ${show(path)} (${oneLine(why)})`);
  return [stepsText({ steps }, show), ...left, oneLine(preview.action_performed)].join('\n');
}

async function askFirst(
  context: Context,
  preview: FileAnswer,
  { json }: { readonly json: boolean },
): Promise<void> {
  const { plan_id, steps } = previewOf(preview);
  const isAsked = context.terminal.input.isTerminal && !json;
  if (!json) context.terminal.err(`${await previewText(context, preview)}\n`);
  const question = `Take back ${countWords(steps.length, 'step')} of plan ${plan_id}?`;
  if (isAsked && (await confirm(context, question))) return;
  throw new AosError('files.confirmation-required', {
    message: isAsked ? 'Nothing was undone' : `Nothing was undone yet. ${question}`,
    fix: `aos files undo ${plan_id} --yes`,
    details: preview,
  });
}

interface WirePlan extends PlanState {
  readonly id: string;
  readonly by: string;
  readonly prompt: string;
  readonly created_at: string;
}

async function plans(
  context: Context,
  options: AsOption & { readonly limit: string },
): Promise<void> {
  const limit = numberOf('--limit', options.limit, { least: 1, most: 1000 });
  const found = await callFilesTool(context, options, { tool: 'list_plans', args: { limit } });
  // What the tool of that name answers.
  const { plans: all } = found.result as { readonly plans: readonly WirePlan[] };
  const rows = all.map((plan) => [
    ...[plan.id, plan.created_at, oneLine(plan.by), planStateWords(plan)],
    oneLine(plan.prompt),
  ]);
  const text = rows.length === 0 ? 'Nothing was changed yet.' : table(rows);
  context.print({ data: found, text });
}
