/**
 * The addresses that tools ask for, read by rules of our own. What decides and what is sent
 * come from this one reading, so that no second reader can see another host or path in it.
 *
 * U1. Strict: what is not written in exactly one way is refused, and never mended.
 * U2. The host is one that a capability can name (host-text.ts).
 * U3. The path for the decision is decoded; what goes over the wire is as it was written. So
 *     nothing is taken whose decoded form a server could cut or join in another way.
 */
import { AosError } from '../errors.ts';
import { quote } from '../text/quote.ts';
import { BrokenRule } from './capability.ts';
import { parseHost } from './host-text.ts';

export interface RequestUrl {
  readonly scheme: 'http' | 'https';
  /** A name, an IPv4 address, or an IPv6 address in brackets. */
  readonly host: string;
  readonly port: number;
  /** The decoded segments. None for `/`, and an empty one at the end for `/a/`. */
  readonly path: readonly string[];
  /** As written; it begins with the slash. */
  readonly pathAndQuery: string;
}

const longestUrl = 8192;
const defaultPorts = { http: 80, https: 443 } as const;
const highestPort = 65_535;

/** Throws `http.bad-url` with the rule that is broken. */
export function parseRequestUrl(text: string): RequestUrl {
  try {
    checkCharacters(text);
    const [, scheme, place = '', rest = ''] = /^(https?):\/\/([^/?]*)(.*)$/.exec(text) ?? [];
    if (scheme !== 'http' && scheme !== 'https') {
      throw new BrokenRule('it begins with neither "https://" nor "http://"', plainForm);
    }
    const pathAndQuery = checkPathAndQuery(rest === '' ? '/' : rest);
    const { host, port } = parsePlace(place, defaultPorts[scheme]);
    return { scheme, host, port, path: parsePath(pathAndQuery), pathAndQuery };
  } catch (failure) {
    if (failure instanceof BrokenRule) throw badUrl(text, failure);
    throw failure;
  }
}

export function printRequestUrl({ scheme, host, port, pathAndQuery }: RequestUrl): string {
  return `${scheme}://${hostAndPort({ scheme, host, port })}${pathAndQuery}`;
}

/** As the header `Host` wants it: the port only where it is not that of the scheme. */
export function hostAndPort({
  scheme,
  host,
  port,
}: Pick<RequestUrl, 'scheme' | 'host' | 'port'>): string {
  return port === defaultPorts[scheme] ? host : `${host}:${port}`;
}

const plainForm = 'Write it as https://host/path';

function checkCharacters(text: string): void {
  if (text.length > longestUrl) {
    throw new BrokenRule(`it has more than ${longestUrl} characters`, plainForm);
  }
  if (/[^\x21-\x7e]/.test(text)) {
    throw new BrokenRule(
      'it has a blank, or a character that is not plain ASCII',
      'Write each byte of such a character as % and two hexadecimal digits',
    );
  }
  if (text.includes('\\')) throw new BrokenRule('it has a backslash', 'Write a slash, or %5C');
  if (text.includes('#')) {
    throw new BrokenRule('it has a part behind "#"', 'Leave that part away: no server gets it');
  }
}

function parsePlace(text: string, defaultPort: number): { host: string; port: number } {
  if (text.includes('@')) {
    throw new BrokenRule(
      'it has a user or password before the host',
      'Send an authorization header',
    );
  }
  const [, name = '', digits] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(text) ?? [];
  if (name === '') throw new BrokenRule('it names no host', plainForm);
  const host = parseExactHost(name);
  if (digits === undefined) return { host, port: defaultPort };
  const port = /^[1-9]\d{0,4}$/.test(digits) ? Number(digits) : 0;
  if (port > 0 && port <= highestPort) return { host, port };
  throw new BrokenRule(
    `${JSON.stringify(digits)} is no port`,
    `Write a number up to ${highestPort} without leading zeros, or leave the colon away`,
  );
}

// U2
function parseExactHost(text: string): string {
  if (text.includes('*')) throw new BrokenRule('its host has a star', 'Name one host');
  if (text.endsWith('.')) throw new BrokenRule('its host ends with a dot', 'Leave the dot away');
  try {
    const host = parseHost(text);
    if (host.kind === 'exact') return host.name;
  } catch (failure) {
    if (!(failure instanceof BrokenRule)) throw failure;
    const says = failure.fix === new BrokenRule('').fix ? plainForm : failure.fix;
    throw new BrokenRule(failure.message, says);
  }
  throw new BrokenRule('it names no single host', 'Name one host');
}

// Beside those of RFC 3986 the brackets in the query, which many servers want there.
const unlawfulInPath = /[^A-Za-z0-9\-._~!$&'()*+,;=:@%/]/;
const unlawfulInQuery = /[^A-Za-z0-9\-._~!$&'()*+,;=:@%/?[\]]/;

function checkPathAndQuery(text: string): string {
  const { path, query } = splitQuery(text);
  if (!path.startsWith('/')) {
    throw new BrokenRule('there is no slash before "?"', 'Write https://host/?query');
  }
  const [found] = unlawfulInPath.exec(path) ?? unlawfulInQuery.exec(query) ?? [];
  if (found !== undefined) {
    const code = found.charCodeAt(0).toString(16).toUpperCase();
    throw new BrokenRule(`it has ${JSON.stringify(found)}`, `Write that character as %${code}`);
  }
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) {
    throw new BrokenRule(
      'a "%" stands without its two hexadecimal digits',
      'Write the sign itself as %25',
    );
  }
  return text;
}

function splitQuery(text: string): { readonly path: string; readonly query: string } {
  const question = text.indexOf('?');
  if (question === -1) return { path: text, query: '' };
  return { path: text.slice(0, question), query: text.slice(question + 1) };
}

function parsePath(pathAndQuery: string): readonly string[] {
  const { path } = splitQuery(pathAndQuery);
  return path === '/' ? [] : path.slice(1).split('/').map(decodeSegment);
}

// U3
function decodeSegment(text: string): string {
  const segment = decodeUtf8(text);
  if (/[/\\]/.test(segment)) {
    throw new BrokenRule('its path has an encoded slash or backslash', 'Name the path itself');
  }
  if (/[\x00-\x1f\x7f]/.test(segment)) {
    throw new BrokenRule('its path has an encoded control character', 'Leave it away');
  }
  // With what some servers take for parameters of the segment and cut off.
  if (/^\.{1,2}(?:;|$)/.test(segment)) {
    throw new BrokenRule('its path has a part "." or ".."', 'Write the path without it');
  }
  return segment;
}

function decodeUtf8(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // The one thing it throws at: the digits are there, so the bytes are wrong.
    throw new BrokenRule('what is encoded in its path is no UTF-8', 'Encode the bytes of UTF-8');
  }
}

const longestShown = 120;

// Without what often is a password or a token.
function badUrl(text: string, { message, fix }: BrokenRule): AosError {
  const plain = text.replace(/\/\/[^/?#]*@/, '//…@').replace(/\?.+/s, '?…');
  const shown = plain.length > longestShown ? `${plain.slice(0, longestShown)}…` : plain;
  return new AosError('http.bad-url', {
    message: `${quote(shown)} is no address to ask: ${message}`,
    fix,
  });
}
