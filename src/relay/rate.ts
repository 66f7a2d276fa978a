import type { Clock } from '../kernel/ports.ts';
import type { RelayLimits } from './deps.ts';
import type { Party } from './envelope.ts';
import type { RateLimit } from './relay.ts';

interface Bucket {
  tokens: number;
  filledAtMs: number;
}

const mostBuckets = 10_000;

/** A bucket of tokens for each sender, filled at a steady pace. */
export function rateLimit(
  clock: Clock,
  { messagesPerSecond, messageBurst }: RelayLimits,
): RateLimit {
  const buckets = new Map<Party, Bucket>();
  const perMs = messagesPerSecond / 1000;

  const bucketOf = (sender: Party): Bucket => {
    const nowMs = clock.monotonicMs();
    const bucket = buckets.get(sender);
    if (bucket === undefined) {
      if (buckets.size >= mostBuckets) dropFull(buckets, { perMs, messageBurst, nowMs });
      const fresh = { tokens: messageBurst, filledAtMs: nowMs };
      buckets.set(sender, fresh);
      return fresh;
    }
    bucket.tokens = Math.min(messageBurst, bucket.tokens + (nowMs - bucket.filledAtMs) * perMs);
    bucket.filledAtMs = nowMs;
    return bucket;
  };

  const take = (sender: Party, wanted: number): number => {
    const bucket = bucketOf(sender);
    const taken = Math.min(wanted, Math.floor(bucket.tokens));
    bucket.tokens -= taken;
    return taken;
  };

  const waitMs = (sender: Party): number => {
    const { tokens } = bucketOf(sender);
    return tokens >= 1 ? 0 : Math.ceil((1 - tokens) / perMs);
  };

  return {
    take,
    waitMs,
    async pass(sender, count, signal) {
      let left = count - take(sender, count);
      while (left > 0) {
        await clock.sleep(waitMs(sender), signal);
        left -= take(sender, left);
      }
    },
  };
}

/** A bucket that is full again is as good as none. */
function dropFull(
  buckets: Map<Party, Bucket>,
  fill: { readonly perMs: number; readonly messageBurst: number; readonly nowMs: number },
): void {
  for (const [sender, { tokens, filledAtMs }] of buckets) {
    const now = tokens + (fill.nowMs - filledAtMs) * fill.perMs;
    if (now >= fill.messageBurst) buckets.delete(sender);
  }
}
