/** What of memories is the owner's alone: erasing for good, taking out, bringing in. */
import { Readable } from 'node:stream';
import type { MemoryKey } from '../../kernel/memory/memory.ts';
import { type PlaceSaid, placeOf } from '../../kernel/memory/place.ts';
import type { NewEvent } from '../../ledger/ledger.ts';
import type { Answer } from '../contract/contract.ts';
import { actingPrincipal } from '../server/parties.ts';
import type { Call, Handles, RouteDeps } from './handlers.ts';
import { readLines } from './views/memory-lines.ts';
import { wouldPurge } from './views/would-purge.ts';

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
