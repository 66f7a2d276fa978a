import { routes } from '../contract/contract.ts';
import { tooLarge } from '../server/problem.ts';
import { type Part, sendRange } from '../streams/send-range.ts';
import type { Call, Handles, RouteDeps } from './handlers.ts';
import { noAttachment } from './views/send-message.ts';

/** Bytes that are too large to stand in a message, as streams both ways. */
export function attachmentRoutes(deps: RouteDeps): Handles<'putAttachment' | 'attachment'> {
  const { attachments } = deps;
  return {
    putAttachment: async ({ caller, request }) => {
      const { hash, sizeBytes } = await attachments.put(caller.id, bounded(request.raw));
      return { hash, bytes: sizeBytes };
    },
    attachment: (call) => bytes(deps, call),
  };
}

async function bytes(deps: RouteDeps, call: Call<'attachment'>) {
  const { attachments } = deps;
  const { caller, params } = call;
  const { hash } = params;
  const mayRead = caller.kind === 'owner' || (await attachments.mayRead(caller.id, hash));
  if (!mayRead) throw noAttachment(hash);
  // Nothing is opened before somebody reads.
  const { sizeBytes } = await attachments.open(hash);
  const open = async (part: Part) => (await attachments.open(hash, part)).stream;
  return sendRange(deps, call, { hash, sizeBytes, open });
}

async function* bounded(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  let sizeBytes = 0;
  for await (const bytes of source) {
    sizeBytes += bytes.length;
    if (sizeBytes > routes.putAttachment.bodyBytes) throw tooLarge();
    yield bytes;
  }
}
