/**
 * What `npm run walk` makes of V8's coverage: which files ran, and in which order. Pure, so that
 * a test can hand it coverage of its own.
 */

/** One script of `Profiler.takePreciseCoverage`, as much of it as is looked at. */
export interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly FunctionCoverage[];
}

export interface FunctionCoverage {
  readonly functionName: string;
  readonly ranges: readonly {
    readonly startOffset: number;
    readonly endOffset: number;
    readonly count: number;
  }[];
}

/** The functions that ran in one turn of the event loop, by file: `src/relay/accept.ts`. */
export type Turn = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * The functions that ran. The body of a module is none: it runs when the file is loaded, whether
 * anything in it is used or not. `root` is the folder's URL, with a slash at its end.
 */
export function turnOf(scripts: readonly ScriptCoverage[], root: string): Turn {
  const turn = new Map<string, Set<string>>();
  for (const { url, functions } of scripts) {
    if (!url.startsWith(`${root}src/`)) continue;
    const ran = functions.filter((found) => !isLoading(found) && hasRun(found)).map(nameOf);
    if (ran.length > 0) turn.set(url.slice(root.length), new Set(ran));
  }
  return turn;
}

function hasRun({ ranges }: FunctionCoverage): boolean {
  return ranges.some(({ count }) => count > 0);
}

function isLoading({ functionName, ranges }: FunctionCoverage): boolean {
  return functionName === '' && ranges.some(({ startOffset }) => startOffset === 0);
}

function nameOf({ functionName, ranges }: FunctionCoverage): string {
  return `${functionName}@${ranges[0]?.startOffset}`;
}

/** All that ran in any of these turns. */
export function together(turns: readonly Turn[]): Turn {
  const all = new Map<string, Set<string>>();
  for (const turn of turns) {
    for (const [file, names] of turn) {
      const known = all.get(file) ?? new Set();
      for (const name of names) known.add(name);
      all.set(file, known);
    }
  }
  return all;
}

/** The functions that are in each of them. */
export function inAll(runs: readonly Turn[]): Turn {
  const [first = new Map(), ...others] = runs;
  return filtered(first, (file, name) => others.every((other) => other.get(file)?.has(name)));
}

function filtered(turn: Turn, keep: (file: string, name: string) => boolean): Turn {
  const kept = [...turn].map(([file, names]) => {
    return [file, new Set([...names].filter((name) => keep(file, name)))] as const;
  });
  return new Map(kept.filter(([, names]) => names.size > 0));
}

/**
 * The files with a function that ran in each of the runs and was not busy anyhow, in the order of
 * the turn of the first run in which they began; files of one turn in the order of the imports,
 * those that call before those that are called.
 */
export function walkOf(
  runs: readonly (readonly Turn[])[],
  busyAnyhow: Turn,
  importOrder: readonly string[],
): string[] {
  const always = inAll(runs.map(together));
  const asked = filtered(always, (file, name) => busyAnyhow.get(file)?.has(name) !== true);
  const rank = new Map(importOrder.map((file, index) => [file, index]));
  const firstTurn = (file: string): number =>
    runs[0]?.findIndex((turn) => turn.get(file)?.intersection(asked.get(file) ?? new Set()).size) ??
    0;
  return [...asked.keys()]
    .map((file) => ({ file, turn: firstTurn(file), rank: rank.get(file) ?? importOrder.length }))
    .sort((one, other) => one.turn - other.turn || one.rank - other.rank)
    .map(({ file }) => file);
}

/**
 * Every file before those that it imports; of files that have nothing to do with each other, the
 * first by name comes first. There is no cycle of imports (tests/architecture.test.ts).
 */
export function inImportOrder(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const callees: string[] = [];
  const visit = (file: string): void => {
    if (done.has(file)) return;
    done.add(file);
    for (const target of [...(imports.get(file) ?? [])].sort().reverse()) visit(target);
    callees.push(file);
  };
  for (const file of [...imports.keys()].sort().reverse()) visit(file);
  return callees.reverse();
}
