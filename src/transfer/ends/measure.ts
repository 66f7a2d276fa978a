/** The first time that a source is read: what is in it. */
import type { Content } from '../../blobs/seal/keys.ts';
import type { StretchSlot, StretchWorks } from '../../blobs/seal/stretch.ts';
import { AosError } from '../../kernel/errors.ts';
import type { Random } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import { stretchBytes } from '../../kernel/transfer/transfer.ts';
import type { Progress } from './ends.ts';
import { Fingerprints } from './fingerprints.ts';
import { inOrder } from './in-order.ts';
import type { Source } from './source.ts';
import { WorksHash } from './works-hash.ts';

export interface Measured {
  readonly content: Content;
  /** Of each stretch, to know it again. */
  readonly fingerprints: Fingerprints;
}

export interface MeasureOptions {
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export async function measure(
  random: Random,
  works: StretchWorks,
  source: Source,
  { onProgress, signal }: MeasureOptions = {},
): Promise<Measured> {
  const { sizeBytes } = source;
  const fingerprints = new Fingerprints(random);
  const hash = await WorksHash.begin(works);
  await inOrder(works.slots, stretchCount(sizeBytes), {
    signal,
    begin: async (slot, index) => {
      const length = await fill(source, slot, index);
      const result = hash.add(slot, { side: 'plain', from: 0, to: length });
      fingerprints.note(index, slot.plain.subarray(0, length));
      return { result };
    },
    end: async (_result, _slot, index) => {
      const doneBytes = Math.min((index + 1) * stretchBytes, sizeBytes);
      onProgress?.({ phase: 'reading', doneBytes, totalBytes: sizeBytes });
    },
  });
  return { content: { sha256: await hash.end(), sizeBytes }, fingerprints };
}

export function stretchCount(sizeBytes: number): number {
  return Math.max(1, Math.ceil(sizeBytes / stretchBytes));
}

/** The plain bytes of one stretch; refused when there are fewer than there were. */
export async function fill(source: Source, { plain }: StretchSlot, index: number): Promise<number> {
  const offset = index * stretchBytes;
  const wanted = Math.min(stretchBytes, source.sizeBytes - offset);
  const length = await source.read(offset, plain.subarray(0, wanted));
  if (length < wanted) throw changed(source);
  return length;
}

export function changed({ filename }: Pick<Source, 'filename'>): AosError {
  return new AosError('transfer.changed', {
    message: `${quote(filename)} was changed while it was read`,
    fix: 'Send it again when nobody writes to it; nothing was sent',
  });
}
