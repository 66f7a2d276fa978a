/**
 * Secrets in the headers of one request.
 *
 * S1. Only those that were set for exactly this host and port, each in its own header.
 * S2. Only over TLS, or to this very machine.
 * S3. Only those that the caller may use; which is asked, and counted, for each request.
 * S4. What the caller wrote into a header stays, but for a placeholder that S1 to S3 fill.
 */

import type { Action } from '../../kernel/capability/capability.ts';
import { isLoopbackAddress } from '../../kernel/capability/host-text.ts';
import type { RequestUrl } from '../../kernel/capability/url-text.ts';
import { AosError } from '../../kernel/errors.ts';
import { quote } from '../../kernel/text/quote.ts';
import type { ToolCall } from '../../tools/tool.ts';
import type { OutgoingRequest } from '../../verbs/http.ts';
import type { HttpSecret, HttpSecrets } from './http-deps.ts';

export interface FilledHeaders {
  readonly headers: ReadonlyMap<string, string>;
  /** The names of those that have a secret in them. */
  readonly secret: ReadonlySet<string>;
}

const placeholder = /\{\{secret:([A-Za-z][A-Za-z0-9_.-]{0,63})\}\}/g;

export async function fillHeaders(
  secrets: HttpSecrets,
  call: ToolCall,
  { url, headers }: OutgoingRequest,
  addresses: readonly string[],
): Promise<FilledHeaders> {
  // S2
  if (url.scheme !== 'https' && !addresses.every(isLoopbackAddress)) {
    return { headers, secret: new Set() };
  }
  const usable = await usableSecrets(secrets, call, url);
  const fillings = [...fillPlaceholders(usable, headers), ...addMissing(usable, headers)];
  for (const name of new Set(fillings.flatMap(({ used }) => used))) {
    await call.permit(useOf(name));
  }
  return {
    headers: new Map([
      ...headers,
      ...fillings.map(({ header, value }) => [header, value()] as const),
    ]),
    secret: new Set(fillings.map(({ header }) => header)),
  };
}

/** S1, S3 */
async function usableSecrets(
  secrets: HttpSecrets,
  call: ToolCall,
  { host, port }: RequestUrl,
): Promise<readonly HttpSecret[]> {
  const usable: HttpSecret[] = [];
  for (const secret of secrets.boundTo(host, port)) {
    if (await call.may(useOf(secret.name))) usable.push(secret);
  }
  return usable;
}

interface Filling {
  readonly header: string;
  /** The names of the secrets in it. */
  readonly used: readonly string[];
  value(): string;
}

/** S4 */
function fillPlaceholders(
  usable: readonly HttpSecret[],
  headers: ReadonlyMap<string, string>,
): readonly Filling[] {
  return [...headers].flatMap(([header, text]) => {
    const mine = usable.filter((secret) => secret.header === header);
    const named = (name: string) => mine.find((secret) => secret.name === name);
    const used = [...text.matchAll(placeholder)].flatMap(([, name = '']) =>
      named(name) === undefined ? [] : [name],
    );
    const value = () =>
      text.replace(placeholder, (whole, name: string) => named(name)?.value() ?? whole);
    return used.length === 0 ? [] : [{ header, used, value }];
  });
}

function addMissing(
  usable: readonly HttpSecret[],
  headers: ReadonlyMap<string, string>,
): readonly Filling[] {
  const missing = Map.groupBy(
    usable.filter(({ header }) => !headers.has(header)),
    ({ header }) => header,
  );
  return [...missing].flatMap(([header, [first, second]]) => {
    if (first === undefined) return [];
    if (second !== undefined) throw taken(header, first.name, second.name);
    return [{ header, used: [first.name], value: () => first.headerValue() }];
  });
}

function useOf(name: string): Action {
  return { resource: 'secret', action: 'use', name };
}

function taken(header: string, one: string, other: string): AosError {
  return new AosError('secret.taken', {
    message: `Two secrets are for the header ${quote(header)} of this host: ${quote(one)} and ${quote(other)}`,
    fix: `Send the header with {{secret:${one}}} in it`,
  });
}
