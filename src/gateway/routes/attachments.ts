import { Readable } from 'node:stream';
import { routes } from '../contract.ts';
import { tooLarge } from '../problem.ts';
import { noAttachment } from '../send-message.ts';
import type { Handles, RouteDeps } from './handlers.ts';

/** Bytes that are too large to stand in a message, as streams both ways. */
export function attachmentRoutes({
  attachments,
  log,
}: RouteDeps): Handles<'putAttachment' | 'attachment'> {
  return {
    putAttachment: async ({ caller, request }) => {
      const { hash, sizeBytes } = await attachments.put(caller.id, bounded(request.raw));
      return { hash, bytes: sizeBytes };
    },
    attachment: async ({ caller, params: { hash }, request, reply }) => {
      const mayRead = caller.kind === 'owner' || (await attachments.mayRead(caller.id, hash));
      if (!mayRead) throw noAttachment(hash);
      const { sizeBytes, stream } = await attachments.open(hash);
      // Bytes that turn out to be others end the connection before their last one: the
      // caller, who was told how many there are, cannot take them for the whole.
      const body = Readable.from(stream, { objectMode: false });
      body.on('error', (error) =>
        log.error({ err: error, hash, request_id: request.id }, 'an attachment broke off'),
      );
      void reply.header('content-length', String(sizeBytes));
      return reply.send(body);
    },
  };
}

async function* bounded(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  let sizeBytes = 0;
  for await (const bytes of source) {
    sizeBytes += bytes.length;
    if (sizeBytes > routes.putAttachment.bodyBytes) throw tooLarge();
    yield bytes;
  }
}
