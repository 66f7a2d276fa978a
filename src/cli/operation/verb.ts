/** What the commands about operations have in common: as whom they act, and with which key. */
import type { Command } from 'commander';
import type { SigningKey } from '../../app/library/operation-client.ts';
import type { Client } from '../../gateway/client/client.ts';
import type { Answer } from '../../gateway/contract/contract.ts';
import { AosError } from '../../kernel/errors.ts';
import { oneLine, printable, quote } from '../../kernel/text/quote.ts';
import { sizeText } from '../../kernel/transfer/transfer.ts';
import { actingAs, agentDoor, reach, withHome } from '../core/connect.ts';
import type { Context } from '../core/context.ts';
import { idOf, operationIds, withAgent } from '../core/names.ts';
import { counted, indented, table, trimLines } from '../core/words.ts';

export interface OpOptions {
  readonly as?: string;
  readonly key?: string;
  readonly url?: string;
}

/** The principal that a command acts as. */
export interface OperationActor {
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
  work: (actor: OperationActor) => Promise<T>,
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

async function withKeyFile(
  context: Context,
  options: OpOptions,
  path: string,
): Promise<OperationActor> {
  if (options.as !== undefined) throw twoKeys();
  const { engines } = await reach(context);
  const { keyInFile } = await loadOperationClient();
  return signer(context, options, await keyInFile(engines.disk, path));
}

async function asAgent(
  context: Context,
  options: OpOptions,
  name: string,
): Promise<OperationActor> {
  const { signal } = context;
  const { engines, settings, client } = await reach(context);
  const agent = await withAgent(client, { name, signal }, () => client.agent(name, { signal }));
  const { keyOfAgent } = await loadOperationClient();
  return signer(context, options, await keyOfAgent(engines, settings.home, agent));
}

async function signer(
  context: Context,
  { url }: OpOptions,
  key: SigningKey,
): Promise<OperationActor> {
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

/** As it was typed; an actor that is not the owner has to name it whole. */
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

export type Operation = Answer<'operation'>;
type Artifacts = Answer<'artifacts'>;
export type ListedArtifact = Artifacts['artifacts'][number];

export function operationsText(
  items: readonly Operation[],
  shortOf: (id: string) => string,
): string {
  const rows = items.map(({ id, status, started_at, artifacts, result }) => [
    shortOf(id),
    status,
    started_at ?? '-',
    artifactsWords(artifacts),
    beginningOf(result?.summary ?? ''),
  ]);
  return trimLines(table(rows));
}

function artifactsWords({ count, total_size }: Pick<Artifacts, 'count' | 'total_size'>): string {
  return count === 0 ? 'no artifacts' : `${counted(count, 'artifact')} (${sizeText(total_size)})`;
}

const mostShown = 60;

function beginningOf(summary: string): string {
  const line = oneLine(summary.trim());
  return line.length > mostShown ? `${line.slice(0, mostShown)}…` : line;
}

export function operationText(operation: Operation): string {
  const { id, status, started_at, finished_at, result, artifacts } = operation;
  const rows: [string, string | undefined][] = [
    ['operation', id],
    ['status', status],
    ['started', started_at],
    ['finished', finished_at],
    ['took', result === undefined ? undefined : `${result.execution_time} s`],
    ['artifacts', artifactsWords(artifacts)],
  ];
  const facts = table(
    rows.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const listed = artifacts.count === 0 ? '' : `\n${indented(artifactsText(artifacts))}`;
  const summary = result === undefined ? '' : `\n\n${printable(result.summary.trimEnd())}`;
  return `${facts}${listed}${summary}`;
}

export function artifactsText({ artifacts }: Artifacts): string {
  const rows = artifacts.map((artifact) => [
    oneLine(artifact.name),
    sizeText(artifact.size),
    oneLine(artifact.content_type),
    `expires ${artifact.expires_at}`,
    sealWords(artifact),
  ]);
  return trimLines(table(rows));
}

/** Who can open it. */
function sealWords({ e2e, encryption_key_encrypted }: ListedArtifact): string {
  if (e2e) return 'no key of the home opens it';
  return encryption_key_encrypted === null ? 'sealed for somebody else' : '';
}
