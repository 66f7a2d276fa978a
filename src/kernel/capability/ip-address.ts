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
