/** Names that would do harm where they arrive, and what stands there already. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { expect, test } from 'vitest';
import { AgentTransfer } from '../../src/app/library/agent-transfer.ts';
import {
  everythingIn,
  libraryOf,
  type ServedHome,
  sendByHand,
  sharedServedHome,
} from '../support/transfer-ends.ts';

const served = sharedServedHome();

const bad: readonly (readonly [what: string, name: string])[] = [
  ['a path above', '../x'],
  ['an absolute path', '/tmp/evil'],
  ['a path', 'a/b'],
  ['dots', '..'],
  ['a dot', '.'],
  ['nothing', ''],
  ['a NUL', 'a\0b'],
  ['a line end', 'a\nb'],
  ['a return', 'a\rb'],
  ['an escape of the terminal', '\u001b]0;evil\u0007'],
  ['a line separator', 'a\u2028b'],
  ['300 characters', 'x'.repeat(300)],
  ['256 bytes', 'ä'.repeat(128)],
  ['our own names', '.aos-note'],
];

async function withFile(home: ServedHome, text = 'what was sent'): Promise<string> {
  const { samantha: as, jared } = home.names;
  const made = { to: [jared], filename: 'x.txt', as };
  return sendByHand(home.daemon.client, Buffer.from(text), made);
}

test('a file cannot be sent under a name that does harm', async () => {
  const home = await served();
  const { samantha: as, jared } = home.names;

  for (const [what, filename] of bad) {
    const made = { to: [jared], filename, as };
    const attempt = sendByHand(home.daemon.client, Buffer.from('x'), made);

    await expect(attempt, what).rejects.toMatchObject({ code: 'transfer.bad-name' });
  }
  expect(await libraryOf(home, 'jared').listPending()).toEqual([]);
});

test('whatever name a home says, what does harm is not received', async () => {
  const home = await served();
  const id = await withFile(home);
  const dest = home.folder.at('downloads');
  const { client } = home.daemon;

  for (const [what, filename] of bad) {
    const openTransfer: typeof client.openTransfer = async (...asked) => {
      const opened = await client.openTransfer(...asked);
      return { ...opened, transfer: { ...opened.transfer, filename } };
    };
    const jared = new AgentTransfer({
      sender: home.names.jared,
      use: (work) => work({ ...client, openTransfer }),
    });
    const before = everythingIn(home.folder.path, ['.agent-relay']);

    await expect(jared.download(id, { dest }), what).rejects.toMatchObject({
      code: 'transfer.bad-name',
    });
    expect(everythingIn(home.folder.path, ['.agent-relay']), what).toEqual(before);
  }
});

test('--name takes no name that does harm', async () => {
  const home = await served();
  const id = await withFile(home);

  for (const name of ['../x', '/tmp/x', '..', '', '.aos-x']) {
    const run = await home.type(
      'jared',
      `agent-transfer download ${id} --dest downloads --name '${name}'`,
    );

    expect(run, name).toMatchObject({ code: 2, stdout: '' });
    const words = `error: What ${home.names.samantha} sent cannot be received as `;
    expect(run.stderr.slice(0, words.length), name).toBe(words);
    expect(readdirSync(home.folder.at('downloads')), name).toEqual([]);
  }
});

const dests: readonly (readonly [what: string, dest: string, words: RegExp])[] = [
  ['a file', 'taken', /^error: .*taken.*/],
  ['something in a file', 'taken/in', /^error: .*taken.*/],
  ['where nobody may write', '/proc/nowhere', /^error: .*\/proc.*/],
  ['a symlink to nothing', 'dangling', /^error: .*dangling.*/],
];

test('a --dest that cannot be written to is told in words', async () => {
  const home = await served();
  const id = await withFile(home);
  writeFileSync(home.folder.at('taken'), 'mine');
  symlinkSync('nothing', home.folder.at('dangling'));

  for (const [what, dest, words] of dests) {
    const run = await home.type('jared', `agent-transfer download ${id} --dest ${dest}`);

    expect(run.code, what).not.toBe(0);
    expect(run.stderr, what).toMatch(words);
    // The name of a temporary folder is drawn, and may look like a code.
    const said = run.stderr.replaceAll(home.folder.path, '');
    expect(said, what).not.toMatch(/E[A-Z]{3,}\b|broke where|\n\s+at /);
    expect(readFileSync(home.folder.at('taken'), 'utf8'), what).toBe('mine');
    expect(existsSync(home.folder.at('nothing')), what).toBe(false);
  }
});

