/** What the commands about memories have in common: whose, where, when, and how they are reached. */
import { type Command, Option } from 'commander';
import { agentOf } from '../../app/config/config.ts';
import { composeEngines } from '../../app/home/compose.ts';
import type { Client } from '../../gateway/client/client.ts';
import { AosError } from '../../kernel/errors.ts';
import { checkMemoryKey, type MemoryScope, memoryScopes } from '../../kernel/memory/memory.ts';
import { parseTtl } from '../../kernel/message/message.ts';
import { oneLine, quote } from '../../kernel/text/quote.ts';
import { parseMoment, timeText } from '../../kernel/text/time-text.ts';
import { actingAs, agentDoor, withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';

export interface MemoryAs {
  readonly as?: string | undefined;
}

export function memoryVerb(group: Command, name: string, description: string): Command {
  return group
    .command(name)
    .description(description)
    .option('--as <agent>', 'as this agent (AOS_AGENT, else owner)');
}

/** Which memories are meant. */
export function whoseOptions(command: Command, usualScope = 'working'): Command {
  return command
    .addOption(new Option('--scope <scope>', `where (${usualScope})`).choices([...memoryScopes]))
    .option('--of <agent>', 'whose: an agent, or owner (your own)');
}

/** What is shared has no owner of its own. */
export function whose({ scope, of }: WhoseOptions): WhoseOptions {
  if (scope !== 'shared' || of === undefined) return { scope, of };
  throw new AosError('usage.bad-value', {
    message: `What is shared is nobody’s own, so it cannot be of ${quote(of.slice(0, 100))}`,
    fix: 'Leave --of out; the first part of the key names the space, as team/plan',
  });
}

export function keyOf(typed: string): string {
  checkMemoryKey(typed);
  return typed;
}

/** A key as the beginning of others: a slash at its end says nothing more. */
export function prefixOf(typed: string | undefined): string | undefined {
  return typed === undefined ? undefined : keyOf(typed.replace(/\/$/, ''));
}

/** As the wire has it, from how long ago or a date. */
export function momentOf(typed: string | undefined): string | undefined {
  if (typed === undefined) return undefined;
  return timeText(parseMoment(typed, composeEngines().clock.now()));
}

/** Like momentOf(), of what is to come: `7d` is in seven days. */
export function laterOf(typed: string | undefined): string | undefined {
  const durationMs = typed === undefined ? undefined : parseTtl(typed);
  if (durationMs === undefined) return momentOf(typed);
  return timeText(composeEngines().clock.now() + durationMs);
}

const holder = 'aos memory';

export function withMemory<T>(
  context: Context,
  { as }: MemoryAs,
  work: (client: Client, options: Acting) => Promise<T>,
): Promise<T> {
  const options = { as: actingAs(context, as), signal: context.signal };
  return withHome(context, { holder }, (client) => work(client, options));
}

/** The name under which the caller's own memories lie, as the daemon knows it. */
export function selfOf(context: Context, { as }: MemoryAs): string | undefined {
  const named = actingAs(context, as);
  return agentDoor(context) === undefined ? (named ?? 'owner') : agentOf(context.environment);
}

export interface Acting extends MemoryAs {
  readonly signal: AbortSignal;
}

export interface WhoseOptions {
  readonly scope?: MemoryScope | undefined;
  readonly of?: string | undefined;
}

/** `long-term of jean` */
export function whoseWords({ scope, of }: WhoseOptions, usualScope = 'working'): string {
  const where = scope ?? usualScope;
  return of === undefined ? where : oneLine(`${where} of ${of}`);
}

/** `2030-01-31` of a time in UTC. */
export function dayOf(time: string): string {
  return oneLine(time.slice(0, 10));
}

/** `2030-01-31T12:00Z` of the same. */
export function minuteOf(time: string): string {
  return oneLine(time.replace(/:\d\d(?:\.\d+)?Z$/, 'Z'));
}
