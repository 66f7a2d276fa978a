/** Connections to addresses that were checked. */
import { connect, type Socket } from 'node:net';
import { connect as secure } from 'node:tls';
import { hostAndPort } from '../../kernel/capability/url-text.ts';
import { osCodeOf } from '../../kernel/disk/errors.ts';
import { AosError } from '../../kernel/errors.ts';
import type { Clock } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import { within } from './check-address.ts';
import { type FetchPlace, literalAddress } from './fetch-action.ts';

export interface DialDeps {
  readonly clock: Clock;
  readonly authorities?: readonly string[] | undefined;
}

/** Of each address, where there is another to try. */
const connectTimeoutMs = 10_000;

/** Connects to the first address that takes the connection, and to no other than these. */
export async function dial(
  deps: DialDeps,
  place: FetchPlace,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<Socket> {
  let failure: unknown;
  for (const address of addresses) {
    try {
      const socket = await dialOne(deps, place, address, signal);
      return place.scheme === 'https' ? await wrapInTls(deps, place, socket, signal) : socket;
    } catch (thrown) {
      if (signal.aborted || !(thrown instanceof NoConnection)) throw thrown;
      failure = thrown.cause;
    }
  }
  throw failure;
}

/** The next address may do better; what fails later does so wherever it is sent. */
class NoConnection extends Error {}

async function dialOne(
  { clock }: DialDeps,
  place: FetchPlace,
  address: string,
  signal: AbortSignal,
): Promise<Socket> {
  const late = () => unreachable(place, 'does not answer');
  try {
    return await within({ clock, signal, timeoutMs: connectTimeoutMs, late }, (stop) =>
      opened(connect({ host: address, port: place.port, lookup: neverLookUp }), 'connect', stop),
    );
  } catch (cause) {
    throw new NoConnection('no connection', { cause });
  }
}

// An address needs no looking up. If it ever seems to, a second answer must not count.
function neverLookUp(): never {
  throw new Error('an address was to be looked up');
}

/** With the name of the host, whichever of its addresses this is. */
async function wrapInTls(
  { authorities }: DialDeps,
  { host }: FetchPlace,
  socket: Socket,
  signal: AbortSignal,
): Promise<Socket> {
  const literal = literalAddress(host);
  const wrapped = secure({
    socket,
    host: literal ?? host,
    // The name of an address would be no name.
    ...(literal === undefined ? { servername: host } : {}),
    ...(authorities === undefined ? {} : { ca: [...authorities] }),
    ALPNProtocols: ['http/1.1'],
    // Said, because the environment could say otherwise.
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
  });
  try {
    return await opened(wrapped, 'secureConnect', signal);
  } catch (failure) {
    socket.destroy();
    throw failure;
  }
}

async function opened(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onAbort = (): void => reject(signal.reason);
  // Stays: a failure that no caller waits for any more must not end the daemon.
  socket.on('error', reject);
  socket.once('close', () => reject(new Error('closed')));
  socket.once(event, resolve);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    signal.throwIfAborted();
    await promise;
    return socket;
  } catch (failure) {
    socket.destroy();
    // When the signal aborted before there was anything to wait for.
    promise.catch(() => undefined);
    throw failure;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

// What the network's failures are called. No words of the system: they may quote the answer.

/** An AosError passes as it is; whatever else was thrown becomes one of two. */
export function plainFailure(place: FetchPlace, failure: unknown): AosError {
  if (failure instanceof AosError) return failure;
  const code = osCodeOf(failure) ?? '';
  if (/^(?:HPE_|Z_|ERR_BROTLI|ERR__ERROR|ERR_BUFFER)/.test(code)) {
    const isLong = code === 'HPE_HEADER_OVERFLOW';
    return badAnswer(place, isLong ? 'its headers are too long' : 'it cannot be read');
  }
  return unreachable(place, whyUnreachable(code));
}

function whyUnreachable(code: string): string {
  if (code === 'ECONNREFUSED') return 'refuses the connection';
  if (code === 'ETIMEDOUT') return 'does not answer';
  if (/^(?:EHOST|ENET)(?:UNREACH|DOWN)$|^EADDRNOTAVAIL$/.test(code)) return 'cannot be reached';
  if (/CERT|SELF_SIGNED|ISSUER|CRL|ALTNAME/.test(code)) {
    return 'shows a certificate that does not prove who it is';
  }
  if (/SSL|TLS|EPROTO/.test(code)) return 'does not speak TLS as it should';
  return 'breaks the connection off';
}

export function unreachable(place: FetchPlace, why: string, fix?: string): AosError {
  return new AosError('http.unreachable', {
    message: `${placeOf(place)} ${why}`,
    fix: fix ?? 'Check the address, and whether the host is up',
  });
}

export function badAnswer(place: FetchPlace, why: string): AosError {
  return new AosError('http.bad-answer', {
    message: `The answer of ${placeOf(place)} is refused: ${why}`,
    fix: 'Check the address',
  });
}

export function tooLarge(place: FetchPlace, what: string, limitBytes: number): AosError {
  return new AosError('http.too-large', {
    message: `${what} ${placeOf(place)} has more than ${limitBytes} bytes`,
    fix: 'Ask for less, or raise max_bytes or the size of the grant',
  });
}

function placeOf(place: FetchPlace): string {
  return quote(hostAndPort(place));
}
