/** A vendor's model, asked through our limiter, with our retries and in our words. */
import type { Asking, LanguageModel, ModelAnswer, ModelRequest } from '../kernel/agent/model.ts';
import type { Clock, Random } from '../kernel/ports.ts';
import { type Failure, failureOf } from './failure.ts';
import { type AskedModel, badKey, modelError, noKey } from './model-errors.ts';
import { AnswerReader } from './read-answer.ts';
import { type Limiter, type RetryOutcome, withRetries } from './retry.ts';
import { toVendor } from './to-vendor.ts';
import { openVendor, type VendorAddress, type VendorModel, type VendorPart } from './vendors.ts';

export interface VendorDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly fetch: typeof fetch;
  readonly log?: { warn(facts: object, words: string): void } | undefined;
  keyOf(provider: string): Promise<string | undefined>;
  /** The limiter that all calls with this key go through. */
  limiterOf(keyOwner: string, key: string): Limiter;
}

export interface VendorEntry extends AskedModel, VendorAddress {
  readonly contextTokens: number;
  readonly needsKey: boolean;
}

export function vendorModel(deps: VendorDeps, entry: VendorEntry): LanguageModel {
  return {
    id: entry.id,
    contextTokens: entry.contextTokens,
    isScripted: false,
    answer: (request, asking) => answer(deps, entry, { request, asking }),
  };
}

/** The key as it is now: one that was changed counts from the next call on. */
export async function keyFor(deps: VendorDeps, entry: VendorEntry): Promise<string | undefined> {
  const key = (await deps.keyOf(entry.keyOwner))?.trim();
  if (key === undefined || key === '') {
    if (entry.needsKey) throw noKey(entry);
    return undefined;
  }
  // The HTTP client would refuse it too, and repeat the key in its complaint.
  if (!/^[\x21-\x7e]+$/.test(key)) throw badKey(entry, 'it has characters that no key has');
  return key;
}

interface ModelQuestion {
  readonly request: ModelRequest;
  readonly asking: Asking;
}

async function answer(
  deps: VendorDeps,
  entry: VendorEntry,
  { request, asking }: ModelQuestion,
): Promise<ModelAnswer> {
  const { signal } = asking;
  const key = await keyFor(deps, entry);
  const vendor = await openVendor(entry, { key, fetch: deps.fetch });
  const limiter = deps.limiterOf(entry.keyOwner, key ?? '');
  const outcome = await withRetries(
    { ...deps, limiter, onRetry: (failure, tries) => note(deps, entry, failure, tries) },
    signal,
    () => attempt(deps, entry, { vendor, request, asking }),
  );
  if (outcome.kind === 'answered') return outcome.value;
  throw modelError(entry, withoutSecret(outcome.failure, key));
}

interface Attempt extends ModelQuestion {
  readonly vendor: VendorModel;
}

async function attempt(
  { clock }: VendorDeps,
  { wire }: VendorEntry,
  { vendor, request, asking }: Attempt,
): Promise<RetryOutcome<ModelAnswer>> {
  const { signal, onDelta } = asking;
  const reader = new AnswerReader(onDelta);
  // Its own controller: whatever happens, the connection does not outlive the attempt.
  const connection = new AbortController();
  const hangUp = (): void => connection.abort(signal.reason);
  signal.addEventListener('abort', hangUp, { once: true });
  try {
    signal.throwIfAborted();
    const asked = { ...toVendor(request, wire), abortSignal: connection.signal };
    const { stream } = await vendor.doStream(asked);
    await readAll(stream, reader);
    return { kind: 'answered', value: reader.answer(request) };
  } catch (thrown) {
    signal.throwIfAborted();
    return { kind: 'failed', failure: begun(failureOf(thrown, clock.now()), reader) };
  } finally {
    signal.removeEventListener('abort', hangUp);
    connection.abort();
  }
}

async function readAll(stream: ReadableStream<VendorPart>, reader: AnswerReader): Promise<void> {
  for await (const part of stream) reader.take(part);
}

// What came may have cost something, so that it is not for us to ask again.
function begun(failure: Failure, { hasContent }: AnswerReader): Failure {
  return hasContent ? { kind: 'cut-off', sentence: failure.sentence } : failure;
}

function note({ log }: VendorDeps, { id }: VendorEntry, failure: Failure, tries: number): void {
  const { kind, retryAfterMs } = failure;
  log?.warn({ model: id, failure: kind, tries, retryAfterMs }, 'a model is asked again');
}

function withoutSecret(failure: Failure, key: string | undefined): Failure {
  if (key === undefined) return failure;
  return { ...failure, sentence: failure.sentence.replaceAll(key, '[the key]') };
}
