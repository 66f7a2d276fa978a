/** Transfers over a real ledger and a real disk, with agents whose ends are in the test. */

import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { homeBlobs } from '../../src/app/upkeep/blobs.ts';
import {
  headerBytes,
  openChunks,
  openingOf,
  sealChunks,
  sealedSize,
  sealingOf,
} from '../../src/blobs/seal/aosb1.ts';
import { realEventLoop, realRandom } from '../../src/engines/clock.ts';
import { realDisk } from '../../src/engines/disk/disk.ts';
import type { Note } from '../../src/kernel/message/message.ts';
import type { Clock } from '../../src/kernel/ports.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { Grants } from '../../src/security/grants/grants.ts';
import { principalKeys } from '../../src/security/identity/principal-keys.ts';
import { ensureOwner } from '../../src/security/owner.ts';
import { registerAgent } from '../../src/security/register.ts';
import type { BeginRequest } from '../../src/transfer/begin.ts';
import type { BegunUpload, TransferView } from '../../src/transfer/calls.ts';
import type { TransferDeps, TransferLimits } from '../../src/transfer/deps.ts';
import { openTransfers, type Transfers } from '../../src/transfer/transfers.ts';
import { SimulatedClock } from '../sim/clock.ts';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';
import { openTestLedger } from './temporary-ledger.ts';

export interface TransferChoices {
  readonly agents?: readonly string[];
  readonly clock?: Clock;
  readonly limits?: Partial<TransferLimits>;
  readonly deps?: Partial<TransferDeps>;
}

/** What is sent, but for its bytes. */
export type WishDraft = Partial<BeginRequest> & { readonly to: readonly string[] };

export interface TemporaryTransfers extends AsyncDisposable {
  readonly folder: TemporaryFolder;
  readonly ledger: Ledger;
  readonly grants: Grants;
  readonly clock: Clock;
  readonly deps: TransferDeps;
  readonly transfers: Transfers;
  /** Everybody who was told something; by a key that was told before, nobody. */
  readonly told: readonly Note[];
  /** As after a crash: nothing of what was in memory is left. */
  restart(deps?: Partial<TransferDeps>): void;
  begin(sender: string, text: string, draft: WishDraft): Promise<BegunUpload>;
  send(sender: string, text: string, draft: WishDraft): Promise<readonly TransferView[]>;
  /** Opens it, and what is in it. */
  read(recipient: string, id: string): Promise<string>;
  rows<Row>(sql: string): Promise<Row[]>;
}

export const day = 86_400_000;
const boot = { startTimeOf: () => undefined, bootId: () => 'boot' };

export async function temporaryTransfers(
  choices: TransferChoices = {},
): Promise<TemporaryTransfers> {
  const { agents = ['samantha', 'jared', 'jean'] } = choices;
  const folder = temporaryFolder();
  for (const name of ['keys', 'agents', 'blobs', 'transfers', 'tmp']) {
    mkdirSync(folder.at(name), { mode: 0o700 });
  }
  const clock = choices.clock ?? new SimulatedClock();
  const ledger = await openTestLedger(folder.at('ledger.db'), { clock });
  const engines = { clock, disk: realDisk, random: realRandom, eventLoop: realEventLoop };
  const grants = new Grants({ ...engines, ledger });
  await ensureOwner({ ...engines, ledger }, folder.path);
  for (const name of agents) {
    await registerAgent({ ...engines, ledger, grants }, folder.path, { name, actor: 'owner' });
  }
  const told: Note[] = [];
  const ignore = () => {};
  const base: TransferDeps = {
    ...engines,
    ...homeBlobs(engines, folder.path),
    ...{ ledger, grants, home: folder.path, processes: boot },
    keys: principalKeys({ ...engines, ledger }, folder.path),
    limits: { quotaBytes: 1024 ** 3, ttlMs: 7 * day, ...choices.limits },
    log: { info: ignore, warn: ignore, error: ignore },
    counts: { sent: ignore, ended: ignore },
    notify: async (note) => {
      if (told.every(({ key }) => key !== note.key)) told.push(note);
    },
    ...choices.deps,
  };
  let deps = base;
  let transfers = openTransfers(deps);
  const begin: TemporaryTransfers['begin'] = (sender, text, draft) =>
    transfers.begin({ principal: sender, isLocal: false }, wishOf(text, draft));
  return {
    ...{ folder, ledger, grants, clock, told, begin },
    get transfers() {
      return transfers;
    },
    get deps() {
      return deps;
    },
    restart: (changed = {}) => {
      deps = { ...base, ...homeBlobs(engines, folder.path), ...changed };
      transfers = openTransfers(deps);
    },
    send: async (sender, text, draft) => {
      const begun = await begin(sender, text, draft);
      if (begun.state === 'busy') throw new Error('somebody is sending the same');
      if (begun.state === 'stored') return begun.transfers;
      const bytes = storedOf(text, begun.dek);
      const rest = bytes.subarray(begun.stored_bytes);
      const id = begun.upload;
      await transfers.addBytes(sender, { id, from: begun.stored_bytes, source: once(rest) });
      const end = { id, storedBytes: bytes.length, sizeBytes: text.length, sha256: sha256(text) };
      return (await transfers.finish({ principal: sender, isLocal: false }, end)).transfers;
    },
    read: async (recipient, id) => {
      const { dek } = await transfers.open({ principal: recipient, isLocal: false }, id);
      const { stream } = await transfers.bytes(recipient, { id });
      return plainOf(Buffer.concat(await Array.fromAsync(stream)), dek);
    },
    rows: <Row>(sql: string) => ledger.committed.all<Row>(sql),
    async [Symbol.asyncDispose]() {
      await ledger[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** ASCII texts, whose length is that of their bytes. */
export function wishOf(text: string, draft: WishDraft): BeginRequest {
  return {
    ...{ filename: 'report.md', kind: 'file', sealed: true, sizeBytes: text.length },
    ...{ sha256: sha256(text), entries: null, mimeType: null, metadata: {}, expiresMs: null },
    ...draft,
  };
}

export function sha256(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex');
}

export async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  if (bytes.length > 0) yield bytes;
}

/** As the sender's end stores it. */
export function storedOf(text: string, dek: string | null, salt?: Uint8Array): Uint8Array {
  const plain = Buffer.from(text);
  if (dek === null) return plain;
  const sealing = sealingOf(Buffer.from(dek, 'hex'), salt);
  const out = new Uint8Array(sealedSize(plain.length));
  out.set(sealing.header);
  sealChunks(sealing, plain, { first: 0, toEnd: true }, out.subarray(headerBytes));
  return out;
}

export function plainOf(stored: Uint8Array, dek: string | null): string {
  if (dek === null) return Buffer.from(stored).toString();
  const opening = openingOf(Buffer.from(dek, 'hex'), stored);
  const out = new Uint8Array(stored.length);
  const place = { first: 0, toEnd: true };
  const length = openChunks(opening, stored.subarray(headerBytes), place, out);
  return Buffer.from(out.subarray(0, length)).toString();
}
