import type { FastifyReply } from 'fastify';
import { AosError } from '../../kernel/errors.ts';

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

/**
 * Aborts when the caller has hung up, and only then: what a gateway that closes leaves unfinished
 * goes on when it is up again.
 */
export function whileAsked(reply: FastifyReply, closing: AbortSignal): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished && !closing.aborted) gone.abort(hungUp());
  });
  return gone.signal;
}

function hungUp(): AosError {
  return new AosError('interrupted.signal', { message: 'Whoever asked for it has stopped it' });
}

function stopped(): AosError {
  return new AosError('gateway.not-ready', {
    message: 'The daemon stops, and waits for nothing any more',
    fix: 'Ask again once it is up',
  });
}
