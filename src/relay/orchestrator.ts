/** Messages to `__orchestrator__`: the relay does what they ask, in the transaction that accepts them. */

import { partsOfPath, pathAction } from '../kernel/capability/action-text.ts';
import type { Action } from '../kernel/capability/capability.ts';
import { AosError } from '../kernel/errors.ts';
import {
  type OrchestratorRequest,
  parseOrchestratorRequest,
} from '../kernel/message/orchestrator-request.ts';
import { setPresence } from '../ledger/agents.ts';
import { findMemory, insertText } from '../ledger/memory/memories.ts';
import { noteMemoryUses } from '../ledger/memory/uses.ts';
import { addPendingOperation } from '../ledger/operations/pending-operations.ts';
import { relayName } from './envelope.ts';
import { type Permitted, permit } from './limits.ts';
import { type Letter, type Posting, principalIdOf } from './posting.ts';
import { tell } from './tell.ts';

const understood = new Set(['spawn', 'release', 'status', 'continuity', 'ack', 'nack']);

export async function askOrchestrator(
  posting: Posting,
  row: number,
  letter: Letter,
): Promise<void> {
  const { kind, body } = letter.message;
  // What they answer has been settled.
  if (kind !== 'ack' && kind !== 'nack') {
    await perform(posting, letter, parseOrchestratorRequest(kind, body));
  }
  await posting.placeEnded(row, letter, { recipient: relayName, state: 'read' });
}

/** Refuses what cannot be asked, before anything is written. Resolves to the grants to be used. */
export async function checkRequest(
  posting: Posting,
  { sender, message }: Letter,
): Promise<Permitted | undefined> {
  const { kind, body } = message;
  if (!understood.has(kind)) {
    throw new AosError('message.malformed', {
      message: `__orchestrator__ takes no message of the kind ${kind}`,
      fix: 'Send it spawn, release, status, continuity, ack or nack',
    });
  }
  if (kind === 'ack' || kind === 'nack') return undefined;
  const actions = actionsOf(posting.core.realHome, parseOrchestratorRequest(kind, body));
  return permit(posting, sender, { actions });
}

/** What a sender asks for by a request; to keep its own state, an agent needs no grant. */
function actionsOf(home: string, request: OrchestratorRequest): readonly Action[] {
  if (request.kind !== 'spawn' && request.kind !== 'release') return [];
  const own: Action = { resource: 'agent', action: request.kind, name: request.name };
  if (request.kind === 'release' || request.workingDir === undefined) return [own];
  const path = partsOfPath(request.workingDir);
  const place = { ...pathAction(home, path, 'read'), subtree: true };
  return [own, place, { ...place, action: 'write' }];
}

async function perform(
  posting: Posting,
  letter: Letter,
  request: OrchestratorRequest,
): Promise<void> {
  switch (request.kind) {
    case 'spawn':
    case 'release': {
      const { kind: type, ...wanted } = request;
      const payload = { ...wanted, by: letter.sender, message_id: letter.id };
      await addPendingOperation(posting.tx, { type, payload, at: posting.now });
      posting.hasRequests = true;
      return;
    }
    case 'status':
      if (request.status !== undefined) {
        await setPresence(posting.tx, letter.sender, request.status);
      }
      return;
    case 'continuity':
      await keepState(posting, letter, request);
  }
}

/** Saved under the agent's own name, and answered with what is there now. */
async function keepState(
  posting: Posting,
  { sender, id, message }: Letter,
  request: Extract<OrchestratorRequest, { kind: 'continuity' }>,
): Promise<void> {
  const key = { owner: principalIdOf(sender), scope: 'working', key: request.key } as const;
  const answer = { to: sender, re: id, thread: message.thread };
  if (request.action === 'save') {
    const memory = { value: request.state, source: `message:${id}`, at: posting.now };
    const { version } = await insertText(posting.tx, key, memory);
    const body = `ACTION: saved\nKEY: ${request.key}\nVERSION: ${version}\n`;
    await tell(posting, { ...answer, kind: 'continuity', body });
    return;
  }
  const present = await findMemory(posting.tx, key, { now: posting.now, at: null });
  // All else that it remembers takes a grant to be read.
  const found = present?.source.startsWith('message:') ? present : undefined;
  const facts =
    found === undefined
      ? `ACTION: missing\nKEY: ${request.key}\n`
      : `ACTION: loaded\nKEY: ${request.key}\nVERSION: ${found.version}\n\n${found.value}`;
  const told = await tell(posting, { ...answer, kind: 'continuity', body: facts });
  if (found === undefined || told === undefined) return;
  await noteMemoryUses(posting.tx, [found.id], `message:${told}`);
}
