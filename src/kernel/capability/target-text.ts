/**
 * Which part of a resource a capability is about.
 *
 * P1. Of `file` and `memory` a path: `*` is one segment, and `**` at its end the subtree.
 * P2. Of `http` a host, its port and a path: `*.host` is every name below, and a `/*` at the
 *     end every path below. The port is always there; 443 where none is said.
 * P3. Of everything else a name, the beginning of one (`file.*`), or `*`; of `shell` also the
 *     whole path of one program.
 */
import type {
  Host,
  NameTarget,
  PathTarget,
  Resource,
  Segment,
  Target,
  UrlTarget,
} from './capability.ts';
import { BrokenRule } from './capability-fault.ts';
import { parseHost } from './host-text.ts';
import { parseProgramPath, printProgram } from './program-text.ts';
import { encode, parseSegmentName } from './segment-text.ts';

/** Where nothing is said it is every one; of these that would be more than anybody means. */
const needTarget: ReadonlySet<Resource> = new Set(['file', 'http', 'secret']);

export function parseTarget(resource: Resource, text: string | undefined): Target {
  if (text === undefined || text === '') {
    if (!needTarget.has(resource) && text === undefined) return { kind: 'any' };
    throw new BrokenRule(`it does not say which ${resource}`, `Write it as ${resource}:…:action`);
  }
  if (resource === 'file') return parseFilePath(text);
  if (resource === 'memory') return text === '*' ? { kind: 'any' } : parsePath(text);
  if (resource === 'http') return parseUrl(text);
  return parseName(resource, text);
}

export function printTarget(resource: Resource, target: Target): string {
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
