/** A request, as capabilities see it. */

import { type Action, actionsOf } from '../../kernel/capability/capability.ts';
import { isPublicAddress, parseIpv4 } from '../../kernel/capability/host-text.ts';
import type { RequestUrl } from '../../kernel/capability/url-text.ts';
import { AosError } from '../../kernel/errors.ts';
import { quote } from '../../kernel/text/quote.ts';

export type HttpAction = Extract<Action, { resource: 'http' }>;

/** Who is asked there, and how. */
export type FetchPlace = Pick<RequestUrl, 'scheme' | 'host' | 'port'>;

/** The methods, and what a capability calls them. */
export const actionOf = {
  GET: 'get',
  HEAD: 'head',
  POST: 'post',
  PUT: 'put',
  PATCH: 'patch',
  DELETE: 'delete',
  OPTIONS: 'options',
} as const;

export type Method = keyof typeof actionOf;

/** A method without a name of its own needs what allows every one. */
export function requestAction(
  method: string,
  url: Pick<RequestUrl, 'host' | 'port' | 'path'>,
): HttpAction {
  return fetchAction(url, isNamed(method) ? actionOf[method] : 'request');
}

function isNamed(method: string): method is Method {
  return Object.hasOwn(actionOf, method);
}

/** The proxy does not see what goes through a tunnel: whatever is done there, and wherever. */
export function tunnelAction({ host, port }: Pick<RequestUrl, 'host' | 'port'>): HttpAction {
  return { ...fetchAction({ host, port, path: [] }, 'request'), everyPath: true };
}

/** What is not in the open internet has to be named: no star stands for it. */
export function fetchAction(
  { host, port, path }: Pick<RequestUrl, 'host' | 'port' | 'path'>,
  name: string,
): HttpAction {
  const known = actionsOf.http.find((each) => each === name);
  if (known === undefined) throw noAction(name);
  const address = literalAddress(host);
  const mustNameHost = address === undefined ? isLocalName(host) : !isPublicAddress(address);
  const action = { resource: 'http', action: known, host, port, path } as const;
  return mustNameHost ? { ...action, mustNameHost } : action;
}

/** The address that a host is, without its brackets; undefined for a name. */
export function literalAddress(host: string): string | undefined {
  if (host.startsWith('[')) return host.slice(1, -1);
  return parseIpv4(host) === undefined ? undefined : host;
}

/** A name that means this machine on every resolver. */
export function isLocalName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}

function noAction(action: string): AosError {
  return new AosError('capability.bad', {
    message: `${quote(action.slice(0, 40))} is nothing that is done to an address`,
    fix: `Use one of ${actionsOf.http.join(', ')}`,
  });
}
