/** What of memories is the owner's alone: erasing for good, taking out, bringing in. */
import { Readable } from 'node:stream';
import { AosError } from '../../kernel/errors.ts';
import type { MemoryKey } from '../../kernel/memory/memory.ts';
import { type PlaceSaid, placeOf } from '../../kernel/memory/place.ts';
import type { Ledger, NewEvent } from '../../ledger/ledger.ts';
import { memoryIds } from '../../ledger/memory/memories.ts';
import { usersOfMemories } from '../../ledger/memory/uses.ts';
import { storersOf } from '../../memory/purge.ts';
import { type Answer, routes } from '../contract/contract.ts';
import { actingPrincipal } from '../server/authenticate.ts';
import { tooLarge } from '../server/problem.ts';
import type { Call, Handles, RouteDeps } from './handlers.ts';

export function memoryKeepingRoutes(
  deps: RouteDeps,
): Handles<'purgeMemory' | 'exportMemory' | 'importMemory' | 'memoryState'> {
  return {
    purgeMemory: (call) => purge(deps, call),
    exportMemory: (call) => exportLines(deps, call),
    importMemory: (call) => importLines(deps, call),
    memoryState: () => deps.memory.state(),
  };
}

const note =
  'Backups that were made before still hold it, and so do mail and files that it was written into, and copies that were stored under another key';

async function purge(
  deps: RouteDeps,
  { caller, body }: Call<'purgeMemory'>,
): Promise<Answer<'purgeMemory'>> {
  const { scope, of, key = '', below } = body;
  const place = await placeIn(deps, caller, { scope, of, key });
  if (body.dry_run === true) {
    return { ...(await wouldPurge(deps.ledger, place, { below })), later: [], note };
  }
  const { versions, later } = await deps.memory.purge(place, { below, actor: caller.id });
  return { versions, later: [...later], note };
}

async function exportLines(
  deps: RouteDeps,
  { caller, query, reply }: Call<'exportMemory'>,
): Promise<Call<'exportMemory'>['reply']> {
  const { scope, of } = query;
  const { owner } = await placeIn(deps, caller, { scope: scope ?? 'working', of, key: '' });
  const data = { scope: scope ?? 'all' };
  await record(deps, { actor: caller.id, kind: 'memory.exported', subject: owner, data });
  const lines = deps.memory.exportLines({ owner, scope });
  return reply.send(Readable.from(lines, { objectMode: false }));
}

async function importLines(
  deps: RouteDeps,
  { caller, query, request }: Call<'importMemory'>,
): Promise<Answer<'importMemory'>> {
  const owner = await actingPrincipal(deps.ledger, caller, query.of);
  const { imported, known } = await deps.memory.importLines(owner, await readLines(request.raw));
  const data = { imported, known };
  await record(deps, { actor: caller.id, kind: 'memory.imported', subject: owner, data });
  return data;
}

/** Of an agent that there is. */
async function placeIn(
  { ledger }: RouteDeps,
  caller: Call<'purgeMemory'>['caller'],
  said: PlaceSaid,
): Promise<MemoryKey> {
  if (said.of !== undefined) await actingPrincipal(ledger, caller, said.of);
  return placeOf(caller.id, said);
}

function record({ ledger }: RouteDeps, event: NewEvent): Promise<void> {
  return ledger.transact((tx) => tx.record(event));
}

// Lines of memories on their way in. All are in memory at once, because all or none count.

const mostBytes = routes.importMemory.bodyBytes;

async function readLines(source: AsyncIterable<Uint8Array>): Promise<readonly string[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const lines: string[] = [];
  let rest = '';
  let sizeBytes = 0;
  // As they come: all at once would hold up other requests.
  const take = (text: string): void => {
    const [first = '', ...more] = text.split('\n');
    rest += first;
    for (const line of more) {
      lines.push(rest);
      rest = line;
    }
  };
  for await (const bytes of source) {
    sizeBytes += bytes.length;
    if (sizeBytes > mostBytes) throw tooLarge();
    take(decoded(() => decoder.decode(bytes, { stream: true })));
  }
  take(decoded(() => decoder.decode()));
  return [...lines, rest];
}

function decoded(decode: () => string): string {
  try {
    return decode();
  } catch (cause) {
    throw new AosError('memory.bad-import', {
      message: 'What is to be imported is no text in UTF-8; nothing was imported',
      fix: 'Give lines as "aos memory export" writes them',
      cause,
    });
  }
}

interface WouldPurge {
  readonly versions: number;
  /** Whose journals would go with them. */
  readonly operations: number;
  readonly calls: number;
}

const mostCounted = 1_000_000;

/** What a purge would erase, as things stand now. */
async function wouldPurge(
  ledger: Ledger,
  place: MemoryKey,
  { below }: { readonly below: boolean },
): Promise<WouldPurge> {
  const sql = ledger.committed;
  const ids = await memoryIds(sql, place, { below, limit: mostCounted });
  const storers = await storersOf(ledger, place, { below });
  const users = [...new Set([...(await usersOfMemories(sql, ids)), ...storers])];
  const countOf = (kind: string) => users.filter((user) => user.startsWith(`${kind}:`)).length;
  return { versions: ids.length, operations: countOf('operation'), calls: countOf('tool-call') };
}
