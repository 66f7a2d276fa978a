/** Hosts as a capability names them: one way to write each. */

import { must } from '../must.ts';
import { BrokenRule, type Host } from './capability.ts';

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
  if (/^(?:\d+|0x[0-9a-f]*)$/.test(must(labels.at(-1), 'the last label of a host'))) {
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

/** IP addresses as numbers. */

/** Undefined unless it is four decimal numbers without leading zeros. */
export function parseIpv4(text: string): number | undefined {
  const parts = text.split('.');
  if (parts.length !== 4) return undefined;
  let value = 0;
  for (const part of parts) {
    if (!/^(?:0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255) return undefined;
    value = value * 256 + Number(part);
  }
  return value;
}

const groupCount = 8;

/** The eight groups; undefined unless it is an IPv6 address. Zones are not taken. */
export function parseIpv6(text: string): readonly number[] | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map((half, index) => parseGroups(half, index === halves.length - 1));
  if (head === undefined || (halves.length === 2 && tail === undefined)) return undefined;
  if (tail === undefined) return head.length === groupCount ? head : undefined;
  const missing = groupCount - head.length - tail.length;
  return missing < 1 ? undefined : [...head, ...Array<number>(missing).fill(0), ...tail];
}

/** The last two may be written as an IPv4 address. */
function parseGroups(text: string, mayEndInIpv4: boolean): readonly number[] | undefined {
  if (text === '') return [];
  const groups: number[] = [];
  const parts = text.split(':');
  for (const [index, part] of parts.entries()) {
    const ipv4 = part.includes('.') ? parseIpv4(part) : undefined;
    if (/^[0-9a-fA-F]{1,4}$/.test(part)) groups.push(Number.parseInt(part, 16));
    else if (ipv4 !== undefined && mayEndInIpv4 && index === parts.length - 1) {
      groups.push(Math.floor(ipv4 / 65_536), ipv4 % 65_536);
    } else return undefined;
  }
  return groups;
}

/** As RFC 5952 wants it: small letters, no leading zeros, the first longest run of zeros left out. */
export function printIpv6(groups: readonly number[]): string {
  const { start, length } = longestZeros(groups);
  const print = (part: readonly number[]): string =>
    part.map((group) => group.toString(16)).join(':');
  if (length < 2) return print(groups);
  return `${print(groups.slice(0, start))}::${print(groups.slice(start + length))}`;
}

function longestZeros(groups: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  let start = 0;
  for (let index = 0; index <= groups.length; index++) {
    if (groups[index] === 0) continue;
    if (index - start > best.length) best = { start, length: index - start };
    start = index + 1;
  }
  return best;
}

/**
 * Whether an address, as a resolver gives it, lies in the open internet. What is not known to, does
 * not: this machine, its network, the metadata pages of clouds, and whatever wraps one of those. A
 * text that is no address is not public.
 */
export function isPublicAddress(address: string): boolean {
  const ipv4 = parseIpv4(address);
  if (ipv4 !== undefined) return isPublicIpv4(ipv4);
  const ipv6 = parseIpv6(address);
  return ipv6 !== undefined && isPublicIpv6(ipv6);
}

/** Whether what is sent there stays on this machine. */
export function isLoopbackAddress(address: string): boolean {
  const ipv4 = parseIpv4(address);
  if (ipv4 !== undefined) return within(ipv4, '127.0.0.0', 8);
  return parseIpv6(address)?.every((group, index) => group === (index === 7 ? 1 : 0)) ?? false;
}

/** By RFC 6890 and what followed it. */
const closedIpv4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // What a cloud tells its machines about themselves, at an address like any other.
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const;

function isPublicIpv4(address: number): boolean {
  return !closedIpv4.some(([network, bits]) => within(address, network, bits));
}

// Divided, not shifted: bit operations have a sign.
function within(address: number, network: string, bits: number): boolean {
  const size = 2 ** (32 - bits);
  return (
    Math.floor(address / size) ===
    Math.floor(must(parseIpv4(network), 'the address of a network') / size)
  );
}

function isPublicIpv6(groups: readonly number[]): boolean {
  const wrapped = wrappedIpv4(groups);
  if (wrapped !== undefined) return isPublicIpv4(wrapped);
  const [first, second] = [groupAt(groups, 0), groupAt(groups, 1)];
  // 2000::/3 is all that was ever given out; `::`, `::1`, fc00::/7, fe80::/10, ff00::/8,
  // 64:ff9b:1::/48 and the addresses that are only compatible with IPv4 lie outside of it.
  if (Math.floor(first / 0x2000) !== 1) return false;
  // 2001::/23 is for protocols, Teredo among them.
  if (first === 0x2001 && second < 0x0200) return false;
  if (first === 0x2001 && second === 0x0db8) return false;
  return !(first === 0x3fff && second < 0x1000);
}

/** One of the eight groups of an IPv6 address. */
function groupAt(groups: readonly number[], index: number): number {
  return must(groups[index], 'a group of an IPv6 address');
}

/** Where a gateway would send it on to IPv4, that address is the one that counts. */
function wrappedIpv4(groups: readonly number[]): number | undefined {
  const at = (index: number): number =>
    groupAt(groups, index) * 65_536 + groupAt(groups, index + 1);
  const begins = (...start: readonly number[]): boolean =>
    start.every((group, index) => groups[index] === group);
  if (begins(0, 0, 0, 0, 0, 0xffff)) return at(6);
  if (begins(0x64, 0xff9b, 0, 0, 0, 0)) return at(6);
  return begins(0x2002) ? at(1) : undefined;
}
