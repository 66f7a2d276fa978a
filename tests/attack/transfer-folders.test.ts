/** Folders whose list was made by hand: nothing is written that leads anywhere else. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
} from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { AosError } from '../../src/kernel/errors.ts';
import {
  everythingIn,
  libraryOf,
  type ServedHome,
  sendByHand,
  sharedServedHome,
} from '../support/transfer-ends.ts';

const served = sharedServedHome();

const facts = { mode: 0o644, mtime_ms: 1000 };
const file = (path: string, size = 0) => ({ path, size, ...facts });
const folder = (path: string) => ({ path, folder: true, mode: 0o755, mtime_ms: 1000 });
const link = (path: string, target: string) => ({ path, link: target });

interface Made {
  readonly entries: readonly object[];
  /** Instead of what is true. */
  readonly head?: string;
  readonly files?: string;
}

function body({ entries, head, files = '' }: Made): Uint8Array {
  const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
  const first = head ?? `AOSF1 ${entries.length} ${Buffer.byteLength(lines)}\n`;
  return Buffer.from(`${first}${lines}${files}`);
}

const long = 'x'.repeat(300);
const deep = Array.from({ length: 120 }, () => 'd');
const million = '{"path":"a"}\n'.repeat(1_000_000);

const hostile: readonly (readonly [what: string, made: Made | Uint8Array])[] = [
  ['a path above', { entries: [file('../evil')] }],
  ['a path above, further in', { entries: [folder('a'), file('a/../../evil')] }],
  ['an absolute path', { entries: [file('/tmp/evil')] }],
  ['an empty path', { entries: [file('')] }],
  ['a path of nothing but dots', { entries: [file('.')] }],
  ['a path with an empty part', { entries: [folder('a'), file('a//b')] }],
  ['a path that ends with a stroke', { entries: [folder('a/')] }],
  ['a NUL', { entries: [file('evil\0.txt')] }],
  ['a line end', { entries: [file('evil\nname')] }],
  ['an escape of the terminal', { entries: [file('\u001b[2Jevil')] }],
  ['half a character', { entries: [file('evil\ud800')] }],
  ['300 characters', { entries: [file(long)] }],
  ['our own names', { entries: [file('.aos-0000.part')] }],
  [
    'a depth of 120',
    { entries: deep.map((_, index) => folder(deep.slice(0, index + 1).join('/'))) },
  ],
  ['names that differ in A and a', { entries: [file('Readme'), file('README')] }],
  [
    'folders that differ in A and a',
    { entries: [folder('A'), folder('a'), file('A/x'), file('a/y')] },
  ],
  ['one path twice', { entries: [file('x'), file('x')] }],
  ['a file in nothing', { entries: [file('a/b')] }],
  ['a file in a file', { entries: [file('a'), file('a/b')] }],
  ['a link out', { entries: [link('l', '../../evil')] }],
  ['a link out by a detour', { entries: [folder('a'), link('a/l', '../a/../../evil')] }],
  ['an absolute link', { entries: [link('l', '/etc/passwd')] }],
  ['a link to nothing', { entries: [link('l', '')] }],
  ['a link with a NUL', { entries: [link('l', 'a\0b')] }],
  ['a file through a link', { entries: [link('l', '.'), file('l/evil')] }],
  [
    'a link, and then a folder of its name',
    { entries: [link('l', '..'), folder('l'), file('l/evil')] },
  ],
  [
    'a folder, and then a link of its name',
    { entries: [folder('l'), link('l', '..'), file('l/evil')] },
  ],
  ['a head of a million entries', { entries: [], head: `AOSF1 1000000 ${million.length}\n` }],
  ['a million entries', { entries: [], head: `AOSF1 1000000 ${million.length}\n`, files: million }],
  [
    'a million entries, said to be 100,000',
    { entries: [], head: `AOSF1 100000 ${million.length}\n`, files: million },
  ],
  ['a list longer than all', { entries: [], head: 'AOSF1 1 50000000\n' }],
  ['numbers beyond all', { entries: [], head: `AOSF1 ${'9'.repeat(30)} ${'9'.repeat(30)}\n` }],
  ['a negative head', { entries: [], head: 'AOSF1 -1 -1\n' }],
  ['fewer entries than are said', { entries: [file('a')], head: 'AOSF1 2 48\n' }],
  ['no list', Buffer.from('no list at all')],
  ['nothing', new Uint8Array(0)],
  ['less than the files', { entries: [file('a', 100)], files: 'short' }],
  ['more than the files', { entries: [file('a', 1)], files: 'much more' }],
  ['a negative size', { entries: [file('a', -5), file('b', 5)] }],
  ['half a byte', { entries: [file('a', 0.5), file('b', 0.5)], files: 'x' }],
  [
    'sizes beyond all',
    { entries: [file('a', Number.MAX_SAFE_INTEGER), file('b', Number.MAX_SAFE_INTEGER)] },
  ],
  ['a size of text', { entries: [{ path: 'a', size: '1', ...facts }], files: 'x' }],
  ['a path of numbers', { entries: [{ path: 5, size: 0, ...facts }] }],
  ['no mode', { entries: [{ path: 'a', size: 0 }] }],
  ['a list in a list', { entries: [[file('a')]] }],
];

