/** `aos audit`: events, and whether their chain holds. */
import type { Command } from 'commander';
import { composeEngines } from '../../app/home/compose.ts';
import type { Client } from '../../gateway/client/client.ts';
import type { WireEvent, WireSignedHead } from '../../gateway/contract/contract.ts';
import { readWholeFile } from '../../kernel/disk/durable-file.ts';
import { AosError } from '../../kernel/errors.ts';
import { oneLine, quote, safeJson } from '../../kernel/text/quote.ts';
import { parseMoment } from '../../kernel/text/time-text.ts';
import { reach, withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { groupCommand } from '../core/group-command.ts';
import { counted } from '../core/words.ts';

interface AuditOptions {
  readonly actor?: string;
  readonly kind?: string;
  readonly subject?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit?: string;
  readonly follow?: true;
}

export function defineAudit(command: Command, context: Context): void {
  command
    .option('--actor <principal>', 'only what this one did, such as owner or agent:jean')
    .option(
      '--kind <kind>',
      'only this kind, such as agent.registered, or agent.* for all of an area',
    )
    .option('--subject <subject>', 'only what was done to this, such as agent:jean')
    .option('--since <moment>', 'not before: 30m, 2h, 7d, or a date')
    .option('--until <moment>', 'before: 30m, 2h, 7d, or a date')
    .option('--limit <n>', 'the newest so many (all: every one)', '50')
    .option('-f, --follow', 'go on with what happens from now on, as long as the daemon runs')
    .addHelpText(
      'after',
      '\nEvents are told oldest first. With --json each is a line of its own, with everything in\nit: "aos audit --json --limit all" exports the trail.\n\nExamples:\n  aos audit\n  aos audit --kind agent.* --since 7d\n  aos audit --json --limit all > trail.jsonl\n  aos audit head > head.json    # keep it elsewhere\n  aos audit verify --head head.json',
    )
    .action((options: AuditOptions) => list(context, options));
  groupCommand(command, 'verify')
    .description('check that no event was changed, removed or added behind the chain')
    .option('--head <file>', 'compare with a head that "aos audit head" printed earlier')
    .addHelpText(
      'after',
      '\nA chain that was cut off at its end, or hashed again as a whole, is found only against a\nhead that was kept elsewhere. Exit code 7 when the chain is broken.\n\nExample:\n  aos audit verify --head ~/safe/head.json',
    )
    .action(({ head }: { head?: string }) => verify(context, head));
  groupCommand(command, 'head')
    .description('sign the end of the chain and print it, to be kept elsewhere')
    .addHelpText('after', '\nExample:\n  aos audit head > ~/safe/head.json')
    .action(() => head(context));
}

async function list(context: Context, options: AuditOptions): Promise<void> {
  const now = composeEngines().clock.now();
  const moment = (text: string | undefined) =>
    text === undefined ? undefined : String(parseMoment(text, now));
  const { actor, kind, subject, follow } = options;
  const filter = { actor, kind, subject };
  checkFilter(options);
  const window = { since: moment(options.since), until: moment(options.until) };
  const limit = limitOf(options.limit ?? '50');
  const show = (client: Client) => newest(client, context, { ...filter, ...window }, limit);
  if (follow !== true) {
    await withHome(context, { holder: 'aos audit' }, show);
    return;
  }
  // Only with a daemon: without one, the command that waits would keep the home to itself, and
  // nothing could happen in it.
  const { client } = await reach(context);
  const after = await show(client);
  for await (const item of client.follow(filter, { after, signal: context.signal })) {
    if (item.kind === 'event') tell(context, item.event);
  }
}

const longestName = 100;

/** What the daemon would refuse too, in the words of this command. */
function checkFilter({ actor, kind, subject }: AuditOptions): void {
  const isKind = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*(?:\.\*)?$/;
  if (kind !== undefined && (!isKind.test(kind) || kind.length > longestName)) {
    throw badFilter('--kind', kind, 'one kind of event, or an area with ".*"', 'agent.*');
  }
  for (const [option, value] of [
    ['--actor', actor],
    ['--subject', subject],
  ] as const) {
    if (value === undefined || (value !== '' && value.length <= longestName)) continue;
    throw badFilter(option, value, `a name of 1 to ${longestName} characters`, 'agent:jean');
  }
}

function badFilter(option: string, value: string, wanted: string, example: string): AosError {
  return new AosError('usage.bad-value', {
    message: `${option} wants ${wanted}, and got ${quote(value.slice(0, longestName))}`,
    fix: `aos audit ${option} '${example}'`,
  });
}

/** Prints the newest ones, oldest first, and returns the number of the last. */
async function newest(
  client: Client,
  context: Context,
  filter: Parameters<Client['events']>[0],
  limit: number,
): Promise<number | undefined> {
  const { signal } = context;
  let last: number | undefined;
  if (limit === Number.POSITIVE_INFINITY) {
    for await (const event of client.events({ ...filter, order: 'oldest-first' }, { signal })) {
      tell(context, event);
      last = event.seq;
    }
    return last;
  }
  const query = { ...filter, limit, order: 'newest-first' } as const;
  const found = await Array.fromAsync(client.events(query, { signal }));
  for (const event of found.toReversed()) tell(context, event);
  return found[0]?.seq;
}

function limitOf(text: string): number {
  if (text === 'all') return Number.POSITIVE_INFINITY;
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new AosError('usage.bad-value', {
    message: `--limit wants a whole number from 1 to 99999, or "all", and got ${quote(text)}`,
    fix: 'aos audit --limit 100',
  });
}

function tell(context: Context, event: WireEvent): void {
  const { seq, at, actor, kind, subject, data } = event;
  const facts = data === null ? '' : `  ${safeJson(data)}`;
  const line = `${String(seq).padStart(6)}  ${at}  ${actor}  ${kind}  ${subject}${facts}`;
  context.stream({ data: event, text: oneLine(line) });
}

async function head(context: Context): Promise<void> {
  const { head: signed } = await withHome(context, { holder: 'aos audit head' }, (client) =>
    client.auditHead({ signal: context.signal }),
  );
  context.print({ data: signed, text: safeJson(signed) });
}

async function verify(context: Context, file: string | undefined): Promise<void> {
  const kept = file === undefined ? undefined : await readHead(file);
  const found = await withHome(context, { holder: 'aos audit verify' }, (client) =>
    client.auditVerify(kept, { signal: context.signal }),
  );
  if (found.kind === 'broken') {
    throw new AosError('audit.broken', {
      message: `The chain of events is broken at event ${found.seq}: ${found.why}`,
      fix: 'Find out who could write to ledger.db; put a backup back with "aos restore FILE --replace"',
      details: found,
    });
  }
  const lines = [
    `The chain is whole: ${counted(found.events, 'event')}, the last one is ${found.head.seq}.`,
    ...(found.erased === 0 ? [] : [`${found.erased} of them have had their data erased.`]),
    keptWords[found.kept_head],
  ];
  context.print({ data: found, text: lines.join('\n') });
}

const keptWords = {
  none: 'Against a head that was kept elsewhere it was not compared: aos audit verify --head FILE',
  fits: 'The head that was kept elsewhere fits.',
  'too-old': 'The head that was kept elsewhere is older than the events that are still here.',
} as const;

const longestHeadBytes = 64 * 1024;

async function readHead(file: string): Promise<WireSignedHead> {
  const bytes = await readWholeFile(composeEngines().disk, file, longestHeadBytes);
  const head = headIn(new TextDecoder().decode(bytes));
  if (head !== undefined) return head;
  throw new AosError('usage.bad-value', {
    message: `${quote(file)} does not hold a head`,
    // Not how to make one: that would write over what may be the only proof.
    fix: 'Give a file that "aos audit head" printed earlier',
  });
}

/** As "aos audit head" prints it, with --json or without. */
function headIn(text: string): WireSignedHead | undefined {
  const printed = objectIn(text);
  const data = printed['data'];
  const { seq, hash, at, reason, signer, signature } =
    typeof data === 'object' && data !== null ? { ...noHead, ...data } : { ...noHead, ...printed };
  if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 0) return undefined;
  if (reason !== 'head' && reason !== 'checkpoint') return undefined;
  if (!isText(hash, 100) || !isText(at, 40)) return undefined;
  if (!isText(signer, 100) || !isText(signature, 200)) return undefined;
  return { seq, hash, at, reason, signer, signature };
}

const noHead: Readonly<Record<keyof WireSignedHead, unknown>> = {
  ...{ seq: undefined, hash: undefined, at: undefined },
  ...{ reason: undefined, signer: undefined, signature: undefined },
};

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
  } catch {
    // What is no JSON holds no head either, which is what is told.
    return {};
  }
}

// What it says is the daemon's to judge; this is for files that hold something else.
function isText(value: unknown, longest: number): value is string {
  return typeof value === 'string' && value.length <= longest;
}
