/** Uploads that nobody will go on with give back their room, and their bytes. */
import type { Instant } from '../kernel/ports.ts';
import {
  deleteUpload,
  type UploadRow,
  uploadsOf,
  uploadsPerhapsLeft,
} from '../ledger/transfers/bodies.ts';
import { wishIn, writerIn } from './upload.ts';
import type { ServingDeps } from './upload-traffic.ts';

const batchRows = 200;
const uploadDays = 7;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Nobody has touched them for so long that nobody will; a stream nobody can. */
export async function endLeftUploads(deps: ServingDeps): Promise<void> {
  const { ledger, clock } = deps;
  const now = clock.now();
  const before = now - uploadDays * dayMs;
  for (const upload of await uploadsPerhapsLeft(ledger.committed, before, batchRows)) {
    if (isOld(upload, now) || isBrokenStream(deps, upload, now)) await end(deps, upload);
  }
}

function isOld({ touched_at }: UploadRow, now: Instant): boolean {
  return touched_at < now - uploadDays * dayMs;
}

/** What was piped in and cut off cannot be gone on with. */
function isBrokenStream(deps: ServingDeps, upload: UploadRow, now: Instant): boolean {
  if (upload.content !== null) return false;
  const isAlive = isWriterAlive(deps, upload);
  return isAlive === undefined ? upload.touched_at < now - hourMs : !isAlive;
}

/** Undefined where nobody can see that. */
export function isWriterAlive(
  { processes }: Pick<ServingDeps, 'processes'>,
  { writer, boot }: Pick<UploadRow, 'writer' | 'boot'>,
): boolean | undefined {
  if (writer === null) return undefined;
  // Whatever was alive has ended with the machine.
  if (boot === null || boot !== processes.bootId()) return false;
  const { pid, started } = writerIn(writer);
  return processes.startTimeOf(pid) === started;
}

export interface Superseding {
  readonly sender: string;
  readonly filename: string;
  readonly content: string;
}

/** The same name with other bytes: what it was before, cut off, is not wanted any more. */
export async function endSuperseded(
  deps: ServingDeps,
  { sender, filename, content }: Superseding,
): Promise<void> {
  for (const upload of await uploadsOf(deps.ledger.committed, sender, batchRows)) {
    if (upload.content === null || upload.content === content) continue;
    if (wishIn(upload).filename !== filename || isWriterAlive(deps, upload) !== false) continue;
    await end(deps, upload);
  }
}

async function end(deps: ServingDeps, upload: UploadRow): Promise<void> {
  const { ledger, uploads, traffic } = deps;
  const { id, touched_at } = upload;
  if (traffic.isBusy(id)) return;
  // Who is dead writes no more, however lately it did.
  const isDead = isWriterAlive(deps, upload) === false;
  if (!isDead && !(await traffic.isIdle({ id, touched_at: 0 }))) return;
  const isEnded = await ledger.transact((tx) => deleteUpload(tx, id, touched_at));
  if (isEnded) await uploads.discard(id);
}
