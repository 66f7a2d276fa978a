/** Tells once, by a message and an event, that somebody has to look at an operation. */
import { isGrantee } from '../kernel/agent/operation.ts';
import { noteAlert, operationNoteKey } from '../ledger/operations/finish.ts';
import type { OperationRow } from '../ledger/operations/operations.ts';
import { tellLater } from '../runtime/tell.ts';
import type { OperationsDeps } from './deps.ts';

export interface Alert {
  /** Of each operation, each is told once: also after a restart, and however often it is looked at. */
  readonly name: string;
  readonly body: string;
  /** For the event. */
  readonly data: object;
}

/** An outsider has no mailbox here: then the owner of the home is told. False when it was before. */
export async function alertOnce(
  { ledger, clock }: Pick<OperationsDeps, 'ledger' | 'clock'>,
  { id, owner }: Pick<OperationRow, 'id' | 'owner'>,
  { name, body, data }: Alert,
): Promise<boolean> {
  return ledger.transact(async (tx) => {
    if (!(await noteAlert(tx, id, name))) return false;
    const to = isGrantee(owner) ? 'owner' : owner;
    await tellLater(tx, { to, key: operationNoteKey(id, name), body }, clock.now());
    const subject = `operation:${id}`;
    await tx.record({ actor: 'system', kind: 'operation.alert', subject, data });
    return true;
  });
}
