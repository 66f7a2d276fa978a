/** `aos op download`: fetched, opened, checked. */
import type { Command } from 'commander';
import { composeEngines } from '../../app/home/compose.ts';
import { AosError } from '../../kernel/errors.ts';
import { oneLine, quote } from '../../kernel/text/quote.ts';
import type { Context } from '../core/context.ts';
import { withDetails } from '../transfer/verb.ts';
import { unknownArtifact } from './artifacts.ts';
import {
  type ListedArtifact,
  loadOperationClient,
  type OperationActor,
  type OpOptions,
  operationIdOf,
  opVerb,
  withOperations,
} from './verb.ts';

interface DownloadOptions extends OpOptions {
  readonly all?: true;
  readonly dest?: string;
  readonly force?: true;
}

export function defineOpDownload(group: Command, context: Context): void {
  opVerb(group, 'download', 'fetch artifacts and open them')
    .argument('<id>', 'of the operation')
    .argument('[name]', 'of the artifact')
    .argument('[to]', '"-" for stdout')
    .option('--all', 'every artifact of the operation')
    .option('--dest <folder>', 'where to put them (here); it is made where there is none')
    .option('--force', 'replace what stands there')
    .addHelpText(
      'after',
      '\nNothing is under its name before it is whole and has the size and the checksum that were\nlisted, and nothing is replaced without --force.\n\nExamples:\n  aos op download 0199c1f2 report.md\n  aos op download 0199c1f2 --all --dest reports\n  aos op download 0199c1f2 data.csv - | head',
    )
    .action((id: string, name: string | undefined, to: string | undefined, options) =>
      download(context, { id, name, to }, options),
    );
}

interface WantedArtifact {
  readonly id: string;
  readonly name: string | undefined;
  readonly to: string | undefined;
}

async function download(
  context: Context,
  { id: typed, name, to }: WantedArtifact,
  options: DownloadOptions,
): Promise<void> {
  const id = operationIdOf(typed);
  checkWords({ id, name, to }, options);
  if (to === '-' && context.terminal.rawOut === undefined) throw ontoTerminal(id);
  await withOperations(context, options, async (actor) => {
    const { artifacts } = await actor.client.artifacts(id, { signal: context.signal });
    const wanted = name === undefined ? artifacts : [named(artifacts, name)];
    if (wanted.length === 0) {
      context.print({ data: { downloaded: [] }, text: 'The operation has no artifacts.' });
      return;
    }
    const fetching = { context, actor, id, options };
    if (to === '-') await toStdout(fetching, wanted[0]);
    else if (options.all === true) await saveAll(fetching, wanted);
    else for (const one of wanted) tell(context, await save(fetching, one));
  });
}

/** One by its name, or all; and to stdout one only. */
function checkWords({ name, to }: WantedArtifact, { all, dest }: DownloadOptions): void {
  const wrong =
    (all === true) === (name !== undefined)
      ? 'Name one artifact, or say --all'
      : to !== undefined && to !== '-'
        ? `${quote(to.slice(0, 100))} is one word too many: a folder is named with --dest`
        : to === '-' && dest !== undefined
          ? 'What goes to stdout goes into no folder'
          : undefined;
  if (wrong === undefined) return;
  throw new AosError('usage.bad-value', { message: wrong, fix: 'aos op download --help' });
}

function named(artifacts: readonly ListedArtifact[], name: string): ListedArtifact {
  const found = artifacts.find((artifact) => artifact.name === name);
  if (found === undefined) throw unknownArtifact(name, artifacts);
  return found;
}

interface Fetching {
  readonly context: Context;
  readonly actor: OperationActor;
  readonly id: string;
  readonly options: DownloadOptions;
}

async function toStdout(fetching: Fetching, artifact: ListedArtifact | undefined): Promise<void> {
  const { rawOut } = fetching.context.terminal;
  if (artifact === undefined || rawOut === undefined) return;
  const { openArtifact } = await loadOperationClient();
  for await (const bytes of openArtifact(await openable(fetching, artifact))) await rawOut(bytes);
}

interface Saved {
  readonly name: string;
  readonly path: string;
  readonly size: number;
}

async function save(fetching: Fetching, artifact: ListedArtifact): Promise<Saved> {
  const { dest = '.', force = false } = fetching.options;
  const { saveArtifact } = await loadOperationClient();
  const from = await openable(fetching, artifact);
  const path = await saveArtifact(composeEngines(), from, { dest, force });
  return { name: artifact.name, path, size: artifact.size };
}

function tell(context: Context, saved: Saved): void {
  context.print({ data: { downloaded: [saved] }, text: savedText(saved) });
}

function savedText({ path }: Saved): string {
  return `Downloaded to: ${oneLine(path)}`;
}

/** Goes on when one cannot be fetched, and ends with what was wrong with the first. */
async function saveAll(fetching: Fetching, wanted: readonly ListedArtifact[]): Promise<void> {
  const { context } = fetching;
  const downloaded: Saved[] = [];
  const failed: { readonly name: string; readonly failure: AosError }[] = [];
  for (const artifact of wanted) {
    try {
      const saved = await save(fetching, artifact);
      downloaded.push(saved);
      context.words(savedText(saved));
    } catch (failure) {
      if (context.signal.aborted || !(failure instanceof AosError)) throw failure;
      failed.push({ name: artifact.name, failure });
      context.words(`Not downloaded: ${oneLine(artifact.name)}. ${oneLine(failure.message)}.`);
    }
  }
  const [first] = failed;
  if (first === undefined) {
    context.print({
      data: { downloaded },
      text: `${downloaded.length} of ${wanted.length} downloaded.`,
    });
    return;
  }
  const words = `${failed.length} of ${wanted.length} could not be downloaded. The first: ${first.failure.message}`;
  const report = failed.map(({ name, failure: { code, message } }) => ({ name, code, message }));
  throw withDetails(first.failure, words, { downloaded, failed: report });
}

/** With the key that opens it; refused where the actor does not have it. */
async function openable({ actor, context, id }: Fetching, artifact: ListedArtifact) {
  const { client } = actor;
  const { signal } = context;
  if (artifact.encryption_key_encrypted === null) {
    throw await sealedForOther(actor, { id, name: artifact.name, signal });
  }
  return { client, key: await actor.key(), operation: id, artifact, signal };
}

async function sealedForOther(
  { client, isOwner }: OperationActor,
  {
    id,
    name,
    signal,
  }: { readonly id: string; readonly name: string; readonly signal: AbortSignal },
): Promise<AosError> {
  const owner = isOwner ? (await client.goal(id, { signal })).owner : 'somebody else';
  const whom = owner.replace(/^(?:agent|grantee):/, '');
  const isOutsider = whom.startsWith('0x');
  const how = isOutsider ? '--key FILE --url URL' : `--as ${whom}`;
  return new AosError('operation.not-yours', {
    message: `${quote(name)} is sealed for ${oneLine(whom)}, and cannot be opened here`,
    fix: isOwner ? `With their key: aos op download ${id} ${quote(name)} ${how}` : undefined,
  });
}

function ontoTerminal(id: string): AosError {
  return new AosError('usage.bad-value', {
    message: 'What is in the artifact would go to your terminal, which may do anything with it',
    fix: `aos op download ${id} NAME - | less`,
  });
}
