/**
 * What one principal holds, arranged so that an action finds what could allow it without looking
 * at the rest: by names, by hosts, and by the parts of a path.
 */
import {
  type Action,
  bitsOf,
  type CapabilityTarget,
  type Constraints,
  type GrantChain,
  type GrantLink,
  type PathTarget,
  type Segment,
  type UrlTarget,
} from '../../kernel/capability/capability.ts';
import { parseCapability } from '../../kernel/capability/capability-text.ts';
import type { Instant } from '../../kernel/ports.ts';
import type { GrantRow } from '../../ledger/security/grants.ts';

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
   * The lists of whatever has a target that the action lies in, each by its first grant: only
   * whether a part has to be named is left to be looked at.
   */
  listsFor(action: Action, found: HeldGrant[]): void {
    if (this.#isEmpty) return;
    if (action.resource === 'http') {
      for (const host of hostKeys(action.host)) {
        const branch = this.#paths.get(`http ${action.port} ${host}`);
        if (action.everyPath === true) listForAll(branch, found);
        else listsFor(branch, action.path, found);
      }
    } else if ('path' in action) {
      listsFor(this.#paths.get(action.resource), action.path, found);
    } else {
      for (const key of nameKeys(action.name)) {
        const first = this.#names.get(`${action.resource} ${key}`);
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

function nameKey(target: CapabilityTarget): string {
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

// Grants by the parts of a path. Where only one grant has a path, it hangs there with what is
// left of its path (a twig) instead of a place for each part: among very many grants, each
// further place to look at costs more than the looking.

/** What a place leads on to. */
type Branch = PathNode | HeldGrant;

/** A place in the tree. Lists of grants are chained by their `next`. */
class PathNode {
  /** Most places lead on to one name only; a map for it would be one more place to look at. */
  onlyName: string | undefined;
  onlyBranch: Branch | undefined;
  named: Map<string, Branch> | undefined;
  /** A star: whatever the name. */
  any: Branch | undefined;
  /** For just this path. */
  here: HeldGrant | undefined;
  /** For this path and everything below it. */
  below: HeldGrant | undefined;
}

/** Each name, and each row of names, once and in one piece. */
interface SharedNames {
  name(name: string): string;
  names(names: readonly string[]): readonly string[];
}

/** What is to stand there from now on. */
function withPath(
  shared: SharedNames,
  branch: Branch | undefined,
  { segments, subtree }: PathTarget,
  grant: HeldGrant,
): Branch {
  const names = segments.flatMap((segment) => (segment === 'any' ? [] : [segment.name]));
  if (branch === undefined && names.length === segments.length) {
    grant.tail = shared.names(names);
    grant.hasBelow = subtree;
    return grant;
  }
  const node = branch instanceof PathNode ? branch : unfolded(shared, branch);
  addToNode(shared, node, { kind: 'path', segments, subtree }, grant);
  return node;
}

/** A twig as a place of its own, because something else is to hang there too. */
function unfolded(shared: SharedNames, twig: HeldGrant | undefined): PathNode {
  const node = new PathNode();
  if (twig === undefined) return node;
  const segments: readonly Segment[] = twig.tail.map((name) => ({ name }));
  addToNode(shared, node, { kind: 'path', segments, subtree: twig.hasBelow }, twig);
  return node;
}

function addToNode(
  shared: SharedNames,
  node: PathNode,
  { segments: [first, ...segments], subtree }: PathTarget,
  grant: HeldGrant,
): void {
  const rest: PathTarget = { kind: 'path', segments, subtree };
  if (first === undefined) {
    if (subtree) node.below = withNext(grant, node.below);
    else node.here = withNext(grant, node.here);
  } else if (first === 'any') node.any = withPath(shared, node.any, rest, grant);
  else {
    const name = shared.name(first.name);
    setBranch(node, name, withPath(shared, branchAt(node, name), rest, grant));
  }
}

/** Puts a grant before a list. */
function withNext(grant: HeldGrant, list: HeldGrant | undefined): HeldGrant {
  grant.next = list;
  return grant;
}

function setBranch(node: PathNode, name: string, branch: Branch): void {
  if (node.named !== undefined) node.named.set(name, branch);
  else if (node.onlyBranch === undefined || node.onlyName === undefined || node.onlyName === name) {
    node.onlyName = name;
    node.onlyBranch = branch;
  } else {
    node.named = new Map([
      [node.onlyName, node.onlyBranch],
      [name, branch],
    ]);
    node.onlyName = undefined;
    node.onlyBranch = undefined;
  }
}

function branchAt(node: PathNode, name: string): Branch | undefined {
  if (node.named !== undefined) return node.named.get(name);
  return node.onlyName === name ? node.onlyBranch : undefined;
}

/** Adds every list of grants that a path comes by. */
function listsFor(root: Branch | undefined, path: readonly string[], found: HeldGrant[]): void {
  if (root !== undefined) walk(root, path, 0, found);
}

/** Adds the list of those that are for every path at once. */
function listForAll(root: Branch | undefined, found: HeldGrant[]): void {
  if (root instanceof PathNode) {
    if (root.below !== undefined) found.push(root.below);
  } else if (root?.hasBelow === true && root.tail.length === 0) found.push(root);
}

// As deep as a path has parts, of which a path has at most some two thousand.
function walk(branch: Branch, path: readonly string[], depth: number, found: HeldGrant[]): void {
  if (!(branch instanceof PathNode)) {
    if (isOnTwig(branch, path, depth)) found.push(branch);
    return;
  }
  if (branch.below !== undefined) found.push(branch.below);
  const name = path[depth];
  if (name === undefined) {
    if (branch.here !== undefined) found.push(branch.here);
    return;
  }
  const named = branchAt(branch, name);
  if (named !== undefined) walk(named, path, depth + 1, found);
  if (branch.any !== undefined) walk(branch.any, path, depth + 1, found);
}

function isOnTwig({ tail, hasBelow }: HeldGrant, path: readonly string[], depth: number): boolean {
  const left = path.length - depth;
  if (hasBelow ? left < tail.length : left !== tail.length) return false;
  for (let index = 0; index < tail.length; index++) {
    if (tail[index] !== path[depth + index]) return false;
  }
  return true;
}

// A grant in memory, with everything above it.

export interface HeldLink extends GrantLink {
  readonly principal: string;
  /** The agent that gave it; undefined where none did. */
  readonly giver: string | undefined;
  /** Changes once, when the commit that revokes it is on disk. */
  revoked: boolean;
}

export interface HeldGrant extends GrantChain {
  /**
   * Its actions as bits, where nothing but its end is left to be looked at once its target
   * fits: it is not delegated, not counted, lists no programs, and it is not revoked.
   * Else 0. First, because
   * among very many grants each further place to look at costs more than the looking.
   */
  plainBits: number;
  /** Undefined where it has no end. */
  readonly expires: Instant | undefined;
  /** Of one that hangs in a tree of paths as a twig: what is left of its path. */
  tail: readonly string[];
  hasBelow: boolean;
  /** The next one for the same target. */
  next: HeldGrant | undefined;
  readonly id: string;
  /** Itself first, the one that was not delegated last. */
  readonly links: readonly HeldLink[];
  /** A human has to approve every use. */
  readonly asks: boolean;
  /** A human has approved what it allows. */
  readonly approved: boolean;
  /** The links whose uses are counted. */
  readonly counted: readonly HeldLink[];
  /** Of two that allow the same, the lower one is used. */
  readonly rank: number;
}

/** What is told of each link as it is needed: the same object for the same grant. */
export interface LinkSource {
  linkOf(row: GrantRow): HeldLink;
}

/** `rows` is the grant and what is above it, itself first. */
export function heldGrant(source: LinkSource, rows: readonly [GrantRow, ...GrantRow[]]): HeldGrant {
  const [own] = rows;
  const ownLink = source.linkOf(own);
  const links = rows.map((row) => source.linkOf(row));
  const asks = mustAsk(rows);
  const counted = links.filter(({ capability }) => isCounted(capability.constraints));
  const { expires, allowlist } = ownLink.capability.constraints;
  const isAlone = links.length === 1 && counted.length === 0;
  const isPlain = isAlone && allowlist === undefined && !ownLink.revoked;
  return {
    plainBits: isPlain ? bitsOf(ownLink.capability) : 0,
    expires,
    tail: noNames,
    hasBelow: false,
    next: undefined,
    id: own.id,
    links,
    asks,
    approved: !asks && rows.some(({ origin }) => origin === 'approval'),
    counted,
    rank: rankOf(links, { asks, isCounted: counted.length > 0 }),
  };
}

const noNames: readonly string[] = [];

/** What a human has approved is not asked again, whatever it was delegated from. */
function mustAsk(rows: readonly GrantRow[]): boolean {
  for (const { asks, origin } of rows) {
    if (asks === 1) return true;
    if (origin === 'approval') return false;
  }
  return false;
}

export function newLink(row: GrantRow): HeldLink {
  const { id, principal, granted_by } = row;
  const giver = granted_by.startsWith('agent:') ? granted_by : undefined;
  const capability = parseCapability(row.capability);
  return { id, principal, giver, capability, revoked: row.revoked_at !== null };
}

/** Whether it allows nothing any more. */
export function isOver({ revoked, capability }: GrantLink, now: Instant): boolean {
  const { expires } = capability.constraints;
  return revoked || (expires !== undefined && expires <= now);
}

function isCounted({ max, rate }: Constraints): boolean {
  return max !== undefined || rate !== undefined;
}

/** The most bytes that one use may have; undefined where nothing limits them. */
export function mostBytesOf({ links }: HeldGrant): number | undefined {
  const sizes = links.map(({ capability }) => capability.constraints.sizeBytes);
  const given = sizes.filter((size) => size !== undefined);
  return given.length === 0 ? undefined : Math.min(...given);
}

/** How many there are. */
export const ranks = 8;

/**
 * What costs nothing is used first; and before what was delegated what was not, or
 * an agent that delegates could end what rests on its grant unasked.
 */
function rankOf(
  links: readonly HeldLink[],
  { asks, isCounted }: { readonly asks: boolean; readonly isCounted: boolean },
): number {
  const delegated = links.length > 1 ? 1 : 0;
  if (asks) return 6 + delegated;
  if (isCounted) return 4 + delegated;
  const isFree = links.every(({ capability }) => Object.keys(capability.constraints).length === 0);
  return (isFree ? 0 : 2) + delegated;
}
