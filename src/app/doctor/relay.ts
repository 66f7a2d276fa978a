/** Do messages get where they are to go? What stands in their way is told, first things first. */
import { join } from 'node:path';
import { checkAgentName } from '../../kernel/agent/agent.ts';
import { AosError } from '../../kernel/errors.ts';
import type { DiskView } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import { findAgentInAnyCase } from '../../ledger/agents.ts';
import type { Sql } from '../../ledger/ledger.ts';
import { deadSince, waitingSize } from '../../ledger/messages/deliveries.ts';
import { openSqlite } from '../../ledger/sqlite/database.ts';
import { isMessageName } from '../../relay/files/outbox.ts';
import { currentLead, leadName } from '../../relay/mail.ts';
import { readHolder } from '../home/home-lock.ts';
import type { DoctorVerdict, Patient } from './finding.ts';

interface Trouble {
  readonly says: string;
  readonly fix: string;
}

export async function checkRelay(patient: Patient): Promise<DoctorVerdict> {
  const troubles = [...(await inLedger(patient)), ...(await inFolders(patient))];
  const [first] = troubles;
  if (first === undefined) return { state: 'ok', says: 'nothing keeps messages from arriving' };
  return { state: 'warning', says: troubles.map(({ says }) => says).join('; '), fix: first.fix };
}

const dayMs = 24 * 3_600_000;

async function inLedger({ settings, disk, clock }: Patient): Promise<Trouble[]> {
  const path = join(settings.home, 'ledger.db');
  const there = await disk.stat(path);
  if (there === undefined || there.sizeBytes === 0) return [];
  using ledger = openSqlite(path, { readOnly: true });
  if (!(await knowsMessages(ledger))) return [];
  const { messages: held } = await waitingSize(ledger, leadName);
  const troubles: Trouble[] = [];
  if (held > 0 && (await currentLead(ledger)) === undefined) {
    const says = `${count(held, 'message waits', 'messages wait')} for a Lead, and nobody is Lead`;
    troubles.push({ says, fix: 'aos lead set NAME' });
  }
  const dead = await deadSince(ledger, clock.now() - dayMs);
  if (dead > 0) {
    const says = `${count(dead, 'message', 'messages')} could not be delivered in the last day`;
    troubles.push({ says, fix: 'aos audit --kind "message.*", then aos why ID tells why' });
  }
  const agents = join(settings.home, 'agents');
  return [...troubles, ...(await strangers(disk, agents, ledger))];
}

/** A ledger of an older release gets its tables with the next start. */
async function knowsMessages(sql: Sql): Promise<boolean> {
  return (await sql.get(`select 1 from sqlite_schema where name = 'deliveries'`)) !== undefined;
}

function count(many: number, one: string, several: string): string {
  return `${many} ${many === 1 ? one : several}`;
}

/** What stands under agents/ and cannot be an agent, so that its messages are not taken. */
async function strangers(disk: DiskView, folder: string, sql: Sql): Promise<Trouble[]> {
  const names: string[] = [];
  for (const name of await namesIn(disk, folder)) {
    if (!name.startsWith('.') && !(await canBeAgent(sql, name))) names.push(name);
  }
  if (names.length === 0) return [];
  const says = `under agents/ stands what cannot be an agent: ${shortList(names)}`;
  return [{ says, fix: 'rename it: a letter, then letters, digits, "_" or "-"' }];
}

async function canBeAgent(sql: Sql, name: string): Promise<boolean> {
  try {
    checkAgentName(name);
  } catch {
    // That it is lawful is all that is asked.
    return false;
  }
  const known = await findAgentInAnyCase(sql, name);
  return known === undefined || known.name === name;
}

const oldMs = 60_000;

/** While a daemon runs, a message does not lie in an outbox for long. */
async function inFolders({ settings, disk, clock, processes }: Patient): Promise<Trouble[]> {
  const { home } = settings;
  if ((await readHolder({ disk, processes }, home))?.what !== 'daemon') return [];
  const names: string[] = [];
  for (const name of await namesIn(disk, join(home, 'agents'))) {
    const outbox = join(home, 'agents', name, 'outbox');
    if (await hasOldFile(disk, outbox, clock.now() - oldMs)) names.push(name);
  }
  if (names.length === 0) return [];
  const says = `messages lie in outboxes for more than a minute and nothing takes them: ${shortList(names)}`;
  return [{ says, fix: `read why in ${quote(join(home, 'logs', 'daemon.log'))}` }];
}

async function hasOldFile(disk: DiskView, outbox: string, before: number): Promise<boolean> {
  for (const name of await namesIn(disk, outbox)) {
    if (!isMessageName(name)) continue;
    const entry = await disk.stat(join(outbox, name));
    if (entry !== undefined && entry.modifiedAt < before) return true;
  }
  return false;
}

/** A symlink could lead anywhere, and what is no folder has no names in it. */
async function namesIn(disk: DiskView, folder: string): Promise<readonly string[]> {
  try {
    return (await disk.stat(folder))?.kind === 'folder' ? await disk.list(folder) : [];
  } catch (failure) {
    if (failure instanceof AosError && failure.code === 'disk.not-a-folder') return [];
    throw failure;
  }
}

const shown = 5;

function shortList(names: readonly string[]): string {
  const first = names.slice(0, shown).map((name) => quote(name.slice(0, 80)));
  const more = names.length > shown ? ` and ${names.length - shown} more` : '';
  return first.join(', ') + more;
}
