/** What the commands about operations have in common: as whom they act, and with which key. */
import type { Command } from 'commander';
import type { SigningKey } from '../../app/library/operation-client.ts';
import type { Client } from '../../gateway/client/client.ts';
import { AosError } from '../../kernel/errors.ts';
import { quote } from '../../kernel/text/quote.ts';
import { withAgent } from '../core/agent-word.ts';
import { actingAs, agentDoor, reach, withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { idOf, operationIds } from '../core/id-word.ts';

export interface OpOptions {
  readonly as?: string;
  readonly key?: string;
  readonly url?: string;
}

/** Whoever acts. */
export interface Actor {
  readonly client: Client;
  /** Of the home: may cut ids short, and look at what is not theirs. */
  readonly isOwner: boolean;
  /** To open with what was sealed for them. */
  key(): Promise<SigningKey>;
}

export function opVerb(group: Command, name: string, description: string): Command {
  return group
    .command(name)
    .description(description)
    .option('--as <agent>', 'sign with the key of this agent (AOS_AGENT, else the owner)')
    .option('--key <file>', 'sign with the key in this file, of mode 600: 0x… or a key file')
    .option('--url <url>', 'where to send what is signed (http://127.0.0.1 and the port)');
}

/** Does the work as the owner, as whose handle it is, or signed. */
export async function withOperations<T>(
  context: Context,
  options: OpOptions,
  work: (actor: Actor) => Promise<T>,
): Promise<T> {
  if (options.key !== undefined) return work(await withKeyFile(context, options, options.key));
  const as = actingAs(context, options.as);
  if (as !== undefined && as !== 'owner') return work(await asAgent(context, options, as));
  if (options.url !== undefined) throw nobodySigns(options.url);
  const isOwner = agentDoor(context) === undefined;
  const key = () => (isOwner ? ownKey(context) : Promise.reject(keptKey()));
  return withHome(context, { holder: 'aos op' }, (client) => work({ client, isOwner, key }));
}

/** Loaded when it is needed: no other command pays for it. */
export async function loadOperationClient() {
  return (await import('../../app/library/operation-client.ts')).operationClient;
}

async function withKeyFile(context: Context, options: OpOptions, path: string): Promise<Actor> {
  if (options.as !== undefined) throw twoKeys();
  const { engines } = await reach(context);
  const { keyInFile } = await loadOperationClient();
  return signer(context, options, await keyInFile(engines.disk, path));
}

async function asAgent(context: Context, options: OpOptions, name: string): Promise<Actor> {
  const { signal } = context;
  const { engines, settings, client } = await reach(context);
  const agent = await withAgent(client, { name, signal }, () => client.agent(name, { signal }));
  const { keyOfAgent } = await loadOperationClient();
  return signer(context, options, await keyOfAgent(engines, settings.home, agent));
}

async function signer(context: Context, { url }: OpOptions, key: SigningKey): Promise<Actor> {
  const { engines, settings } = await reach(context);
  const { originOf, signedClient } = await loadOperationClient();
  if (url === undefined && settings.port === 0) throw noPort();
  const origin = originOf(url ?? `http://127.0.0.1:${settings.port}`);
  const client = signedClient(engines, key, origin);
  return { client, isOwner: false, key: async () => key };
}

async function ownKey(context: Context): Promise<SigningKey> {
  const { engines, settings } = await reach(context);
  return (await loadOperationClient()).keyOfOwner(engines.disk, settings.home);
}

/** As it was typed; whoever is not the owner has to name it whole. */
export function operationIdOf(typed: string): string {
  return idOf(operationIds, typed);
}

function nobodySigns(url: string): AosError {
  return new AosError('usage.bad-value', {
    message: `--url ${quote(url.slice(0, 100))} is for what is signed, and no key was named`,
    fix: 'Add --key FILE or --as AGENT',
  });
}

function twoKeys(): AosError {
  return new AosError('usage.bad-value', {
    message: '--as and --key name two keys, and one signs',
    fix: 'Leave one of them out',
  });
}

function noPort(): AosError {
  return new AosError('usage.missing-argument', {
    message: 'The setting "port" is 0, so the daemon listens on a port that is not known here',
    fix: 'Say where with --url http://127.0.0.1:PORT, as "aos up" printed it',
  });
}

function keptKey(): AosError {
  return new AosError('identity.missing-key', {
    message: 'The key of an agent is kept by the daemon, and a program of the agent has it not',
    fix: 'Let the owner download it: aos op download ID NAME --as AGENT',
  });
}
