/** What tests of agents on the real daemon need: scripts, looks at the ledger, and patience. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import type { Client } from '../../src/gateway/client/client.ts';
import type { WireGoal } from '../../src/gateway/contract/contract.ts';
import type { ScriptText } from '../../src/models/scripted/script.ts';
import type { TemporaryFolder } from './temporary-folder.ts';
import { until } from './until.ts';

/** A model that follows these turns. */
export function writeScript(
  folder: TemporaryFolder,
  name: string,
  script: Omit<ScriptText, 'scripted_model'>,
): string {
  const path = folder.at(`${name}.json`);
  writeFileSync(path, JSON.stringify({ scripted_model: 1, name, ...script }));
  return `scripted:${path}`;
}

/** Who shows `running` and is under no lease, at this moment, whoever owns the home. */
export function liarsIn(home: string): string[] {
  using database = new DatabaseSync(join(home, 'ledger.db'), { readOnly: true });
  const rows = database
    .prepare(
      `select name from agents where state = 'running' and not exists
         (select 1 from leases where subject = 'agent:' || agents.name and owner <> '')`,
    )
    .all();
  return rows.map(({ name }) => String(name));
}

/** The processes whose command line has these words in it. */
export function processesWith(words: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && commandLine(name).includes(words))
    .map(Number);
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ');
  } catch {
    // It ended while we looked.
    return '';
  }
}

/** The program itself, where the number is that of the shell around it. */
export function programOf(pid: number | null | undefined): number {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return Number(text.split(' ')[0]) || Number(pid);
}

/** The goal, once it is over. */
export async function overGoal(
  client: Client,
  operation: string,
  withinMs?: number,
): Promise<WireGoal> {
  return until(async () => {
    const goal = await client.goal(operation);
    expect(goal.ended_at).not.toBeNull();
    return goal;
  }, withinMs);
}

/** Spawns it with one goal and waits for the end of that. */
export async function runOnce(
  client: Client,
  name: string,
  body: Parameters<Client['spawn']>[1],
): Promise<WireGoal> {
  const { operation } = await client.spawn(name, { goal: 'go', ...body });
  return overGoal(client, operation ?? '');
}

/** What the model was told of its calls, in order. */
export async function resultsOf(client: Client, operation: string): Promise<string[]> {
  const { items } = await client.steps(operation, { limit: 1000 });
  return items.flatMap(({ step }) => {
    if (step['kind'] !== 'results') return [];
    return (step['results'] as readonly { text: string }[]).map(({ text }) => text);
  });
}

export async function agentNames(client: Client): Promise<string[]> {
  return (await Array.fromAsync(client.agents())).map(({ name }) => name);
}
