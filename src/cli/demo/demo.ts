/** `aos demo`: a team at work, played from its beginning to its end. */
import type { Command } from 'commander';
import { composeEngines, type Engines } from '../../app/home/compose.ts';
import { shellWord } from '../../kernel/text/quote.ts';
import type { Context } from '../core/context.ts';
import { stopSignal } from '../core/signals.ts';
import { askHuman, checkReport, type HumanVerdict, sumUp } from './end.ts';
import {
  exchangeMessages,
  killDaemon,
  makeFolder,
  makeTeam,
  readFiles,
  type Show,
  spawnChild,
  startDaemon,
} from './scenes.ts';
import { Stage } from './stage.ts';
import { asDemoFailure, Narrator, Watch } from './watch.ts';

interface DemoOptions {
  readonly once?: true;
  readonly keep?: true;
}

export function defineDemo(command: Command, context: Context): void {
  command
    .option('--once', 'take everything away at the end, and exit')
    .option('--keep', 'with --once: stop the daemon, and leave the folder there')
    .addHelpText(
      'after',
      '\nThree agents count six files, without a key and without a network. They run on the\nscripted model, which follows a script and understands nothing; all the rest is real. The\nhome is a new one, in the folder for temporary files, or at --home. Exit code 0 when\neverything was as it should be.\n\nExamples:\n  aos demo\n  aos demo --once\n  aos demo --once --json',
    )
    .action((options: DemoOptions) =>
      demo(context, options, command.optsWithGlobals()['json'] === true),
    );
}

async function demo(context: Context, { once, keep }: DemoOptions, json: boolean): Promise<void> {
  const { signal } = stopSignal(context.signal);
  const engines = composeEngines();
  const stage = await Stage.choose({ ...context, signal }, engines);
  const tell = new Narrator(context, json);
  const show: Show = { stage, tell, signal, watch: new Watch(stage, signal) };
  const isWatched = once !== true && !json && context.terminal.input.isTerminal;
  let isApproved: boolean | undefined;
  try {
    context.words('A small team counts six files: on the scripted model, without key or network.');
    isApproved = await play(show, () =>
      isWatched ? askWatcher(context, engines, signal) : Promise.resolve('unasked'),
    );
  } catch (failure) {
    if (keep === true) context.words(`\nIt stays where it is: ${placesOf(stage).join(' ')}`);
    throw asDemoFailure(failure, signal);
  } finally {
    // What failed is kept only where the caller asked for it: no other person would find it.
    const staysUp = isApproved !== undefined && once !== true;
    if (!staysUp) await (keep === true ? stage.stopDaemon() : stage.clear());
  }
  if (once === true && keep !== true) tellAllIsGone(show, context);
  else tellWhereToLook(show, context, { isUp: once !== true, hasReport: isApproved });
}

/** Whether the report was approved. */
async function play(show: Show, ask: () => Promise<HumanVerdict>): Promise<boolean> {
  const files = await makeFolder(show);
  const { pid } = await startDaemon(show);
  const lead = await makeTeam(show);
  await readFiles(show, lead);
  const counter = await exchangeMessages(show, lead);
  const child = await spawnChild(show);
  const goals = { lead, counter, child };
  await killDaemon(show, { pid, goals });
  const isApproved = await askHuman(show, ask);
  await checkReport(show, { lead, files, isApproved });
  await sumUp(show, { goals, isApproved });
  return isApproved;
}

const answerMs = 30_000;

/** Yes where nothing is said in time: the demo goes on by itself. */
async function askWatcher(
  { terminal }: Pick<Context, 'terminal'>,
  { clock }: Pick<Engines, 'clock'>,
  signal: AbortSignal,
): Promise<HumanVerdict> {
  terminal.err(`   Approve? [Y/n] (yes in ${answerMs / 1000} seconds) `);
  const typed = terminal.input.read()[Symbol.asyncIterator]();
  const answered = new AbortController();
  const late = clock.sleep(answerMs, AbortSignal.any([signal, answered.signal])).then(
    () => ({ value: Buffer.from('\n') }),
    () => ({ value: Buffer.from('') }),
  );
  try {
    const { value } = await Promise.race([typed.next(), late]);
    signal.throwIfAborted();
    const text = Buffer.from(value ?? '').toString();
    if (!text.endsWith('\n')) terminal.err('\n');
    return /^\s*n/i.test(text) ? 'no' : 'yes';
  } finally {
    answered.abort();
    // Not awaited: a read that is under way ends with the next line, or never.
    void typed.return?.();
  }
}

const tryNext = 'aos run "Say hello." --model scripted:hello';

function tellAllIsGone({ tell }: Show, { words }: Context): void {
  words('\nEverything is removed again. Without --once it stays, for you to look around.');
  words('Next, for yourself:');
  tell.typed('aos up --detach', tryNext);
}

interface Left {
  readonly isUp: boolean;
  readonly hasReport: boolean;
}

function tellWhereToLook(
  { stage, tell }: Show,
  { words }: Context,
  { isUp, hasReport }: Left,
): void {
  words(`\nThe daemon ${isUp ? 'is up' : 'is stopped, the rest is there'}. Look around:`);
  tell.typed(
    `export AOS_HOME=${shellWord(stage.home)}`,
    'aos inspect lead      # what it did, step by step',
    'aos audit             # all that happened',
    'aos audit verify      # and that nobody has changed it',
    ...(hasReport ? [`cat ${shellWord(`${stage.files}/report.md`)}`] : []),
    ...(isUp ? [tryNext] : []),
  );
  const away = `rm -r ${placesOf(stage).join(' ')}`;
  words(`To take it all away: ${isUp ? `aos down && ${away}` : away}`);
}

/** What there is to remove. */
function placesOf({ folder, home }: Stage): readonly string[] {
  return (home.startsWith(`${folder}/`) ? [folder] : [folder, home]).map(shellWord);
}
