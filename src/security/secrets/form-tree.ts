/**
 * Many forms as one tree: what begins alike is gone along once. A branch goes as far as
 * its forms are the same, so that a long form costs no more than its bytes.
 */

export interface Branch {
  /** Of a whole form that goes this way, from its beginning. */
  readonly codes: Uint8Array;
  /** How many of them are this branch and what leads to it. */
  end: number;
  /** Of the secret with a form that ends here. */
  name: string | undefined;
  /** By the code that follows. */
  next: Map<number, Branch>;
}

interface Row {
  readonly name: string;
  readonly codes: Uint8Array;
}

export function emptyTree(): Branch {
  return { codes: new Uint8Array(), end: 0, name: undefined, next: new Map() };
}

/** Of two that are the same, the first one is named. */
export function addToTree(tree: Branch, { name, codes }: Row): void {
  let branch = tree;
  for (let depth = 0; ; depth++) {
    const code = codes[depth];
    const theirs = depth < branch.end ? branch.codes[depth] : undefined;
    if (theirs !== undefined && theirs === code) continue;
    if (theirs !== undefined) split(branch, depth, theirs);
    if (code === undefined) {
      branch.name ??= name;
      return;
    }
    const next = branch.next.get(code);
    if (next === undefined) {
      branch.next.set(code, { codes, end: codes.length, name, next: new Map() });
      return;
    }
    branch = next;
  }
}

function split(branch: Branch, depth: number, code: number): void {
  const { codes, end, name, next } = branch;
  branch.end = depth;
  branch.name = undefined;
  branch.next = new Map([[code, { codes, end, name, next }]]);
}

/** The branch after one more character; undefined when no form goes on like that. */
export function goOn(branch: Branch, depth: number, code: number): Branch | undefined {
  if (depth === branch.end) return branch.next.get(code);
  return branch.codes[depth] === code ? branch : undefined;
}

/** Of a secret of which a form ends here. */
export function nameAt({ end, name }: Branch, depth: number): string | undefined {
  return depth === end ? name : undefined;
}

export function hasMore({ end, next }: Branch, depth: number): boolean {
  return depth < end || next.size > 0;
}
