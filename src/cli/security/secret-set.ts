/** `aos secret set`. The value comes by stdin or from a file, and is printed nowhere. */
import type { Command } from 'commander';
import { composeEngines } from '../../app/home/compose.ts';
import { AosError } from '../../kernel/errors.ts';
import { oneLine, quote } from '../../kernel/text/quote.ts';
import { didYouMean } from '../../kernel/text/suggest.ts';
import { withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { fileParts } from '../core/input.ts';
import { textOf } from '../core/piped.ts';

interface SetOptions {
  readonly host?: string;
  readonly header?: string;
  readonly prefix?: string;
  readonly file?: string;
}

export function defineSet(command: Command, context: Context): void {
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
  const [option = ''] = word.split('=');
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

interface Place {
  readonly host: string;
  readonly port: number | undefined;
}

/** Of `host`, `host:8443`, `[::1]` and `[::1]:8443`. */
function placeOf(text: string): Place {
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
