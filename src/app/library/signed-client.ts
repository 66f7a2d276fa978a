/** A client that signs every request with a key, as an outsider's wallet does. */
import { type Client, createClient } from '../../gateway/client/client.ts';
import { tcpTransport } from '../../gateway/client/tcp-transport.ts';
import type { Transport } from '../../gateway/client/transport.ts';
import type { Clock, Random } from '../../kernel/ports.ts';
import type { KeyPair } from '../../security/identity/key-pair.ts';
import { signRequest } from '../../security/identity/signed-request.ts';
import { version } from '../version.ts';

export interface SignedClientDeps {
  readonly clock: Clock;
  readonly random: Random;
}

export function signedClient(deps: SignedClientDeps, key: KeyPair, url: URL): Client {
  const transport = signing(deps, key, { aud: url.origin, to: tcpTransport(deps.clock, url) });
  return createClient({ clock: deps.clock, version, transport });
}

/** Each request anew, also one that is sent again: what was signed counts once. */
function signing(
  { clock, random }: SignedClientDeps,
  key: KeyPair,
  { aud, to }: { readonly aud: string; readonly to: Transport },
): Transport {
  return {
    async send(request) {
      if (request.stream !== undefined) throw new Error('bytes that are streamed are not signed');
      const { method, path: uri, body } = request;
      const authorization = signRequest(key, {
        ...{ aud, method, uri, now: clock.now(), nonce: random.bytes(16) },
        body: body === undefined ? undefined : Buffer.from(body),
      });
      return to.send({ ...request, headers: { ...request.headers, authorization } });
    },
  };
}
