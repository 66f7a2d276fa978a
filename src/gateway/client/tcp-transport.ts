/** HTTP to a gateway over the network: plain on this machine, else over TLS. */
import type { Duplex } from 'node:stream';
import { AosError } from '../../kernel/errors.ts';
import type { Clock } from '../../kernel/ports.ts';
import { quote } from '../../kernel/text/quote.ts';
import { connectionTransport, type Transport } from './transport.ts';

/** To an origin as `originOf` gives it. */
export function tcpTransport(clock: Clock, url: URL): Transport {
  const plain = connectionTransport({ clock, connect: () => connectionTo(url) });
  return {
    async send(request) {
      const headers = { ...request.headers, host: url.host };
      try {
        const { head, body } = await plain.send({ ...request, headers });
        return { head, body: explainedBody(url, body) };
      } catch (failure) {
        throw explained(url, failure);
      }
    },
  };
}

const ownNames: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

/**
 * `https://agents.example.org`, or `http://127.0.0.1:7717`. What is signed can be read on the
 * way where it is not sealed, so elsewhere than on this machine it has to be https.
 */
export function originOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (url === undefined || !isWeb || `${url.origin}/` !== url.href) {
    throw badUrl(`${quote(text.slice(0, 100))} is no address of a gateway`);
  }
  if (url.protocol === 'https:' || ownNames.has(url.hostname)) return url;
  throw badUrl(`${quote(url.host)} is another machine, which is asked over https only`);
}

function badUrl(message: string): AosError {
  return new AosError('usage.bad-value', {
    message,
    fix: 'Write it as http://127.0.0.1:7717 or https://agents.example.org',
  });
}

function connectionTo({ protocol, hostname, port }: URL): Duplex {
  const host = hostname.replace(/^\[|\]$/g, '');
  // Loaded when it is first needed, as for every transport.
  if (protocol === 'http:') {
    return process.getBuiltinModule('node:net').connect({ host, port: Number(port || 80) });
  }
  const isName = process.getBuiltinModule('node:net').isIP(host) === 0;
  return process.getBuiltinModule('node:tls').connect({
    ...{ host, port: Number(port || 443), minVersion: 'TLSv1.2' },
    ...(isName ? { servername: host } : {}),
  });
}

async function* explainedBody(
  url: URL,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* body;
  } catch (failure) {
    throw explained(url, failure);
  }
}

/** What the socket's transport says of a home folder is said of an address here. */
function explained({ origin }: URL, failure: unknown): unknown {
  if (failure instanceof AosError && failure.code !== 'daemon.down') return failure;
  const cause = failure instanceof AosError ? failure.cause : failure;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
  // Hung up in the middle: said already, in words that fit.
  if (failure instanceof AosError && code !== 'ECONNREFUSED') return failure;
  if (code === undefined) return failure;
  return new AosError('daemon.down', {
    message: `${quote(origin)} cannot be reached: ${reasonOf(code)}`,
    fix: 'Check --url, and that the daemon behind it runs',
    cause,
  });
}

function reasonOf(code: string): string {
  if (code === 'ECONNREFUSED') return 'nobody listens there';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'there is no such name';
  if (code === 'EPROTO') return 'it does not speak TLS';
  if (/CERT|SSL|TLS|SIGNATURE|ISSUER/.test(code)) return 'it does not prove that it is the one';
  return 'the network does not lead there';
}
