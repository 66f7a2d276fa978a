/**
 * Which addresses lie in the open internet. What is not known to, does not: this machine, its
 * network, the metadata pages of clouds, and whatever wraps one of those.
 */
import { parseIpv4, parseIpv6 } from './ip-address.ts';

/** Of an address as a resolver gives it. A text that is none is not public. */
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
  return Math.floor(address / size) === Math.floor((parseIpv4(network) ?? Number.NaN) / size);
}

function isPublicIpv6(groups: readonly number[]): boolean {
  const wrapped = wrappedIpv4(groups);
  if (wrapped !== undefined) return isPublicIpv4(wrapped);
  const [first = 0, second = 0] = groups;
  // 2000::/3 is all that was ever given out; `::`, `::1`, fc00::/7, fe80::/10, ff00::/8,
  // 64:ff9b:1::/48 and the addresses that are only compatible with IPv4 lie outside of it.
  if (Math.floor(first / 0x2000) !== 1) return false;
  // 2001::/23 is for protocols, Teredo among them.
  if (first === 0x2001 && second < 0x0200) return false;
  if (first === 0x2001 && second === 0x0db8) return false;
  return !(first === 0x3fff && second < 0x1000);
}

/** Where a gateway would send it on to IPv4, that address is the one that counts. */
function wrappedIpv4(groups: readonly number[]): number | undefined {
  const at = (index: number): number => (groups[index] ?? 0) * 65_536 + (groups[index + 1] ?? 0);
  const begins = (...start: readonly number[]): boolean =>
    start.every((group, index) => groups[index] === group);
  if (begins(0, 0, 0, 0, 0, 0xffff)) return at(6);
  if (begins(0x64, 0xff9b, 0, 0, 0, 0)) return at(6);
  return begins(0x2002) ? at(1) : undefined;
}
