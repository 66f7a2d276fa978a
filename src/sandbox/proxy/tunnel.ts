/**
 * CONNECT: bytes both ways that nobody reads. Who may have it may ask for every path and by
 * every method there, so a grant for the whole place is needed, at exactly this port.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { parseRequestUrl } from '../../kernel/capability/url-text.ts';
import { quote } from '../../kernel/text/quote.ts';
import { type Place, tunnelDeed } from '../../security/egress/fetch-deed.ts';
import { Flow } from './flow.ts';
import type { Passage } from './passage.ts';
import type { ProxyDeps } from './proxy-deps.ts';
import { reach } from './reach.ts';
import { Refusal } from './refusal.ts';

export interface WantedTunnel {
  readonly request: IncomingMessage;
  readonly client: Socket;
  /** What came in behind the head. */
  readonly head: Buffer;
}

/** Rejects before the first byte of an answer, or ends when both sides are closed. */
export async function openTunnel(
  deps: ProxyDeps,
  passage: Passage,
  { request, client, head }: WantedTunnel,
): Promise<() => Promise<void>> {
  const place = readPlace(request.url ?? '');
  const { upstream, sizeBytes } = await reach(deps, passage, place, tunnelDeed(place));
  // One side may be done and still listen.
  upstream.allowHalfOpen = true;
  return async () => {
    using flow = new Flow(deps, passage, place, sizeBytes);
    try {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      if (head.length > 0) client.unshift(head);
      const { signal } = passage;
      await Promise.all([
        pipeline(client, flow.meter(), upstream, { signal }),
        pipeline(upstream, flow.meter(), client, { signal }),
      ]);
    } finally {
      client.destroy();
      upstream.destroy();
    }
  };
}

/** As it has to be written, and in no other way: `host:port`. */
function readPlace(text: string): Place {
  const { scheme, host, port } = parseRequestUrl(`http://${text}/`);
  if (`${host}:${port}` !== text) {
    throw new Refusal(
      400,
      `${quote(text.slice(0, 100))} is no host with a port\nWrite CONNECT host:443`,
    );
  }
  return { scheme, host, port };
}
