import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type TemporaryFolder, temporaryFolder } from '../tests/support/temporary-folder.ts';
import { cutRelease, git as gitIn, ReleaseRefused } from './cut-release.ts';

interface Checkout extends AsyncDisposable {
  readonly folder: TemporaryFolder;
  git(...args: readonly string[]): string;
  read(name: string): string;
  write(name: string, text: string): void;
  release(version: string, options?: { readonly isDryRun: boolean }): ReturnType<typeof cutRelease>;
}

const manifest = (version: string) => `{
  "name": "agent-os",
  "version": "${version}",
  "dependencies": { "zod": "0.1.0" }
}
`;

const lock = (version: string) => `{
  "name": "agent-os",
  "version": "${version}",
  "packages": {
    "": {
      "name": "agent-os",
      "version": "${version}"
    },
    "node_modules/zod": { "version": "0.1.0" }
  }
}
`;

const files = {
  'package.json': manifest('0.1.0'),
  'package-lock.json': lock('0.1.0'),
  'clients/python/pyproject.toml': '[project]\nversion = "0.1.0"\n',
  'README.md': '$ aos up\nAgent OS 0.1.0 is up.\n',
  'docs/files.md': 'No version.\n',
  'CHANGELOG.md':
    '# Changelog\n\n## Unreleased\n\n- One.\n\n- Two.\n\n## 0.0.9, 2029-01-01\n\n- Old.\n',
};

function checkout(more: Readonly<Record<string, string>> = {}): Checkout {
  const folder = temporaryFolder();
  const git: Checkout['git'] = (...args) => gitIn(folder.path, ...args);
  const write: Checkout['write'] = (name, text) => writeFileSync(folder.at(name), text);
  for (const name of ['docs', 'clients/python']) mkdirSync(folder.at(name), { recursive: true });
  for (const [name, text] of Object.entries({ ...files, ...more })) write(name, text);
  git('init', '--quiet');
  git('config', 'user.name', 'Jean');
  git('config', 'user.email', 'jean@example.org');
  git('config', 'commit.gpgsign', 'false');
  git('config', 'tag.gpgsign', 'false');
  git('add', '.');
  git('commit', '--quiet', '--message', 'Begin');
  return {
    ...{ folder, git, write },
    read: (name) => readFileSync(folder.at(name), 'utf8'),
    release: (version, { isDryRun } = { isDryRun: false }) =>
      cutRelease({ root: folder.path, version, today: '2030-01-31', isDryRun }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

test('a release has its version in every file that names it, and nowhere else', async () => {
  await using house = checkout();

  house.release('0.2.0');

  expect(house.read('package.json')).toBe(manifest('0.2.0'));
  expect(house.read('package-lock.json')).toBe(lock('0.2.0'));
  expect(house.read('clients/python/pyproject.toml')).toBe('[project]\nversion = "0.2.0"\n');
  expect(house.read('README.md')).toBe('$ aos up\nAgent OS 0.2.0 is up.\n');
});

test('a release moves what is unreleased under its version and day', async () => {
  await using house = checkout();

  const { notes } = house.release('0.2.0');

  expect(notes).toBe('- One.\n\n- Two.');
  expect(house.read('CHANGELOG.md')).toBe(
    '# Changelog\n\n## Unreleased\n\n## 0.2.0, 2030-01-31\n\n- One.\n\n- Two.\n\n## 0.0.9, 2029-01-01\n\n- Old.\n',
  );
});

test('a release is one commit with an annotated tag on it', async () => {
  await using house = checkout();

  house.release('0.2.0');

  expect(house.git('log', '--format=%s')).toBe('Release 0.2.0\nBegin');
  expect(house.git('rev-parse', 'v0.2.0^{commit}')).toBe(house.git('rev-parse', 'HEAD'));
  expect(house.git('cat-file', '-t', 'v0.2.0')).toBe('tag');
  expect(house.git('status', '--porcelain')).toBe('');
});

test('the version that package.json has can be released once', async () => {
  await using house = checkout();

  house.release('0.1.0');
  house.write('CHANGELOG.md', '## Unreleased\n\n- More.\n');
  house.git('commit', '--quiet', '--all', '--message', 'More');

  expect(house.read('README.md')).toBe(files['README.md']);
  expect(() => house.release('0.1.0')).toThrow('There is a tag v0.1.0 already');
});

test('a dry run tells the same and writes nothing', async () => {
  await using house = checkout();

  const told = house.release('0.2.0', { isDryRun: true });

  expect(told.files).toEqual([
    'package.json',
    'package-lock.json',
    'clients/python/pyproject.toml',
    'README.md',
    'CHANGELOG.md',
  ]);
  expect(house.git('status', '--porcelain')).toBe('');
  expect(house.git('tag')).toBe('');
  expect(house.release('0.2.0')).toEqual(told);
});

test.each([
  ['v0.2.0', 'is no version'],
  ['0.2', 'is no version'],
  ['0.02.0', 'is no version'],
  ['0.2.0-rc.1', 'is no version'],
  ['0.0.10', '0.0.10 comes before 0.1.0'],
])('the version %s is refused', async (version, why) => {
  await using house = checkout();

  expect(() => house.release(version)).toThrow(why);
  expect(house.git('status', '--porcelain')).toBe('');
});

test('0.10.0 comes after 0.9.0', async () => {
  await using house = checkout({ 'package.json': manifest('0.9.0') });

  expect(house.release('0.10.0').tag).toBe('v0.10.0');
});

test.each([
  ['is empty', '## Unreleased\n\n## 0.0.9, 2029-01-01\n\n- Old.\n', 'says nothing'],
  ['is empty and the last', '# Changelog\n\n## Unreleased\n', 'says nothing'],
  ['is missing', '# Changelog\n\n## 0.0.9, 2029-01-01\n\n- Old.\n', 'has no section'],
])('a changelog whose unreleased section %s is refused', async (_what, changelog, why) => {
  await using house = checkout({ 'CHANGELOG.md': changelog });

  expect(() => house.release('0.2.0')).toThrow(why);
});

test.each([
  ['changed', 'README.md'],
  ['new', 'new.txt'],
])('a checkout with a file that is %s is refused', async (_what, name) => {
  await using house = checkout();
  house.write(name, 'Changed.\n');

  expect(() => house.release('0.2.0')).toThrow(ReleaseRefused);
  expect(house.read('package.json')).toBe(files['package.json']);
});

test('where git cannot commit, everything is as before', async () => {
  await using house = checkout();
  mkdirSync(house.folder.at('.git/hooks'), { recursive: true });
  const hook = house.folder.at('.git/hooks/pre-commit');
  writeFileSync(hook, '#!/bin/sh\nexit 1\n', { mode: 0o755 });

  expect(() => house.release('0.2.0')).toThrow();
  expect(house.git('status', '--porcelain')).toBe('');
  expect(house.git('tag')).toBe('');
});
