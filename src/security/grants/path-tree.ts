/**
 * Grants by the parts of a path. Where only one grant has a path, it hangs there with what is
 * left of its path (a twig) instead of a place for each part: among very many grants, each
 * further place to look at costs more than the looking.
 */
import type { PathTarget, Segment } from '../../kernel/capability/capability.ts';
import type { HeldGrant } from './held-grant.ts';

/** What a place leads on to. */
export type Branch = PathNode | HeldGrant;

/** A place in the tree. Lists of grants are chained by their `next`. */
export class PathNode {
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
export interface SharedNames {
  name(name: string): string;
  names(names: readonly string[]): readonly string[];
}

/** What is to stand there from now on. */
export function withPath(
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
export function withNext(grant: HeldGrant, list: HeldGrant | undefined): HeldGrant {
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
export function listsFor(
  root: Branch | undefined,
  path: readonly string[],
  found: HeldGrant[],
): void {
  if (root !== undefined) walk(root, path, 0, found);
}

/** Adds the list of those that are for every path at once. */
export function listForAll(root: Branch | undefined, found: HeldGrant[]): void {
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
