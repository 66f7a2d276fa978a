/** `aos secret`: values that tools may use and no agent may see. */
import type { Command } from 'commander';
import { composeEngines } from '../../app/home/compose.ts';
import type { Answer } from '../../gateway/contract/contract.ts';
import { AosError, hasCode } from '../../kernel/errors.ts';
import { must } from '../../kernel/must.ts';
import { oneLine, quote } from '../../kernel/text/quote.ts';
import { didYouMean } from '../../kernel/text/suggest.ts';
import { confirm } from '../core/confirm.ts';
import { reach, sayMended, withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { fileParts, textOf } from '../core/input.ts';
import { counted, table } from '../core/words.ts';

export function defineSecret(command: Command, context: Context): void {
  defineSet(command.command('set'), context);
  command
    .command('ls')
    .description('list the secrets and what they are for; never what they are')
    .addHelpText('after', '\nExample:\n  aos secret ls')
    .action(() => list(context));
  defineRm(command.command('rm'), context);
}

async function list(context: Context): Promise<void> {
  const found = await withHome(context, { holder: 'aos secret ls' }, (client) =>
    client.secrets({ signal: context.signal }),
  );
  const rows = found.items.map((secret) => [
    oneLine(secret.name),
    bindingWords(secret),
    `set ${secret.updated_at}`,
  ]);
  context.print({ data: found, text: rows.length === 0 ? 'There are no secrets.' : table(rows) });
}

function bindingWords(secret: Answer<'secrets'>['items'][number]): string {
  const { host, port, header, prefix } = secret;
  if (host === null || header === null) return 'for no host';
  const form = prefix === '' ? '' : `, after ${quote(prefix)}`;
  return oneLine(`for ${host}:${port} in ${header}${form}`);
}

interface SetOptions {
  readonly host?: string;
  readonly header?: string;
  readonly prefix?: string;
  readonly file?: string;
}

/** `aos secret set`. The value comes by stdin or from a file, and is printed nowhere. */
function defineSet(command: Command, context: Context): void {
  command
    .description('keep a secret, which comes by stdin or from a file')
    .argument('<name>', 'a letter, then letters, digits, "_", "." and "-"')
    .option('--host <host>', 'http.fetch may send it to this host[:port] (443) alone')
    .option('--header <header>', 'in this header, such as Authorization')
    .option('--prefix <text>', 'behind this, such as "Bearer "')
    .option('--file <file>', 'read it from here')
    // What is too much, or unknown, may be the value: it must not be told back.
    .allowExcessArguments()
    .allowUnknownOption()
    .addHelpText(
      'after',
      '\nNobody can read it back. An agent that may use it needs the capability secret:NAME:use.\n\nExamples:\n  aos secret set GITHUB_TOKEN --host api.github.com --header Authorization --prefix "Bearer " < token\n  aos secret set DEV_KEY --host [::1]:8443 --header X-Api-Key --file key.txt',
    )
    .action((name: string, options: SetOptions) => {
      refuseMore(command, command.args.slice(1));
      return set(context, name, options);
    });
}

function refuseMore(command: Command, [word]: readonly string[]): void {
  if (word === undefined) return;
  const option = must(word.split('=')[0], 'the name of an option');
  if (word.startsWith('-')) {
    const names = command.options.map(({ long }) => long ?? '');
    throw new AosError('usage.unknown-option', {
      message: `"aos secret set" has no option ${quote(option)}.${didYouMean(option, names)}`,
      fix: 'aos secret set --help',
    });
  }
  throw new AosError('usage.extra-argument', {
    message:
      'A secret is not given as a word of the command: everybody on this machine can read those with ps, and your shell keeps them',
    fix: 'Pipe it in, or use --file FILE; and change it, now that it was written there',
  });
}

async function set(context: Context, name: string, options: SetOptions): Promise<void> {
  const { header, prefix } = options;
  const place = options.host === undefined ? {} : placeOf(options.host);
  const value = await readValue(context, name, options);
  const answer = await withHome(context, { holder: 'aos secret set' }, (client) =>
    client.setSecret({ name, value, ...place, header, prefix }, { signal: context.signal }),
  );
  const text = `Secret ${answer.name} is ${answer.replaced ? 'replaced' : 'kept'}.`;
  context.print({ data: answer, text: oneLine(text) });
}

interface HostAndPort {
  readonly host: string;
  readonly port: number | undefined;
}

/** Of `host`, `host:8443`, `[::1]` and `[::1]:8443`. */
function placeOf(text: string): HostAndPort {
  const [, host, port] = /^(\[[^\]]+\]|[^:[\]/]+)(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (host !== undefined) return { host, port: port === undefined ? undefined : Number(port) };
  throw new AosError('usage.bad-value', {
    message: `--host wants a host and perhaps a port, and got ${quote(text.slice(0, 100))}`,
    fix: 'Write it as api.example.com, api.example.com:8443 or [::1]:8443',
  });
}

// Twice what the longest secret has, so that it is the daemon who says what is too long.
const mostBytes = 16 * 1024;

async function readValue(
  { terminal: { input } }: Context,
  name: string,
  { file }: SetOptions,
): Promise<string> {
  const limits = { what: 'What was given as the secret', mostBytes };
  if (file !== undefined) return textOf(fileParts(composeEngines().disk, file), limits);
  if (!input.isTerminal) return textOf(input.read(), limits);
  // What is typed here would be seen on the screen.
  throw new AosError('usage.missing-argument', {
    message: 'A secret is piped in, or comes from a file',
    fix: `read -rs SECRET; printf %s "$SECRET" | aos secret set ${oneLine(name)}`,
  });
}

function defineRm(command: Command, context: Context): void {
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
  // Between the two: without a daemon, a question would keep the home from every other caller.
  await askFirst(context, names, options);
  const removed: string[] = [];
  if (names.length === 0) return { removed, key_moved_to: null };
  await withHome(context, { holder }, async (client) => {
    for (const name of names) {
      try {
        await client.removeSecret(name, { signal: context.signal });
        removed.push(name);
      } catch (failure) {
        // Another caller has removed it meanwhile.
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

/** Throws unless the person says yes. */
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
