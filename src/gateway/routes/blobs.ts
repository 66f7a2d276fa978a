import type { Handles, RouteDeps } from './handlers.ts';

export function blobHandles(deps: RouteDeps): Handles<'verifyBlobs'> {
  return {
    verifyBlobs: ({ reply }) => {
      const gone = new AbortController();
      // It takes long, and is of no use to anybody once its caller has hung up.
      reply.raw.once('close', () => gone.abort());
      return deps.verifyBlobs(gone.signal);
    },
  };
}
