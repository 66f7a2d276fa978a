/**
 * What one principal holds, arranged so that a deed finds what could allow it without looking
 * at the rest: by names, by hosts, and by the parts of a path.
 */
import type { Deed, PathTarget, Target, UrlTarget } from '../../kernel/capability/capability.ts';
import type { HeldGrant } from './held-grant.ts';
import {
  type Branch,
  listForAll,
  listsFor,
  type SharedNames,
  withNext,
  withPath,
} from './path-tree.ts';

export class Shelf {
  readonly #paths = new Map<string, Branch>();
  readonly #names = new Map<string, HeldGrant>();
  readonly #shared = sharedNames();
  #isEmpty = true;

  add(grant: HeldGrant): void {
    const [own] = grant.links;
    if (own === undefined) throw new Error('a grant has no link');
    const { resource, target } = own.capability;
    this.#isEmpty = false;
    if (target.kind === 'path') {
      this.#addPath(resource, target, grant);
    } else if (target.kind === 'url') {
      this.#addPath(`http ${hostKey(target)}`, pathOf(target), grant);
    } else if (resource === 'memory') {
      this.#addPath(resource, everything, grant);
    } else {
      const key = this.#shared.name(`${resource} ${nameKey(target)}`);
      this.#names.set(key, withNext(grant, this.#names.get(key)));
    }
  }

  /**
   * The lists of whatever has a target that the deed lies in, each by its first grant: only
   * whether a part has to be named is left to be looked at.
   */
  listsFor(deed: Deed, found: HeldGrant[]): void {
    if (this.#isEmpty) return;
    if (deed.resource === 'http') {
      for (const host of hostKeys(deed.host)) {
        const branch = this.#paths.get(`http ${deed.port} ${host}`);
        if (deed.everyPath === true) listForAll(branch, found);
        else listsFor(branch, deed.path, found);
      }
    } else if ('path' in deed) {
      listsFor(this.#paths.get(deed.resource), deed.path, found);
    } else {
      for (const key of nameKeys(deed.name)) {
        const first = this.#names.get(`${deed.resource} ${key}`);
        if (first !== undefined) found.push(first);
      }
    }
  }

  #addPath(key: string, target: PathTarget, grant: HeldGrant): void {
    const whole = this.#shared.name(key);
    this.#paths.set(whole, withPath(this.#shared, this.#paths.get(whole), target, grant));
  }
}

/** In one piece: a part of a longer text would be two places to look at. */
function sharedNames(): SharedNames {
  const names = new Map<string, string>();
  const rows = new Map<string, readonly string[]>();
  const nameOf = (text: string): string => {
    const known = names.get(text);
    if (known !== undefined) return known;
    const whole = Buffer.from(text).toString();
    names.set(whole, whole);
    return whole;
  };
  return {
    name: nameOf,
    names(all) {
      // No name has a slash in it.
      const key = all.join('/');
      const known = rows.get(key);
      if (known !== undefined) return known;
      const row = all.map(nameOf);
      rows.set(key, row);
      return row;
    },
  };
}

const everything: PathTarget = { kind: 'path', segments: [], subtree: true };

function pathOf({ segments, below }: UrlTarget): PathTarget {
  return { kind: 'path', segments: segments.map((name) => ({ name })), subtree: below };
}

function hostKey({ host, port }: UrlTarget): string {
  if (host.kind === 'any') return `${port} *`;
  return host.kind === 'exact' ? `${port} ${host.name}` : `${port} *.${host.of}`;
}

/** The host, every domain that it lies in, and all. */
function hostKeys(host: string): readonly string[] {
  const keys = [host];
  for (let dot = host.indexOf('.'); dot !== -1; dot = host.indexOf('.', dot + 1)) {
    keys.push(`*${host.slice(dot)}`);
  }
  keys.push('*');
  return keys;
}

function nameKey(target: Target): string {
  if (target.kind === 'name') return target.name;
  return target.kind === 'prefix' ? `${target.prefix}*` : '*';
}

function nameKeys(name: string): readonly string[] {
  // A path is named whole, and a star in it is a part of its name.
  if (name.startsWith('/')) return [name, '*'];
  const keys = [name];
  for (let dot = name.indexOf('.'); dot !== -1; dot = name.indexOf('.', dot + 1)) {
    keys.push(`${name.slice(0, dot + 1)}*`);
  }
  if (name !== '*') keys.push('*');
  return keys;
}
