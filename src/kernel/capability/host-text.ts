/** Hosts as a capability names them: one way to write each. */

import type { Host } from './capability.ts';
import { BrokenRule } from './capability-fault.ts';
import { parseIpv4, parseIpv6, printIpv6 } from './ip-address.ts';

const label = /^(?:[a-z0-9]|[a-z0-9][a-z0-9-]{0,61}[a-z0-9])$/;
const longestName = 253;

export function parseHost(text: string): Host {
  if (text === '*') return { kind: 'any' };
  if (text.startsWith('*.')) return { kind: 'subdomains', of: domainName(text.slice(2)) };
  if (text.startsWith('[')) return { kind: 'exact', name: addressInBrackets(text) };
  return { kind: 'exact', name: parseIpv4(text) === undefined ? domainName(text) : text };
}

function domainName(text: string): string {
  const labels = text.split('.');
  if (text === '') throw new BrokenRule('it names no host');
  if (text !== text.toLowerCase()) {
    throw new BrokenRule('its host has capital letters', 'Write the host in small letters');
  }
  if (text.length > longestName || !labels.every((each) => label.test(each))) {
    throw new BrokenRule(`${JSON.stringify(text)} is no host name`);
  }
  // Whatever ends so is read as an address by some programs, and as different ones.
  if (/^(?:\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? '')) {
    throw new BrokenRule(
      `${JSON.stringify(text)} is neither a name nor an address`,
      'Write an IPv4 address as four numbers without leading zeros',
    );
  }
  return text;
}

function addressInBrackets(text: string): string {
  const groups = text.endsWith(']') ? parseIpv6(text.slice(1, -1)) : undefined;
  if (groups === undefined) throw new BrokenRule(`${JSON.stringify(text)} is no IPv6 address`);
  const printed = `[${printIpv6(groups)}]`;
  if (printed === text) return text;
  throw new BrokenRule('its address can be written in another way', `Write it as ${printed}`);
}
