/** What the network's failures are called. No words of the system: they may quote the answer. */
import { hostAndPort } from '../../kernel/capability/url-text.ts';
import { osCodeOf } from '../../kernel/disk/errors.ts';
import { AosError } from '../../kernel/errors.ts';
import { quote } from '../../kernel/text/quote.ts';
import type { Place } from './fetch-deed.ts';

/** An AosError passes as it is; whatever else was thrown becomes one of two. */
export function plainFailure(place: Place, failure: unknown): AosError {
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

export function unreachable(place: Place, why: string, fix?: string): AosError {
  return new AosError('http.unreachable', {
    message: `${placeOf(place)} ${why}`,
    fix: fix ?? 'Check the address, and whether the host is up',
  });
}

export function badAnswer(place: Place, why: string): AosError {
  return new AosError('http.bad-answer', {
    message: `The answer of ${placeOf(place)} is refused: ${why}`,
    fix: 'Check the address',
  });
}

export function tooLarge(place: Place, what: string, limitBytes: number): AosError {
  return new AosError('http.too-large', {
    message: `${what} ${placeOf(place)} has more than ${limitBytes} bytes`,
    fix: 'Ask for less, or raise max_bytes or the size of the grant',
  });
}

function placeOf(place: Place): string {
  return quote(hostAndPort(place));
}
