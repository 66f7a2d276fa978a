/** Keys to sign with, and to open what was sealed for them: from a file, or of this home. */
import * as z from 'zod';
import { type Client, createClient } from '../../gateway/client/client.ts';
import { tcpTransport } from '../../gateway/client/tcp-transport.ts';
import type { Transport } from '../../gateway/client/transport.ts';
import type { DurableFileDeps } from '../../kernel/disk/durable-file.ts';
import { AosError } from '../../kernel/errors.ts';
import type { Clock, DiskView, Random } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import {
  brokenKey,
  jsonIn,
  keysFolder,
  loadKey,
  textInKeyFile,
} from '../../security/identity/key-file.ts';
import { fromHex, type KeyPair, keyPairOf } from '../../security/identity/key-pair.ts';
import { openAgentKeys } from '../../security/identity/principal-keys.ts';
import { signRequest } from '../../security/identity/signed-request.ts';
import { version } from '../version.ts';

const largestBytes = 4096;
const ownFile = z.object({ secret_key: z.string(), address: z.string() });

/** Of a file that no other user can read, with a key as 0x hex in it, or one of our key files. */
export async function keyInFile(view: DiskView, path: string): Promise<KeyPair> {
  const text = (await textInKeyFile(view, path, largestBytes))?.trim();
  if (text === undefined) throw missingKey(`There is no key file ${quote(path)}`);
  const own = text.startsWith('{') ? ownFile.safeParse(jsonIn(text)).data : undefined;
  const secretKey = fromHex(own?.secret_key ?? text, 32);
  const key = secretKey && keyPairOf(secretKey);
  // What stands there is not shown: it may be most of a secret.
  if (key === undefined) throw brokenKey(path, 'holds no secret key, as 0x and 64 hex digits');
  if (own !== undefined && own.address !== key.address)
    throw brokenKey(path, 'holds a key that does not fit its address');
  return key;
}

export async function keyOfOwner(view: DiskView, home: string): Promise<KeyPair> {
  const key = await loadKey(view, keysFolder(home), 'owner');
  if (key !== undefined) return key;
  throw missingKey('The key of the owner is not there');
}

export interface AgentFacts {
  readonly name: string;
  readonly address: string;
  readonly body: string;
}

export async function keyOfAgent(
  deps: DurableFileDeps,
  home: string,
  { name, address, body }: AgentFacts,
): Promise<KeyPair> {
  const key =
    body === 'model'
      ? (await openAgentKeys(deps, home)).of(name)
      : await loadKey(deps.disk, keysFolder(home), `agent:${name}`);
  if (key?.address === address) return key;
  throw missingKey(`The key of ${quote(name)} is not there`);
}

function missingKey(message: string): AosError {
  return new AosError('identity.missing-key', {
    message,
    fix: 'Put its file where it was from a backup; a new key would be a new identity',
  });
}

// A client that signs every request with a key, as an outsider's wallet does.

interface SignedClientDeps {
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
