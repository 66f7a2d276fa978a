import type { FastifyReply } from 'fastify';
import { AosError } from '../kernel/errors.ts';

/** Aborts when the caller has hung up, or the gateway closes: nobody is to be waited for. */
export function untilHangUp(reply: FastifyReply, closing: AbortSignal): AbortSignal {
  const gone = new AbortController();
  const stop = (): void => gone.abort(stopped());
  reply.raw.once('close', () => {
    closing.removeEventListener('abort', stop);
    stop();
  });
  if (closing.aborted) stop();
  else closing.addEventListener('abort', stop, { once: true });
  return gone.signal;
}

function stopped(): AosError {
  return new AosError('gateway.not-ready', {
    message: 'The daemon stops, and waits for nothing any more',
    fix: 'Ask again once it is up',
  });
}
