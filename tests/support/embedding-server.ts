/** A server on this machine that answers questions for vectors as a test wants it to. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface SeenQuestion {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly model: string;
  readonly input: readonly string[];
}

/** The body of an answer, and its status where that is not 200. `hang` says nothing at all. */
export type Reply =
  | { readonly body: unknown; readonly status?: number; readonly headers?: Record<string, string> }
  | 'hang'
  | 'reset';

export interface EmbeddingServer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly seen: readonly SeenQuestion[];
}

/** The first answer is for `openHttpEmbedder`, which asks once. */
export async function embeddingServer(
  reply: (question: SeenQuestion, number: number) => Reply,
): Promise<EmbeddingServer> {
  const seen: SeenQuestion[] = [];
  const server = createServer(async (request, response) => {
    // The embedder is ours: it sends what it should, or the test fails by this.
    const { model, input } = JSON.parse(await text(request)) as SeenQuestion;
    const question = { path: request.url ?? '', headers: request.headers, model, input };
    seen.push(question);
    send(response, reply(question, seen.length));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // An AddressInfo by the line before: it listens on a port.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function send(response: ServerResponse, reply: Reply): void {
  if (reply === 'hang') return;
  if (reply === 'reset') return void response.socket?.resetAndDestroy();
  const { body, status = 200, headers = {} } = reply;
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}
