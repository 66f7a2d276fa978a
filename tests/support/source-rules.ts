/**
 * The rules of the house, read off the source as text: which folder may import
 * which, no cycles, no clock, chance or disk but through the ports, and no time
 * limit of a test but through limits.ts.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';

export interface SourceFile {
  /** From the root, with slashes: `src/kernel/errors.ts`. */
  readonly path: string;
  readonly code: string;
}

export interface HouseRules {
  /**
   * What each folder of src/ may import besides itself, folders or single files; `*` is
   * everything. A folder (`gateway/contract`) may be bound tighter than the one it is in.
   */
  readonly mayImport: Readonly<Record<string, readonly string[]>>;
  /** Files that only these may import. */
  readonly private: readonly { readonly file: RegExp; readonly onlyBy: RegExp }[];
  /** What is forbidden in the code, and where it is allowed all the same. */
  readonly forbidden: readonly {
    readonly what: RegExp;
    readonly why: string;
    /** Where it is forbidden; everywhere when nothing is said. */
    readonly within?: RegExp;
    readonly except?: RegExp;
  }[];
}

interface Import {
  readonly from: string;
  readonly specifier: string;
  /** Inside the project, the file that is imported. */
  readonly target: string | undefined;
}

export function readSources(root: string): SourceFile[] {
  return readFolder(root, 'src').filter(({ path }) => !path.endsWith('.test.ts'));
}

/** The tests beside the source and all of tests/. */
export function readTestSources(root: string): SourceFile[] {
  return [...readFolder(root, 'src'), ...readFolder(root, 'tests')].filter(({ path }) =>
    /^tests\/.*\.ts$|\.test\.ts$/.test(path),
  );
}

/** The pages of docs/. */
export function readPages(root: string): SourceFile[] {
  return readFolder(root, 'docs').filter(({ path }) => path.endsWith('.md'));
}

function readFolder(root: string, folder: string): SourceFile[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => ({ path: relative(root, path), code: readFileSync(path, 'utf8') }));
}

/** Every breach, one line each; none is what we want. */
export function breaches(sources: readonly SourceFile[], rules: HouseRules): string[] {
  const imports = sources.flatMap(importsOf);
  return [
    ...sources.flatMap(strangeFile),
    ...sources.flatMap(uncheckableImports),
    ...imports.flatMap((found) => wrongImport(found, rules)),
    ...cycles(imports),
    ...sources.flatMap((source) => forbiddenWords(source, rules)),
  ];
}

// Type imports count: a folder that knows another's types depends on it.
const importForms = [
  /(?:^|[;}\s])(?:import|export)\s[^'"`;]*?\bfrom\s*'([^']+)'/g,
  /(?:^|[;}\s])import\s*'([^']+)'/g,
  /\bimport\(\s*'([^']+)'\s*\)/g,
];

export function importsOf({ path, code }: SourceFile): Import[] {
  const text = withoutComments(code);
  return importForms.flatMap((form) =>
    [...text.matchAll(form)].map((match) => {
      const specifier = match[1] ?? '';
      const target = specifier.startsWith('.')
        ? posix.normalize(posix.join(dirname(path), specifier))
        : undefined;
      return { from: path, specifier, target };
    }),
  );
}

function strangeFile({ path }: SourceFile): string[] {
  return /\.(ts|sql)$/.test(path) ? [] : [`${path} is neither .ts nor .sql`];
}

function uncheckableImports({ path, code }: SourceFile): string[] {
  const found = /\bimport\(\s*[^'\s]|\brequire\s*\(|\bcreateRequire\b/.exec(withoutComments(code));
  return found === null ? [] : [`${path}: "${found[0].trim()}" hides what it imports`];
}

function wrongImport({ from, specifier, target }: Import, rules: HouseRules): string[] {
  if (target === undefined) return wrongPackage(from, specifier);
  if (target === 'package.json') return [];
  if (!target.startsWith('src/')) return [`${from} imports ${target}, which lies outside src/`];
  const found: string[] = [];
  const here = roomOf(from, rules);
  if (here === undefined) return [`${from}: its folder is not in the table`];
  const allowed = [here, ...(rules.mayImport[here] ?? [])];
  if (!allowed.some((entry) => entry === '*' || isIn(entry, target))) {
    found.push(`${from} imports ${target}, but may import only ${allowed.join(', ')}`);
  }
  for (const { file, onlyBy } of rules.private) {
    if (file.test(target) && !onlyBy.test(from) && !file.test(from)) {
      found.push(`${from} imports ${target}, which only ${onlyBy.source} may`);
    }
  }
  return found;
}

function wrongPackage(from: string, specifier: string): string[] {
  return isIn('kernel', from)
    ? [`${from} imports "${specifier}", but the kernel is pure and imports no package`]
    : [];
}

/** The innermost folder with a rule of its own. */
function roomOf(path: string, { mayImport }: HouseRules): string | undefined {
  return Object.keys(mayImport)
    .filter((folder) => isIn(folder, path))
    .sort((one, other) => other.length - one.length)[0];
}

function isIn(entry: string, path: string): boolean {
  return path === `src/${entry}.ts` || path.startsWith(`src/${entry}/`);
}

// How a test of vitest can wait, or say how long it may take, without limits.ts.
const looseLimits = [
  /\b(?:vi|expect)\s*\.(?:waitFor|waitUntil|poll)\(/g,
  /\btimeout: [1-9][\d_]{2,}/g,
  /^ *\}, [1-9][\d_]{2,}\);$/gm,
  /\},\n *[1-9][\d_]{2,},\n *\);$/gm,
  /\buntil(?:True)?\([^\n]*, [\d_]+\);$/gm,
];

