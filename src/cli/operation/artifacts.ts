/** `aos op artifacts` and `aos op delete`. */
import type { Command } from 'commander';
import type { Client } from '../../gateway/client/client.ts';
import { AosError } from '../../kernel/errors.ts';
import { quote } from '../../kernel/text/quote.ts';
import { didYouMean } from '../../kernel/text/suggest.ts';
import type { Context } from '../core/context.ts';
import {
  artifactsText,
  type ListedArtifact,
  type OpOptions,
  operationIdOf,
  opVerb,
  withOperations,
} from './verb.ts';

export function defineOpArtifacts(group: Command, context: Context): void {
  opVerb(group, 'artifacts', 'list what an operation has left')
    .argument('<id>', 'of the operation')
    .addHelpText('after', '\nExample:\n  aos op artifacts 0199c1f2')
    .action((id: string, options: OpOptions) => list(context, id, options));
  opVerb(group, 'delete', 'delete an artifact, for good')
    .argument('<id>', 'of the operation')
    .argument('<name>', 'of the artifact')
    .addHelpText('after', '\nExample:\n  aos op delete 0199c1f2 report.md')
    .action((id: string, name: string, options: OpOptions) =>
      remove(context, { id, name }, options),
    );
}

async function list(context: Context, typed: string, options: OpOptions): Promise<void> {
  const id = operationIdOf(typed);
  const found = await withOperations(context, options, ({ client }) =>
    client.artifacts(id, { signal: context.signal }),
  );
  const text = found.count === 0 ? 'The operation has no artifacts.' : artifactsText(found);
  context.print({ data: found, text });
}

async function remove(
  context: Context,
  { id: typed, name }: { readonly id: string; readonly name: string },
  options: OpOptions,
): Promise<void> {
  const id = operationIdOf(typed);
  const { signal } = context;
  await withOperations(context, options, async ({ client }) => {
    await client.deleteArtifact(id, name, { signal }).catch(async (failure: unknown) => {
      if (!(failure instanceof AosError) || failure.code !== 'artifact.unknown') throw failure;
      throw await meantAnother(client, { id, name, signal }, failure);
    });
  });
  const text = `The artifact ${quote(name)} is deleted: its bytes and its key are gone.`;
  context.print({ data: { operation: id, name, deleted: true }, text });
}

async function meantAnother(
  client: Client,
  {
    id,
    name,
    signal,
  }: { readonly id: string; readonly name: string; readonly signal: AbortSignal },
  failure: AosError,
): Promise<AosError> {
  const { artifacts } = await client.artifacts(id, { signal });
  return unknownArtifact(name, artifacts, failure);
}

/** Says which one was probably meant. */
export function unknownArtifact(
  name: string,
  artifacts: readonly Pick<ListedArtifact, 'name'>[],
  cause?: AosError,
): AosError {
  const names = artifacts.map((artifact) => artifact.name);
  return new AosError('artifact.unknown', {
    message: `The operation has no artifact ${quote(name.slice(0, 100))}.${didYouMean(name, names)}`,
    fix: 'List those that it has: aos op artifacts ID',
    cause,
  });
}
