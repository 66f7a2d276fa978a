/** `aos secret rm`: one, or all, also where the key that opens them is lost. */
import type { Command } from 'commander';
import { AosError, type ErrorCode } from '../../kernel/errors.ts';
import { oneLine, quote } from '../../kernel/text/quote.ts';
import { confirm } from '../core/confirm.ts';
import { reach, sayMended, withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { counted } from '../core/words.ts';

export function defineRm(command: Command, context: Context): void {
  command
    .description('forget a secret')
    .argument('[name]', 'which')
    .option('--all', 'every one of them; also where the key that opens them is lost')
    .option('--yes', 'with --all: do not ask; needed where nobody can be asked')
    .addHelpText(
      'after',
      '\nWithout keys/secrets.key nothing works that needs the home. --all gives the secrets up,\nand keeps what is left of the key as keys/secrets.key.given-up-…\n\nExamples:\n  aos secret rm GITHUB_TOKEN\n  aos secret rm --all',
    )
    .action((name: string | undefined, options: RemoveOptions) => {
      if (options.all === true && name === undefined) return removeAll(context, options);
      if (options.all !== true && name !== undefined) return remove(context, name);
      throw oneOrAll();
    });
}

interface RemoveOptions {
  readonly all?: true;
  readonly yes?: true;
}

function oneOrAll(): AosError {
  return new AosError('usage.missing-argument', {
    message: '"aos secret rm" needs the name of a secret, or --all and no name',
    fix: 'aos secret ls',
  });
}

const holder = 'aos secret rm';

async function remove(context: Context, name: string): Promise<void> {
  // Here and not by the daemon: it would be another path.
  if (!/[A-Za-z]/.test(name)) throw unknownSecret(name);
  const removed = await withHome(context, { holder }, (client) =>
    client.removeSecret(name, { signal: context.signal }),
  );
  context.print({ data: removed, text: oneLine(`Secret ${removed.name} is forgotten.`) });
}

function unknownSecret(name: string): AosError {
  return new AosError('secret.unknown', {
    message: `There is no secret ${quote(name.slice(0, 100))}`,
    fix: 'aos secret ls',
  });
}

interface Removed {
  /** Their names. */
  readonly removed: readonly string[];
  /** Where a key that opened none of them is now. */
  readonly key_moved_to: string | null;
}

async function removeAll(context: Context, options: RemoveOptions): Promise<void> {
  const all = await removeEach(context, options).catch((failure: unknown) => {
    if (!hasCode(failure, 'secret.broken-key')) throw failure;
    return giveUp(context, options);
  });
  const { removed, key_moved_to } = all;
  const are = removed.length === 1 ? 'is' : 'are';
  const forgotten = `${counted(removed.length, 'secret')} ${are} forgotten: ${removed.join(', ')}.`;
  const key = key_moved_to === null ? '' : ` The key file is now ${quote(key_moved_to)}.`;
  const text = removed.length === 0 ? 'There are no secrets.' : forgotten + key;
  context.print({ data: all, text: oneLine(text) });
}

async function removeEach(context: Context, options: RemoveOptions): Promise<Removed> {
  const { items } = await withHome(context, { holder }, (client) =>
    client.secrets({ signal: context.signal }),
  );
  const names = items.map(({ name }) => name);
  // Between the two: without a daemon, a question would keep the home from everybody else.
  await askFirst(context, names, options);
  const removed: string[] = [];
  if (names.length === 0) return { removed, key_moved_to: null };
  await withHome(context, { holder }, async (client) => {
    for (const name of names) {
      try {
        await client.removeSecret(name, { signal: context.signal });
        removed.push(name);
      } catch (failure) {
        // Somebody else has removed it meanwhile.
        if (!hasCode(failure, 'secret.unknown')) throw failure;
      }
    }
  });
  return { removed, key_moved_to: null };
}

/** No daemon can start on such a home, nor can a command open it. */
async function giveUp(context: Context, options: RemoveOptions): Promise<Removed> {
  const { engines, settings } = await reach(context);
  const { inside } = await import('../../app/inside.ts');
  const confirmed = (names: readonly string[]) => askFirst(context, names, options);
  return inside.giveUpSecretsIn(engines, settings, confirmed, sayMended(context));
}

/** Throws unless somebody says yes. */
async function askFirst(
  context: Context,
  names: readonly string[],
  { yes }: RemoveOptions,
): Promise<void> {
  if (yes === true || names.length === 0) return;
  const what = oneLine(`${counted(names.length, 'secret')} (${names.join(', ')})`);
  const { isTerminal } = context.terminal.input;
  if (isTerminal && (await confirm(context, `Forget ${what}? Nobody can bring them back.`))) return;
  throw new AosError('secret.kept', {
    message: `Nothing was forgotten: ${isTerminal ? 'the answer was no' : 'nobody is at a terminal to be asked'}`,
    fix: `To forget ${what}: aos secret rm --all --yes`,
  });
}

function hasCode(failure: unknown, code: ErrorCode): boolean {
  return failure instanceof AosError && failure.code === code;
}
