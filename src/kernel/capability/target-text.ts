/**
 * Which part of a resource a capability is about.
 *
 * P1. Of `file` and `memory` a path: `*` is one segment, and `**` at its end the subtree.
 * P2. Of `http` a host, its port and a path: `*.host` is every name below, and a `/*` at the
 *     end every path below. The port is always there; 443 where none is said.
 * P3. Of everything else a name, the beginning of one (`file.*`), or `*`; of `shell` also the
 *     whole path of one program.
 */

import { must } from '../must.ts';
import {
  BrokenRule,
  type CapabilityTarget,
  type Host,
  type NameTarget,
  type PathTarget,
  type Resource,
  type Segment,
  type UrlTarget,
} from './capability.ts';
import { parseHost } from './host-text.ts';

/**
 * Where nothing is said it is every one; of these that would be more than the author of a grant
 * means.
 */
const needTarget: ReadonlySet<Resource> = new Set(['file', 'http', 'secret']);

export function parseTarget(resource: Resource, text: string | undefined): CapabilityTarget {
  if (text === undefined || text === '') {
    if (!needTarget.has(resource) && text === undefined) return { kind: 'any' };
    throw new BrokenRule(`it does not say which ${resource}`, `Write it as ${resource}:…:action`);
  }
  if (resource === 'file') return parseFilePath(text);
  if (resource === 'memory') return text === '*' ? { kind: 'any' } : parsePath(text);
  if (resource === 'http') return parseUrl(text);
  return parseName(resource, text);
}

export function printTarget(resource: Resource, target: CapabilityTarget): string {
  if (target.kind === 'any') return '*';
  if (target.kind === 'name') {
    return resource === 'shell' ? printProgram(target.name) : target.name;
  }
  if (target.kind === 'prefix') return `${target.prefix}*`;
  if (target.kind === 'url') return printUrl(target);
  return `${resource === 'file' ? '/' : ''}${printPath(target)}`;
}

function parseFilePath(text: string): PathTarget {
  if (!text.startsWith('/')) {
    throw new BrokenRule('its path does not begin with "/"', 'Write the whole path');
  }
  if (text === '/') return { kind: 'path', segments: [], subtree: false };
  return parsePath(text.slice(1));
}

// P1
function parsePath(text: string): PathTarget {
  const parts = text.split('/');
  const subtree = parts.at(-1) === '**';
  const segments = (subtree ? parts.slice(0, -1) : parts).map(parseSegment);
  return { kind: 'path', segments, subtree };
}

function parseSegment(text: string): Segment {
  if (text === '*') return 'any';
  if (text.includes('*')) {
    throw new BrokenRule(
      '"*" stands for a whole name, and "**" only at the end',
      'Write a star that is part of a name as %2A',
    );
  }
  return { name: parseSegmentName(text) };
}

function printPath({ segments, subtree }: PathTarget): string {
  const parts = segments.map((segment) => (segment === 'any' ? '*' : encode(segment.name)));
  return [...parts, ...(subtree ? ['**'] : [])].join('/');
}

const defaultPort = 443;
const highestPort = 65_535;

// P2
function parseUrl(text: string): UrlTarget {
  const slash = text.indexOf('/');
  const place = slash === -1 ? text : text.slice(0, slash);
  const { host, port } = parsePlace(place);
  if (slash === -1) return { kind: 'url', host, port, segments: [], below: true };
  const parts = text.slice(slash + 1).split('/');
  const below = parts.at(-1) === '*';
  // `/` alone is that one path.
  const rest = below ? parts.slice(0, -1) : parts;
  const segments = rest.length === 1 && rest[0] === '' ? [] : rest.map(parseSegmentName);
  return { kind: 'url', host, port, segments, below };
}

function parsePlace(text: string): { readonly host: Host; readonly port: number } {
  const [, name = '', digits] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/s.exec(text) ?? [];
  const host = parseHost(name);
  if (digits === undefined) return { host, port: defaultPort };
  const port = /^[1-9]\d{0,4}$/.test(digits) ? Number(digits) : 0;
  if (port > 0 && port <= highestPort) return { host, port };
  throw new BrokenRule(`${JSON.stringify(digits)} is no port`);
}

