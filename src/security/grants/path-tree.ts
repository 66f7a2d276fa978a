/** Grants by the parts of a path. */
import type { PathTarget } from '../../kernel/capability/capability.ts';
import type { HeldGrant } from './held-grant.ts';

/** A place in the tree. Lists of grants are chained by their `next`. */
export interface PathNode {
  /** Most places lead on to one name only; a map for it would be one more place to look at. */
  onlyName: string | undefined;
  onlyNode: PathNode | undefined;
  named: Map<string, PathNode> | undefined;
  /** A star: whatever the name. */
  any: PathNode | undefined;
  /** For just this path. */
  here: HeldGrant | undefined;
  /** For this path and everything below it. */
  below: HeldGrant | undefined;
}

export function newNode(): PathNode {
  return {
    ...{ onlyName: undefined, onlyNode: undefined, named: undefined },
    ...{ any: undefined, here: undefined, below: undefined },
  };
}

export function addPath(root: PathNode, { segments, subtree }: PathTarget, grant: HeldGrant): void {
  let node = root;
  for (const segment of segments) {
    if (segment === 'any') {
      node.any ??= newNode();
      node = node.any;
    } else node = namedNode(node, segment.name);
  }
  if (subtree) node.below = withNext(grant, node.below);
  else node.here = withNext(grant, node.here);
}

/** Puts a grant before a list. */
export function withNext(grant: HeldGrant, list: HeldGrant | undefined): HeldGrant {
  grant.next = list;
  return grant;
}

function namedNode(node: PathNode, name: string): PathNode {
  const known = childOf(node, name);
  if (known !== undefined) return known;
  const child = newNode();
  if (node.named !== undefined) node.named.set(name, child);
  else if (node.onlyNode === undefined || node.onlyName === undefined) {
    node.onlyName = name;
    node.onlyNode = child;
  } else {
    node.named = new Map([
      [node.onlyName, node.onlyNode],
      [name, child],
    ]);
    node.onlyName = undefined;
    node.onlyNode = undefined;
  }
  return child;
}

function childOf(node: PathNode, name: string): PathNode | undefined {
  if (node.named !== undefined) return node.named.get(name);
  return node.onlyName === name ? node.onlyNode : undefined;
}

/** Every list of grants that a path comes by. */
export function listsFor(
  root: PathNode | undefined,
  path: readonly string[],
  found: HeldGrant[],
): void {
  if (root !== undefined) walk(root, path, 0, found);
}

// As deep as a path has parts, of which a path has at most some two thousand.
function walk(node: PathNode, path: readonly string[], depth: number, found: HeldGrant[]): void {
  if (node.below !== undefined) found.push(node.below);
  const name = path[depth];
  if (name === undefined) {
    if (node.here !== undefined) found.push(node.here);
    return;
  }
  const named = childOf(node, name);
  if (named !== undefined) walk(named, path, depth + 1, found);
  if (node.any !== undefined) walk(node.any, path, depth + 1, found);
}
