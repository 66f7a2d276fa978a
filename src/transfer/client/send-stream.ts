/**
 * Sending what can be read only once, such as standard input: sealed with a key that no one
 * uses again, as it comes. What was cut off cannot be gone on with.
 */
import { createHash } from 'node:crypto';
import { sealingOf } from '../../blobs/seal/aosb1.ts';
import {
  chunksPerStretch,
  type NextStretch,
  type StretchSlot,
  type StretchWorks,
  stretchesOf,
} from '../../blobs/seal/stretch.ts';
import { AosError } from '../../kernel/errors.ts';
import { checkFileName } from '../../kernel/files/names.ts';
import { quote } from '../../kernel/text/quote.ts';
import type { UploadEnd } from '../calls.ts';
import { WorksHash } from './measure.ts';
import { paceOf, resultError, type SendOptions, type SentFile } from './options.ts';
import { requestFor, sentOf, storedSize, type TransferSendDeps } from './send.ts';
import { localSink, remoteSink, type Sink } from './upload.ts';

export async function sendStream(
  deps: TransferSendDeps,
  stream: AsyncIterable<Uint8Array>,
  filename: string,
  options: SendOptions,
): Promise<SentFile> {
  checkFileName(filename);
  const { signal } = options;
  await using works = deps.openWorks(null);
  const request = requestFor(deps, { kind: 'stream', filename }, { measured: undefined, options });
  const begun = await deps.use((calls) => calls.beginUpload(request, { signal }));
  if (begun.state !== 'open') throw new Error(`a stream was begun as ${begun.state}`);
  const dek = begun.dek === null ? undefined : Buffer.from(begun.dek, 'hex');
  const [slot] = works.slots;
  await slot.run({ kind: 'begin', ...(dek === undefined ? {} : { dek }) });
  const pace = paceOf(deps.clock, options.limitBytesPerSecond);
  const { limitBytesPerSecond } = options;
  const place = { keepBytes: 0, as: deps.as, limitBytesPerSecond, signal };
  await using sink =
    begun.local === null
      ? remoteSink(deps.use, begun, place)
      : await localSink(deps.disk, begun.local, place);
  try {
    const end = await sendStretches({ works, slot, sink, dek, pace }, stream, options);
    const finish = { as: deps.as, ...end };
    const answer = await deps.use((calls) => calls.finishUpload(begun.upload, finish, { signal }));
    return sentOf(answer, 0);
  } catch (failure) {
    const reason = failure instanceof Error ? failure.message : String(failure);
    // It cannot be gone on with, so its room is given back.
    await deps
      .use((calls) =>
        calls.failUpload(begun.upload, { as: deps.as, reason: reason.slice(0, 2000) }),
      )
      .catch(() => {});
    throw failure instanceof AosError ? failure : brokenOff(filename, failure);
  }
}

interface StreamParts {
  readonly works: StretchWorks;
  readonly slot: StretchSlot;
  readonly sink: Sink;
  readonly dek: Uint8Array | undefined;
  readonly pace: ReturnType<typeof paceOf>;
}

/** Hashes, seals and hands on stretch by stretch. Resolves to what finishes the upload. */
async function sendStretches(
  { works, slot, sink, dek, pace }: StreamParts,
  stream: AsyncIterable<Uint8Array>,
  { signal, onProgress }: SendOptions,
): Promise<Omit<UploadEnd, 'as'>> {
  const whole = createHash('sha256');
  const hash = sink.wantsHash ? await WorksHash.begin(works) : undefined;
  let sizeBytes = 0;
  if (dek !== undefined) {
    const { header } = sealingOf(dek);
    await hash?.feed([header]);
    await sink.write(header);
  }
  for await (const { length, index, toEnd } of stretchesOf(stream, slot.plain)) {
    signal?.throwIfAborted();
    whole.update(slot.plain.subarray(0, length));
    const sealed = await sealedOf(slot, { length, index, toEnd });
    await pace.take(sealed, signal);
    const hashed = hash?.add(slot, { side: 'sealed', from: 0, to: sealed });
    await sink.write(slot.sealed.subarray(0, sealed));
    await hashed;
    sizeBytes += length;
    onProgress?.({ phase: 'sending', doneBytes: sizeBytes, totalBytes: null });
  }
  await sink.end();
  return {
    ...{ size_bytes: sizeBytes, sha256: whole.digest('hex'), hash: await hash?.end() },
    stored_bytes: storedSize(sizeBytes, dek !== undefined),
  };
}

async function sealedOf(slot: StretchSlot, { length, index, toEnd }: NextStretch): Promise<number> {
  const place = { first: index * chunksPerStretch, toEnd };
  const result = await slot.run({ kind: 'seal', length, place });
  if (result.kind !== 'done') throw resultError(result);
  return result.length;
}

function brokenOff(filename: string, cause: unknown): AosError {
  return new AosError('transfer.bad-source', {
    message: `What was to be sent as ${quote(filename)} broke off`,
    fix: 'Send it again; nothing was sent',
    cause,
  });
}