function printUrl({ host, port, segments, below }: UrlTarget): string {
  const path = segments.map((name) => `/${encode(name)}`).join('');
  const end = below ? '/*' : segments.length === 0 ? '/' : '';
  return `${printHost(host)}:${port}${path}${end}`;
}

function printHost(host: Host): string {
  if (host.kind === 'any') return '*';
  return host.kind === 'subdomains' ? `*.${host.of}` : host.name;
}

const lawfulName = /^[A-Za-z0-9_#][A-Za-z0-9_.#-]{0,127}$/;
// As g++.
const lawfulProgram = /^[A-Za-z0-9_#][A-Za-z0-9_.#+-]{0,127}$/;

// P3
function parseName(resource: Resource, text: string): NameTarget {
  if (text === '*') return { kind: 'any' };
  if (resource === 'shell' && text.startsWith('/')) {
    return { kind: 'name', name: parseProgramPath(text) };
  }
  const isPrefix = text.endsWith('.*');
  const name = isPrefix ? text.slice(0, -1) : text;
  const lawful = resource === 'shell' ? lawfulProgram : lawfulName;
  if (!lawful.test(name) || name.slice(1).includes('#')) {
    throw new BrokenRule(`${JSON.stringify(text)} is no name of a ${resource}`);
  }
  return isPrefix ? { kind: 'prefix', prefix: name } : { kind: 'name', name };
}

const longestNameBytes = 255;

/**
 * One part of a path. A character that means something to capabilities is written as `%` and
 * two digits. No other is, so that there is one way to write each, and none to write a slash.
 */
function parseSegmentName(text: string): string {
  const name = decode(text);
  if (name === '') throw new BrokenRule('its path has an empty part');
  if (name === '.' || name === '..') throw new BrokenRule(`its path has a part ${name}`);
  if (Buffer.byteLength(name) > longestNameBytes) {
    throw new BrokenRule(`a part of its path has more than ${longestNameBytes} bytes`);
  }
  return name;
}

/** Among them what ends a target in either spelling. */
const mustEncode = '%:{}*?&=,# "\\';

function decode(text: string): string {
  for (const character of text) {
    if (character !== '%' && mustEncode.includes(character)) {
      const code = encodeCharacter(character);
      throw new BrokenRule(`its path has ${JSON.stringify(character)}`, `Write it as ${code}`);
    }
  }
  return text.replace(/%(.{0,2})/gsu, (whole, digits: string) => {
    const code = /^[0-9A-F]{2}$/.test(digits) ? Number.parseInt(digits, 16) : -1;
    const character = String.fromCharCode(code);
    if (code > 0 && mustEncode.includes(character)) return character;
    throw new BrokenRule(`nothing is written as ${whole} here`);
  });
}

function encode(name: string): string {
  return Array.from(name, (character) =>
    mustEncode.includes(character) ? encodeCharacter(character) : character,
  ).join('');
}

function encodeCharacter(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}

// Programs, as `shell` calls them: by name those of the machine, and any other by its path
// inside the sandbox.

/** Where programs are looked for by their names, inside and on the host alike. */
export const programFolders = ['/usr/local/bin', '/usr/bin', '/bin'] as const;

export function parseProgramPath(text: string): string {
  const names = text.slice(1).split('/').map(parseSegmentName);
  const name = must(names.at(-1), 'the name of a program');
  // It would allow nothing: what runs from there is asked for by its name.
  if (programFolders.some((folder) => `${folder}/${name}` === `/${names.join('/')}`)) {
    throw new BrokenRule('a program of the machine has a name', `Write ${name} and no path`);
  }
  return `/${names.join('/')}`;
}

export function printProgram(program: string): string {
  return program.startsWith('/') ? program.split('/').map(encode).join('/') : program;
}
