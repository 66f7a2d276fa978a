/** access_log.json of every operation that somebody has had something of since it was written. */

import { readAccesses } from '../ledger/events.ts';
import { operationsWithArtifacts } from '../ledger/operations/artifacts.ts';
import { loggedSeq } from '../ledger/operations/finish.ts';
import type { OperationsDeps } from './deps.ts';
import { writeAccessLog } from './folder.ts';
import { operationFolder } from './gone.ts';

const batchRows = 200;

export async function writeAccessLogs(deps: OperationsDeps): Promise<void> {
  const sql = deps.ledger.committed;
  for (let after = ''; ; ) {
    const ids = await operationsWithArtifacts(sql, { after, limit: batchRows });
    for (const id of ids) await writeIfNew(deps, id);
    const last = ids.at(-1);
    if (last === undefined || ids.length < batchRows) return;
    after = last;
  }
}

/** False where nothing was to be written. */
export async function writeIfNew(deps: OperationsDeps, id: string): Promise<boolean> {
  const sql = deps.ledger.committed;
  const page = { after: await loggedSeq(sql, id), limit: 1 };
  if ((await readAccesses(sql, id, page)).length === 0) return false;
  const folder = await deps.disk.stat(operationFolder(deps.home, id)).catch(() => undefined);
  if (folder?.kind !== 'folder') return false;
  await writeAccessLog(deps, id);
  return true;
}
