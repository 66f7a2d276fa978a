/** A request, as capabilities see it. */
import { isPublicAddress } from '../../kernel/address-kinds.ts';
import { actionsOf, type Deed } from '../../kernel/capability/capability.ts';
import type { RequestUrl } from '../../kernel/capability/url-text.ts';
import { AosError } from '../../kernel/errors.ts';
import { parseIpv4 } from '../../kernel/ip-address.ts';
import { quote } from '../../kernel/quote.ts';

export type HttpDeed = Extract<Deed, { resource: 'http' }>;

/** What is not in the open internet has to be named: no star stands for it. */
export function fetchDeed(
  { host, port, path }: Pick<RequestUrl, 'host' | 'port' | 'path'>,
  action: string,
): HttpDeed {
  const known = actionsOf.http.find((each) => each === action);
  if (known === undefined) throw noAction(action);
  const address = literalAddress(host);
  const mustNameHost = address === undefined ? isLocalName(host) : !isPublicAddress(address);
  const deed = { resource: 'http', action: known, host, port, path } as const;
  return mustNameHost ? { ...deed, mustNameHost } : deed;
}

/** The address that a host is, without its brackets; undefined for a name. */
export function literalAddress(host: string): string | undefined {
  if (host.startsWith('[')) return host.slice(1, -1);
  return parseIpv4(host) === undefined ? undefined : host;
}

/** A name that means this machine, whoever is asked. */
export function isLocalName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}

function noAction(action: string): AosError {
  return new AosError('capability.bad', {
    message: `${quote(action.slice(0, 40))} is nothing that is done to an address`,
    fix: `Use one of ${actionsOf.http.join(', ')}`,
  });
}
