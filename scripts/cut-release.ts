/** A release of the checkout at `root`: everything is looked at first, then written, then committed. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface ReleaseOrder {
  readonly root: string;
  /** `0.2.0` */
  readonly version: string;
  /** The day of the release: `2030-01-31`. */
  readonly today: string;
  /** Nothing is written. */
  readonly isDryRun: boolean;
}

export interface Release {
  readonly tag: string;
  /** The files that name the version, from the root. */
  readonly files: readonly string[];
  /** What the changelog says of it. */
  readonly notes: string;
}

/** Says in one sentence why there is no release, and what to do. */
export class ReleaseRefused extends Error {}

export function cutRelease({ root, version, today, isDryRun }: ReleaseOrder): Release {
  const current = currentVersion(root);
  const tag = `v${version}`;
  refuseVersion(version, current, git(root, 'tag', '--list', tag) !== '');
  if (git(root, 'status', '--porcelain') !== '') {
    throw new ReleaseRefused('There are changes that are not committed: commit or stash them');
  }
  const notes = unreleasedNotes(read(root, 'CHANGELOG.md'));
  const changed = changedFiles(root, { current, version, today });
  const files = [...changed.keys()];
  if (!isDryRun) {
    for (const [file, text] of changed) writeFileSync(join(root, file), text);
    commit(root, { files, version, tag });
  }
  return { tag, files, notes };
}

function currentVersion(root: string): string {
  const manifest: { version: string } = JSON.parse(read(root, 'package.json'));
  return manifest.version;
}

/** The version of package.json may be released as long as it has no tag. */
function refuseVersion(version: string, current: string, isTagged: boolean): void {
  if (!/^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}$/.test(version)) {
    throw new ReleaseRefused(`"${version}" is no version: give three numbers, as in 0.2.0`);
  }
  if (isTagged) throw new ReleaseRefused(`There is a tag v${version} already`);
  if (compareVersions(version, current) < 0) {
    throw new ReleaseRefused(`${version} comes before ${current}, which package.json has`);
  }
}

function compareVersions(one: string, other: string): number {
  const [a, b] = [one, other].map((text) => text.split('.').map(Number));
  const differences = (a ?? []).map((part, index) => part - (b?.[index] ?? 0));
  return differences.find((difference) => difference !== 0) ?? 0;
}

const unreleased = /^## Unreleased\n([\s\S]*?)(?=^## |(?![\s\S]))/m;

function unreleasedNotes(changelog: string): string {
  const section = unreleased.exec(changelog);
  if (section === null) throw new ReleaseRefused('CHANGELOG.md has no section "## Unreleased"');
  const notes = (section[1] ?? '').trim();
  if (notes === '') throw new ReleaseRefused('CHANGELOG.md says nothing under "## Unreleased"');
  return notes;
}

interface Versions {
  readonly current: string;
  readonly version: string;
  readonly today: string;
}

/** The new text of each file that changes. */
function changedFiles(root: string, versions: Versions): ReadonlyMap<string, string> {
  const { current, version, today } = versions;
  const changed = new Map<string, string>();
  const change = (file: string, from: RegExp, to: string): void => {
    const before = read(root, file);
    const after = before.replace(from, to);
    if (after !== before) changed.set(file, after);
  };
  const old = current.replaceAll('.', '\\.');
  const field = new RegExp(`("name": "agent-os",\\s+"version": )"${old}"`, 'g');
  change('package.json', field, `$1"${version}"`);
  change('package-lock.json', field, `$1"${version}"`);
  const python = join('clients', 'python', 'pyproject.toml');
  change(python, new RegExp(`^version = "${old}"$`, 'm'), `version = "${version}"`);
  for (const page of pages(root)) {
    // What commands print there is compared with what they do print (tests/e2e/docs.test.ts).
    change(page, new RegExp(`\\bAgent OS ${old}(?![.\\d])`, 'g'), `Agent OS ${version}`);
  }
  change('CHANGELOG.md', /^## Unreleased$/m, `## Unreleased\n\n## ${version}, ${today}`);
  return changed;
}

function pages(root: string): string[] {
  const docs = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
  return ['README.md', ...docs.sort().map((name) => join('docs', name))];
}

interface Commit {
  readonly files: readonly string[];
  readonly version: string;
  readonly tag: string;
}

function commit(root: string, { files, version, tag }: Commit): void {
  try {
    git(root, 'commit', '--quiet', '--message', `Release ${version}`, '--', ...files);
  } catch (failure) {
    // They were as committed before this began.
    git(root, 'checkout', '--quiet', 'HEAD', '--', ...files);
    throw failure;
  }
  git(root, 'tag', '--annotate', tag, '--message', `Agent OS ${version}`);
}

function read(root: string, file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

/** In this folder, also when a hook of another checkout runs us. */
export function git(root: string, ...args: readonly string[]): string {
  const elsewhere = { GIT_DIR: undefined, GIT_WORK_TREE: undefined, GIT_INDEX_FILE: undefined };
  const env = { ...process.env, ...elsewhere };
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', env }).trim();
}
