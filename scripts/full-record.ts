/** What the full tier has come to: for this tree in a cache, and for readers in the docs. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inColumns } from './markdown-table.ts';
import { root } from './run-tool.ts';
import { checkoutState, treeHashWithout } from './tree.ts';

interface SliceRecord {
  readonly passed: number;
  readonly seconds: number;
  /** A day, as 2026-01-31. */
  readonly day: string;
  /** The beginning of the hash of everything but the page that this is written into. */
  readonly tree: string;
}

type Records = Readonly<Record<string, SliceRecord>>;

const page = 'docs/reliability.md';
const docs = join(root, page);
const cache = join(root, 'node_modules', '.cache', 'full-tier.json');
const [begin, end] = ['<!-- full tier: written by npm run test:full -->', '<!-- end -->'];

export class FullRecord {
  readonly #writesDocs: boolean;
  readonly #tree = treeHashWithout(page).slice(0, 10);

  /** In CI the docs are left alone: what it tests must stay as it was. */
  constructor({ writesDocs }: { readonly writesDocs: boolean }) {
    this.#writesDocs = writesDocs;
  }

  /** Whether it was done for the tree of the last commit, with nothing changed since. */
  has({ name }: { readonly name: string }): boolean {
    return this.#tree !== '' && this.#isCommitted() && readCache()[name]?.tree === this.#tree;
  }

  add(
    { name }: { readonly name: string },
    { passed, seconds }: Pick<SliceRecord, 'passed' | 'seconds'>,
  ): void {
    const day = new Date().toISOString().slice(0, 10);
    const tree = this.#isCommitted() ? this.#tree : `${this.#tree}, changed`;
    const record = { passed, seconds: Math.round(seconds), day, tree };
    const all = { ...readCache(), [name]: record };
    mkdirSync(dirname(cache), { recursive: true });
    replace(cache, JSON.stringify(all));
    if (this.#writesDocs) replace(docs, withRecord(readFileSync(docs, 'utf8'), name, record));
  }

  // What this very program writes is no change.
  #isCommitted(): boolean {
    return checkoutState().replaceAll(/^.. docs\/reliability\.md\n/gm, '') === '';
  }
}

function readCache(): Records {
  try {
    const all: unknown = JSON.parse(readFileSync(cache, 'utf8'));
    // Who writes anything else into it does every slice again.
    return Object(all) === all ? (all as Records) : {};
  } catch {
    // Nothing has been done yet.
    return {};
  }
}

/** Whole or not at all, whenever this is stopped. */
function replace(path: string, text: string): void {
  const making = `${path}.${process.pid}`;
  writeFileSync(making, text);
  renameSync(making, path);
}

/** The page with one row of its table written anew, or added in its place. */
export function withRecord(page: string, name: string, record: SliceRecord): string {
  const [before = '', rest = ''] = page.split(begin);
  const [table = '', after = ''] = rest.split(end);
  if (after === '') throw new Error(`docs/reliability.md has no "${begin}" with an end`);
  const rows = new Map(
    [...table.matchAll(/^\| (\S+) +\|(.*)\|$/gm)]
      .filter(([, slice]) => slice !== 'slice' && !/^-+$/.test(slice ?? ''))
      .map(([, slice = '', cells = '']) => [slice, cells.split('|').map((cell) => cell.trim())]),
  );
  const { passed, seconds, day, tree } = record;
  rows.set(name, [String(passed), String(seconds), day, tree]);
  const all = [
    ['slice', 'passed', 'seconds', 'day', 'tree'],
    ...[...rows]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([slice, cells]) => [slice, ...cells]),
  ];
  return `${before}${begin}\n\n${inColumns(all)}\n\n${end}${after}`;
}
