/** What somebody asks about, as a deed: `read` and `file:/data/x`, `get` and a URL. */
import type { Deed } from '../../../kernel/capability/capability.ts';
import { parseCapability } from '../../../kernel/capability/capability-text.ts';
import { deedOfParts } from '../../../kernel/capability/deed-text.ts';
import { parseRequestUrl } from '../../../kernel/capability/url-text.ts';
import { AosError } from '../../../kernel/errors.ts';
import { quote } from '../../../kernel/text/quote.ts';
import { fetchDeed, tunnelDeed } from '../../../security/egress/fetch-deed.ts';

export function deedOf(home: string, action: string, resource: string): Deed {
  if (/^https?:\/\//.test(resource)) return fetchDeed(parseRequestUrl(resource), action);
  const { target, actions, ...capability } = parseCapability(`${resource}:${action}`);
  const [only = '*', ...others] = actions;
  if (others.length > 0 || only === '*') throw inexact(action, 'one action');
  if (target.kind === 'url') {
    const { host, port, segments, below } = target;
    const isWhole = below && segments.length === 0 && only === 'request';
    if (host.kind === 'exact' && isWhole) return tunnelDeed({ host: host.name, port });
    if (host.kind !== 'exact' || below) throw inexact(resource, 'one host and one path');
    return fetchDeed({ host: host.name, port, path: segments }, only);
  }
  if (target.kind === 'path') {
    const path = target.segments.map((segment) => (segment === 'any' ? '*' : segment.name));
    if (target.subtree || target.segments.includes('any')) throw inexact(resource, 'one path');
    return capability.resource === 'memory'
      ? { resource: 'memory', action: only, path }
      : deedOfParts(home, path, only);
  }
  if (target.kind === 'prefix') throw inexact(resource, 'one name');
  const { resource: kind } = capability;
  if (kind === 'file' || kind === 'http' || kind === 'memory')
    throw inexact(resource, 'one target');
  return { resource: kind, action: only, name: target.kind === 'name' ? target.name : '*' };
}

function inexact(text: string, wanted: string): AosError {
  return new AosError('capability.bad', {
    message: `${quote(text.slice(0, 200))} does not name ${wanted}`,
    fix: 'Ask about one thing: aos cap check jean read file:/data/report.txt',
  });
}
