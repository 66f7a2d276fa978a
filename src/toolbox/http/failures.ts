/** What the network's failures are called. No words of the system: they may quote the answer. */
import { hostAndPort, type RequestUrl } from '../../kernel/capability/url-text.ts';
import { osCodeOf } from '../../kernel/disk-errors.ts';
import { AosError } from '../../kernel/errors.ts';
import { quote } from '../../kernel/quote.ts';

/** An AosError passes as it is; whatever else was thrown becomes one of two. */
export function plainFailure(url: RequestUrl, failure: unknown): AosError {
  if (failure instanceof AosError) return failure;
  const code = osCodeOf(failure) ?? '';
  if (/^(?:HPE_|Z_|ERR_BROTLI|ERR__ERROR|ERR_BUFFER)/.test(code)) {
    const isLong = code === 'HPE_HEADER_OVERFLOW';
    return badAnswer(url, isLong ? 'its headers are too long' : 'it cannot be read');
  }
  return unreachable(url, whyUnreachable(code));
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

export function unreachable(url: RequestUrl, why: string, fix?: string): AosError {
  return new AosError('http.unreachable', {
    message: `${placeOf(url)} ${why}`,
    fix: fix ?? 'Check the address, and whether the host is up',
  });
}

export function badAnswer(url: RequestUrl, why: string): AosError {
  return new AosError('http.bad-answer', {
    message: `The answer of ${placeOf(url)} is refused: ${why}`,
    fix: 'Check the address',
  });
}

export function tooLarge(url: RequestUrl, what: string, limitBytes: number): AosError {
  return new AosError('http.too-large', {
    message: `${what} ${placeOf(url)} has more than ${limitBytes} bytes`,
    fix: 'Ask for less, or raise max_bytes or the size of the grant',
  });
}

function placeOf(url: RequestUrl): string {
  return quote(hostAndPort(url));
}
