/**
 * `fetch` for asking vendors: it follows no redirect, because the key would go along, and it
 * reads no more than an answer can be.
 */

const mostAnswerBytes = 64 * 1024 * 1024;
const mostErrorBytes = 64 * 1024;

export function boundedFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'manual' });
    if (response.body === null) return response;
    const body = response.body.pipeThrough(
      response.ok ? refusingAfter(mostAnswerBytes) : endingAfter(mostErrorBytes),
    );
    const { status, statusText, headers } = response;
    return new Response(body, { status, statusText, headers });
  };
}

function refusingAfter(limitBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes > limitBytes) controller.error(new Error('the answer is too long to be read'));
      else controller.enqueue(chunk);
    },
  });
}

// Of an error its beginning is enough.
function endingAfter(limitBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, limitBytes - bytes));
      bytes += chunk.length;
      if (bytes >= limitBytes) controller.terminate();
    },
  });
}
