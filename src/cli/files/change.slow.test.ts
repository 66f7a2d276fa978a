import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type TemporaryFolder, temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { runProgram } from '../core/program.ts';

interface Sitting {
  readonly folder: TemporaryFolder;
  /** What is typed when the questions come; a function is called meanwhile. */
  readonly answers?: readonly (string | (() => void))[];
  readonly redraws?: boolean;
}

async function aos({ folder, answers = [], redraws = false }: Sitting, ...argv: string[]) {
  let [stdout, stderr] = ['', ''];
  const terminal = {
    out: (text: string) => {
      stdout += text;
    },
    err: (text: string) => {
      stderr += text;
    },
    ...{ colorOut: false, colorErr: false, columns: 80, errIsTerminal: redraws },
    input: {
      isTerminal: true,
      read: async function* () {
        for (const answer of answers) {
          if (typeof answer === 'string') yield Buffer.from(`${answer}\n`);
          else answer();
        }
      },
    },
  };
  const environment = {
    AOS_HOME: folder.at('aos'),
    AOS_FILES_ROOT: folder.at('root'),
    AOS_TRASH_FOLDER: folder.at('trash'),
  };
  const { signal } = new AbortController();
  const code = await runProgram({ argv, environment, terminal, signal });
  return { code, stdout, stderr };
}

async function sitting(names: readonly string[]): Promise<TemporaryFolder> {
  const folder = temporaryFolder();
  mkdirSync(folder.at('root'));
  for (const name of names) writeFileSync(folder.at('root', name), name);
  await aos({ folder }, 'register', 'somebody');
  return folder;
}

test('files that change while somebody thinks are shown anew, and asked for again', async () => {
  await using folder = await sitting(['a.txt']);
  const change = () => writeFileSync(folder.at('root', 'a.txt'), 'something longer');

  const run = await aos(
    { folder, answers: [change, 'y', 'y'] },
    ...['files', 'delete', folder.at('root', 'a.txt')],
  );

  expect(run.code).toBe(0);
  expect(run.stderr).toContain('The files have changed since the plan was made, so I ask again.');
  expect(run.stderr).toContain('(5 bytes) to the trash?');
  expect(run.stderr).toContain('(16 bytes) to the trash?');
  expect(existsSync(folder.at('root', 'a.txt'))).toBe(false);
});

test('a yes to the old plan is none to the new one', async () => {
  await using folder = await sitting(['a.txt']);
  const change = () => writeFileSync(folder.at('root', 'a.txt'), 'something longer');

  const run = await aos(
    { folder, answers: [change, 'y', 'n'] },
    ...['files', 'delete', folder.at('root', 'a.txt')],
  );

  expect(run.code).toBe(5);
  expect(existsSync(folder.at('root', 'a.txt'))).toBe(true);
});

test('several paths are one plan: a no to the new one leaves all of them', async () => {
  await using folder = await sitting(['a.txt', 'b.txt']);
  const change = () => writeFileSync(folder.at('root', 'b.txt'), 'something longer');

  const run = await aos(
    { folder, answers: [change, 'y', 'n'] },
    ...['files', 'delete', folder.at('root', 'a.txt'), folder.at('root', 'b.txt')],
  );

  expect(run.code).toBe(5);
  expect(run.stderr).toContain('Nothing was done');
  expect(readdirSync(folder.at('root'))).toEqual(['a.txt', 'b.txt']);
});

test('several paths are one plan, one yes and one undo', async () => {
  await using folder = await sitting(['a.txt', 'b.txt', 'c.txt']);
  const paths = ['a.txt', 'b.txt', 'c.txt'].map((name) => folder.at('root', name));

  const run = await aos({ folder, answers: ['y'] }, ...['files', 'delete_file', ...paths]);
  const left = readdirSync(folder.at('root'));
  const undone = await aos({ folder, answers: ['y'] }, 'files', 'undo');

  expect(run.code).toBe(0);
  expect(run.stderr.match(/^Plan /gm)).toHaveLength(1);
  expect(run.stdout.match(/aos files undo/g)).toHaveLength(1);
  expect(left).toEqual([]);
  expect(undone.code).toBe(0);
  expect(readdirSync(folder.at('root'))).toEqual(['a.txt', 'b.txt', 'c.txt']);
});

test('one of several paths that is not there stops all of them', async () => {
  await using folder = await sitting(['a.txt']);
  const paths = ['a.txt', 'missing.txt'].map((name) => folder.at('root', name));

  const run = await aos({ folder, answers: ['y'] }, ...['files', 'delete', ...paths]);

  expect(run.code).toBe(4);
  expect(readdirSync(folder.at('root'))).toEqual(['a.txt']);
});

test('somebody who looks on sees how far a long change is, on one line', async () => {
  const names = Array.from({ length: 250 }, (_, index) => `${index}.txt`);
  await using folder = await sitting(names);

  const run = await aos(
    { folder, answers: ['y'], redraws: true },
    ...['files', 'move', folder.at('root', '*.txt'), folder.at('root', 'all/')],
  );

  expect(run.code).toBe(0);
  expect(run.stderr).toContain('\r200 of 251\u001b[K');
  expect(run.stderr).toMatch(/\r\u001b\[K$/);
  expect(readdirSync(folder.at('root', 'all'))).toHaveLength(250);
});

test('of several paths nothing is done where one is refused, and --json says so', async () => {
  await using folder = await sitting(['a.txt', 'b.txt']);
  const [root, b] = [folder.at('root'), folder.at('root', 'b.txt')];
  await aos({ folder }, 'cap', 'grant', 'somebody', `file:${root}/a.txt:move`);
  await aos({ folder }, 'cap', 'grant', 'somebody', `file:${root}/all/**:write,move`);
  mkdirSync(folder.at('root', 'all'));

  const run = await aos(
    { folder },
    ...['files', 'move', folder.at('root', 'a.txt'), b, folder.at('root', 'all/')],
    ...['--as', 'somebody', '--json'],
  );

  expect(run).toMatchObject({ code: 3, stderr: '' });
  expect(JSON.parse(run.stdout).error).toMatchObject({
    code: 'files.permission-denied',
    details: { status: 'error' },
  });
  expect(readdirSync(folder.at('root'))).toEqual(['a.txt', 'all', 'b.txt']);
});

test('what is asked for can be done by the command that was typed, with the plan', async () => {
  await using folder = await sitting(["it's.txt", 'b c.txt']);
  const paths = [folder.at('root', "it's.txt"), folder.at('root', 'b c.txt')];

  const run = await aos({ folder }, ...['files', 'delete', ...paths, '--json']);

  const { error } = JSON.parse(run.stdout);
  const [one, other] = paths.map((path) => path.replaceAll("'", `'\\''`));
  expect(error.fix).toMatch(/^aos files delete .* --json --yes --plan \w{64}$/);
  expect(error.fix).toContain(`delete '${one}' "${other}" --json`);
});