/** Each time limit of a test that is not scaled by limits.ts, as `file:line: what stands there`. */
export function looseTimeLimits({ path, code }: SourceFile): string[] {
  const text = withoutComments(code);
  return looseLimits.flatMap((form) =>
    [...text.matchAll(form)].map((match) => {
      const line = text.slice(0, match.index).split('\n').length;
      return `${path}:${line}: "${match[0].replace(/\s+/g, ' ')}"`;
    }),
  );
}

/** Each cycle of imports once, as the files along it. */
function cycles(imports: readonly Import[]): string[] {
  const graph = Map.groupBy(imports, ({ from }) => from);
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (file: string, trail: readonly string[]): void => {
    const start = trail.indexOf(file);
    if (start !== -1) {
      found.push(`a cycle: ${[...trail.slice(start), file].join(' -> ')}`);
      return;
    }
    if (done.has(file)) return;
    for (const { target } of graph.get(file) ?? []) {
      if (target !== undefined) visit(target, [...trail, file]);
    }
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return found;
}

function forbiddenWords({ path, code }: SourceFile, { forbidden }: HouseRules): string[] {
  const text = withoutComments(code);
  return forbidden
    .filter(({ within, except }) => within?.test(path) !== false && except?.test(path) !== true)
    .flatMap(({ what, why }) => {
      const found = what.exec(text);
      return found === null ? [] : [`${path}: "${found[0]}" ${why}`];
    });
}

/** Each name of a type, interface or class that several files export, as `Name: file, file`. */
export function repeatedTypeNames(sources: readonly SourceFile[]): string[] {
  const form = /^export (?:declare )?(?:abstract )?(?:type|interface|class) (\w+)/gm;
  const exported = sources.flatMap(({ path, code }) =>
    [...withoutComments(code).matchAll(form)].map((match) => ({ name: match[1] ?? '', path })),
  );
  return [...Map.groupBy(exported, ({ name }) => name)]
    .map(([name, found]) => ({ name, files: [...new Set(found.map(({ path }) => path))] }))
    .filter(({ files }) => files.length > 1)
    .map(({ name, files }) => `${name}: ${files.join(', ')}`)
    .sort();
}

/**
 * Each source file that a page names in backquotes and that is not there, as `page: file`. In a
 * row of a table that begins with a folder, it has to be below that folder.
 */
export function missingFiles({ path, code }: SourceFile, paths: readonly string[]): string[] {
  const missing = code.split('\n').flatMap((line) => {
    const [, folder = ''] = /^\| `(src\/[\w/]+)` /.exec(line) ?? [];
    const known = paths.filter((one) => one.startsWith(folder));
    const named = [...line.matchAll(/`([\w./-]+\.ts)`/g)].map((match) => match[1] ?? '');
    return named.filter((name) => !known.some((one) => one === name || one.endsWith(`/${name}`)));
  });
  return [...new Set(missing)].map((name) => `${path}: ${name}`);
}

export interface SizeLimits {
  readonly linesOfFile: number;
  /** Of those that lie in it itself. */
  readonly filesOfFolder: number;
  readonly files: number;
}

/** Each file, folder and tree that is larger than it may be. */
export function tooLarge(sources: readonly SourceFile[], limits: SizeLimits): string[] {
  const { linesOfFile, filesOfFolder, files } = limits;
  const long = sources
    .map(({ path, code }) => ({ path, lines: code.split('\n').length - 1 }))
    .filter(({ lines }) => lines > linesOfFile)
    .map(({ path, lines }) => `${path} has ${lines} lines, and may have ${linesOfFile}`);
  const full = [...Map.groupBy(sources, ({ path }) => dirname(path))]
    .filter(([, found]) => found.length > filesOfFolder)
    .map(([path, found]) => `${path} has ${found.length} files, and may have ${filesOfFolder}`);
  const all =
    sources.length > files ? [`src has ${sources.length} files, and may have ${files}`] : [];
  return [...long, ...full, ...all];
}

// Strings are stepped over as wholes, because a comment mark inside one ("file:/home/*")
// begins no comment. A quote inside a regular expression can make a comment stay: that
// may blame a comment, and never hides code.
function withoutComments(code: string): string {
  // What follows stays on its line.
  return code.replace(
    stringsAndComments,
    (found, string: string | undefined) => string ?? found.replace(/[^\n]+/g, ''),
  );
}

export interface Comment {
  /** The whole of it, with its marks. */
  readonly text: string;
  /** Where it begins in the code. */
  readonly at: number;
}

/** Lines that begin with `//` and follow each other are one comment. */
export function commentsOf(code: string): Comment[] {
  const found: Comment[] = [];
  for (const { 0: text, 1: string, index: at } of code.matchAll(stringsAndComments)) {
    if (string !== undefined) continue;
    const last = found.at(-1);
    const between = last && code.slice(last.at + last.text.length, at);
    if (last?.text.startsWith('//') && text.startsWith('//') && /^\n *$/.test(between ?? '')) {
      found[found.length - 1] = { text: `${last.text}${between}${text}`, at: last.at };
    } else found.push({ text, at });
  }
  return found;
}

const stringsAndComments =
  /('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\[\s\S])*`)|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g;
