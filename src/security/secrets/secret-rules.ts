/** What a secret may be. No sentence in here quotes a value. */
import { BrokenRule } from '../../kernel/capability/capability.ts';
import { parseHost } from '../../kernel/capability/host-text.ts';
import { AosError } from '../../kernel/errors.ts';
import { quote } from '../../kernel/text/quote.ts';
import type { SecretBinding } from '../../ledger/security/secrets.ts';
import { shortestSecret } from './secret-forms.ts';

export interface NewSecret {
  readonly name: string;
  readonly value: string;
  /** With a header only, and the other way round. */
  readonly host?: string | undefined;
  /** 443 when not said. */
  readonly port?: number | undefined;
  readonly header?: string | undefined;
  /** What stands before the value in the header, such as `Bearer `. */
  readonly prefix?: string | undefined;
}

export interface CheckedSecret extends SecretBinding {
  readonly name: string;
  readonly value: string;
}

/** Throws `secret.bad`. */
export function checkSecret(secret: NewSecret): CheckedSecret {
  const name = checkName(secret.name);
  const value = checkValue(secret.value);
  const binding = checkBinding(secret);
  const told = [name, binding.host, binding.header, binding.prefix];
  if (told.some((text) => text?.includes(value) === true)) {
    throw bad(
      'The value of the secret stands in its name, host, header or prefix, which anybody may see',
      'Choose another name, and give the value alone',
    );
  }
  return { name, value, ...binding };
}

function checkName(name: string): string {
  if (/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/.test(name)) return name;
  throw bad(
    `No secret can be called ${quote(name.slice(0, 100))}`,
    'Choose a letter followed by at most 63 letters, digits, "_", "." or "-"',
  );
}

const longestSecret = 8192;

function checkValue(given: string): string {
  // A file and an `echo` end with one, which is not meant.
  const value = given.replace(/\r?\n$/, '');
  if (value.length < shortestSecret) {
    throw bad(
      `A secret has at least ${shortestSecret} characters: a shorter one would be found in ordinary words, and blacked out there`,
      'Use a longer one',
    );
  }
  if (value.length > longestSecret) {
    throw bad(`A secret has at most ${longestSecret} characters`, 'Use a shorter one');
  }
  if (!isVisible(value)) {
    throw bad(
      'A secret is one line of visible ASCII characters, with no space at its beginning or end',
      'Encode it, for example with base64',
    );
  }
  return value;
}

/** Spaces may stand between. */
function isVisible(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text) && text.trim() === text;
}

const usualPort = 443;
const highestPort = 65_535;
const unbound: SecretBinding = { host: null, port: null, header: null, prefix: '' };

function checkBinding({ host, port, header, prefix = '' }: NewSecret): SecretBinding {
  if (host === undefined && header === undefined) {
    if (port === undefined && prefix === '') return unbound;
    throw bad('A port or a prefix needs a host and a header', 'Name both, or neither');
  }
  if (host === undefined || header === undefined) {
    throw bad(
      `A secret is for a host and a header, and ${host === undefined ? 'no host' : 'no header'} is named`,
      'Name both, or neither',
    );
  }
  return {
    host: checkHost(host),
    port: checkPort(port ?? usualPort),
    header: checkHeader(header),
    prefix: checkPrefix(prefix),
  };
}

function checkHost(text: string): string {
  try {
    const host = parseHost(text);
    if (host.kind === 'exact') return host.name;
  } catch (failure) {
    if (!(failure instanceof BrokenRule)) throw failure;
    throw bad(
      `A secret cannot be for ${quote(text.slice(0, 300))}: ${failure.message}`,
      failure.fix,
    );
  }
  throw bad(
    `A secret is for one host, and ${quote(text)} stands for many`,
    'Name the host, and set the secret once for each',
  );
}

function checkPort(port: number): number {
  if (Number.isInteger(port) && port >= 1 && port <= highestPort) return port;
  throw bad(`${port} is no port`, `Choose one from 1 to ${highestPort}`);
}

// They say where a request goes and where it ends, or are for the connection alone.
const ownHeaders: ReadonlySet<string> = new Set([
  ...['host', 'connection', 'keep-alive', 'proxy-connection', 'upgrade', 'http2-settings'],
  ...['content-length', 'transfer-encoding', 'te', 'trailer', 'expect'],
]);

function checkHeader(text: string): string {
  const header = text.toLowerCase();
  if (!/^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/.test(header)) {
    throw bad(`${quote(text.slice(0, 100))} is no name of a header`, 'Such as Authorization');
  }
  if (!ownHeaders.has(header)) return header;
  throw bad(`No secret can be in the header ${quote(text)}`, 'Such as Authorization');
}

const longestPrefix = 64;

function checkPrefix(prefix: string): string {
  const isLawful = /^[\x21-\x7e][\x20-\x7e]*$/.test(prefix) && prefix.length <= longestPrefix;
  if (prefix === '' || isLawful) return prefix;
  throw bad(
    `The prefix ${quote(prefix.slice(0, 100))} is not a word or two that a header may begin with`,
    `At most ${longestPrefix} visible ASCII characters, such as "Bearer "`,
  );
}

function bad(message: string, fix: string): AosError {
  return new AosError('secret.bad', { message, fix });
}