const bytesOf = (made: Made | Uint8Array) => (made instanceof Uint8Array ? made : body(made));

function send(home: ServedHome, bytes: Uint8Array): Promise<string> {
  const { samantha: as, jared } = home.names;
  const made = { to: [jared], filename: 'tree', kind: 'folder', as } as const;
  return sendByHand(home.daemon.client, bytes, made);
}

test('a list that is not right is refused in words, and nothing of it is anywhere', async () => {
  const home = await served();
  const jared = libraryOf(home, 'jared');
  const dest = home.folder.at('downloads');
  const except = ['.agent-relay'];

  for (const [what, made] of hostile) {
    const id = await send(home, bytesOf(made));
    const before = everythingIn(home.folder.path, except);

    const failure: AosError = await jared.download(id, { dest }).then(
      ({ path }) => expect.fail(`${what} was received as ${path}`),
      (thrown) => thrown,
    );

    expect(failure.code, `${what}: ${failure.stack}`).toBe('transfer.bad-folder');
    expect(failure.message, what).toMatch(/^The folder (?:cannot be received: |has )/);
    expect(existsSync(home.folder.at('downloads', 'tree')), what).toBe(false);
    expect(everythingIn(home.folder.path, except), what).toEqual(before);
  }
});

test.each([
  ['a path above', body({ entries: [file('../evil')] })],
  [
    'a million entries',
    bytesOf({ entries: [], head: `AOSF1 1000000 ${million.length}\n`, files: million }),
  ],
])('the command says of %s that it cannot be received, and ends with 2', async (_what, bytes) => {
  const home = await served();
  const id = await send(home, bytes);

  const run = await home.type('jared', `agent-transfer download ${id} --dest downloads`);

  expect(run).toMatchObject({ code: 2, stdout: '' });
  expect(run.stderr).toMatch(/^error: The folder cannot be received: .*\n {2}try: .*\n$/);
  expect(readdirSync(home.folder.at('downloads'))).toEqual([]);
});

describe('of what is in order', () => {
  test('links that stay inside are kept, and lead there', async () => {
    const home = await served();
    const entries = [
      folder('a'),
      folder('a/b'),
      file('a/b/x', 4),
      link('a/up', '..'),
      link('l', 'a/b/x'),
    ];
    const id = await send(home, body({ entries, files: 'text' }));

    const { path } = await libraryOf(home, 'jared').download(id, { dest: home.folder.at('got') });

    expect(readlinkSync(`${path}/l`)).toBe('a/b/x');
    expect(readFileSync(`${path}/a/up/l`, 'utf8')).toBe('text');
  });

  test('no bits beyond the usual ones are taken over, and no time breaks it', async () => {
    const home = await served();
    const times = [0, 1, 4_000_000_000_000, Number.MAX_SAFE_INTEGER];
    const entries = times.map((mtime_ms) => ({
      path: `at-${mtime_ms}`,
      size: 0,
      mode: 0o7777,
      mtime_ms,
    }));
    const id = await send(home, body({ entries }));

    const { path } = await libraryOf(home, 'jared').download(id, { dest: home.folder.at('got') });

    const modes = readdirSync(path).map((name) => statSync(`${path}/${name}`).mode & 0o7777);
    expect(modes).toEqual(times.map(() => 0o777));
  });

  test('a name like __proto__ is a name', async () => {
    const home = await served();
    const entries = [file('__proto__', 1), file('constructor', 1)];
    const id = await send(home, body({ entries, files: 'ab' }));

    const { path } = await libraryOf(home, 'jared').download(id, { dest: home.folder.at('got') });

    expect(readdirSync(path).sort()).toEqual(['__proto__', 'constructor']);
  });

  test('names that differ in A and a are taken where that is asked for', async () => {
    const home = await served();
    const id = await send(
      home,
      body({ entries: [file('Readme', 1), file('README', 1)], files: 'ab' }),
    );

    const run = await home.type(
      'jared',
      `agent-transfer download ${id} --dest got --allow-case-clash`,
    );

    expect(run.code, run.stderr).toBe(0);
    expect(readdirSync(home.folder.at('got', 'tree')).sort()).toEqual(['README', 'Readme']);
  });

  test('files from before 1970 arrive with their time', async () => {
    const home = await served();
    mkdirSync(home.folder.at('old'));
    await home.type('owner', 'echo x > old/file; touch -d 1960-05-05 old/file');
    const { id } = await home.data('samantha', 'agent-transfer send old --to $jared');

    const run = await home.type('jared', `agent-transfer download ${id} --dest got`);

    expect(run.code, run.stderr).toBe(0);
    expect(lstatSync(home.folder.at('got', 'old', 'file')).mtime.getUTCFullYear()).toBeLessThan(
      1971,
    );
  });
});