/** What may stand under the name, and beside it what it leads to. */
const standing: Readonly<Record<string, (path: string) => void>> = {
  'a file': (path) => writeFileSync(path, 'mine'),
  'an empty folder': (path) => void mkdirSync(path),
  'a folder': (path) => {
    mkdirSync(path);
    writeFileSync(`${path}/in`, 'mine');
  },
  'a symlink to a file': (path) => {
    writeFileSync(`${path}.real`, 'mine');
    symlinkSync('x.txt.real', path);
  },
  'a symlink to a folder': (path) => {
    mkdirSync(`${path}.d`);
    writeFileSync(`${path}.d/in`, 'mine');
    symlinkSync('x.txt.d', path);
  },
  'a dangling symlink': (path) => symlinkSync('nowhere', path),
};

const list = '{"path":"a","size":4,"mode":420,"mtime_ms":1000000}\n';
const contents = { file: 'what was sent', folder: `AOSF1 1 ${list.length}\n${list}text` } as const;

function sendAs(home: ServedHome, kind: 'file' | 'folder'): Promise<string> {
  const { samantha: as, jared } = home.names;
  const made = { to: [jared], filename: 'x.txt', kind, as };
  return sendByHand(home.daemon.client, Buffer.from(contents[kind]), made);
}

/** What does not have the name itself. */
function others(lines: readonly string[]): string[] {
  return lines.filter((line) => !/x\.txt(?:[/ ]|$)/.test(line));
}

test.each(['file', 'folder'] as const)(
  'a %s replaces nothing that stands there, whatever it is',
  async (kind) => {
    const home = await served();
    const id = await sendAs(home, kind);

    for (const [what, put] of Object.entries(standing)) {
      const dest = home.folder.at('downloads', what);
      mkdirSync(dest);
      put(`${dest}/x.txt`);
      const before = everythingIn(dest);

      const attempt = libraryOf(home, 'jared').download(id, { dest });

      await expect(attempt, what).rejects.toMatchObject({ code: 'transfer.exists' });
      expect(everythingIn(dest), what).toEqual(before);
    }
  },
);

test.each(['file', 'folder'] as const)(
  'with force a %s replaces what stands there, and nothing behind it',
  async (kind) => {
    const home = await served();
    const id = await sendAs(home, kind);

    for (const [what, put] of Object.entries(standing)) {
      const dest = home.folder.at('downloads', what);
      mkdirSync(dest);
      put(`${dest}/x.txt`);
      const before = everythingIn(dest);

      const { path } = await libraryOf(home, 'jared').download(id, { dest, force: true });

      expect(lstatSync(path).isSymbolicLink(), what).toBe(false);
      const got = readFileSync(kind === 'file' ? path : `${path}/a`, 'utf8');
      expect(got, what).toBe(kind === 'file' ? contents.file : 'text');
      expect(others(everythingIn(dest)), what).toEqual(others(before));
    }
  },
);

test.each(['file', 'folder'] as const)(
  'what is put there meanwhile is not replaced by a %s',
  async (kind) => {
    const home = await served();
    const id = await sendAs(home, kind);

    for (const [what, put] of Object.entries(standing)) {
      // Over an empty folder, which has nothing to lose, the system puts another one.
      if (kind === 'folder' && what === 'an empty folder') continue;
      const dest = home.folder.at('downloads', what);
      let before: string[] = [];
      const onProgress = () => {
        put(`${dest}/x.txt`);
        before = everythingIn(dest).filter((line) => !line.includes('.aos-'));
      };

      const attempt = libraryOf(home, 'jared').download(id, { dest, onProgress });

      await expect(attempt, what).rejects.toMatchObject({ code: 'transfer.exists' });
      expect(before, what).not.toEqual([]);
      expect(
        everythingIn(dest).filter((line) => !line.includes('.aos-')),
        what,
      ).toEqual(before);
    }
  },
);

test('a symlink in the place of the part is not followed', async () => {
  const home = await served();
  const id = await withFile(home);
  const dest = home.folder.at('downloads');
  writeFileSync(home.folder.at('victim'), 'mine');
  for (const end of ['part', 'note'])
    symlinkSync(home.folder.at('victim'), `${dest}/.aos-${id}.${end}`);

  const { path } = await libraryOf(home, 'jared').download(id, { dest });

  expect(readFileSync(path, 'utf8')).toBe('what was sent');
  expect(readFileSync(home.folder.at('victim'), 'utf8')).toBe('mine');
  expect(readdirSync(dest)).toEqual(['x.txt']);
});

test('a symlink as --dest leads where it leads, and stays', async () => {
  const home = await served();
  const id = await withFile(home);
  symlinkSync('downloads', home.folder.at('shortcut'));

  const run = await home.type('jared', `agent-transfer download ${id} --dest shortcut`);

  expect(run.code, run.stderr).toBe(0);
  expect(readlinkSync(home.folder.at('shortcut'))).toBe('downloads');
  expect(readdirSync(home.folder.at('downloads'))).toEqual(['x.txt']);
});
