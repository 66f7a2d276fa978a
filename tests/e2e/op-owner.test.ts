/** `aos op` as the owner, and `aos keys rotate`, with a real daemon. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ScriptedHome, scriptedHome } from '../support/scripted-home.ts';
import { until } from '../support/until.ts';

interface Operation {
  readonly id: string;
  readonly status: string;
}

let home: ScriptedHome;
/** One that has succeeded. */
let id: string;

beforeAll(async () => {
  home = await scriptedHome();
  id = (await home.data<Operation>('op', 'submit', 'Write the report')).id;
  await home.aos('op', 'logs', id, '-f');
});

afterAll(async () => {
  await home?.[Symbol.asyncDispose]();
});

const work = (...path: readonly string[]) => home.folder.at('work', ...path);

describe('aos op', () => {
  test('submit --wait follows on stderr, and prints the answer alone', async () => {
    const run = await home.program('op', 'submit', 'Write the report', '--wait');

    expect(run).toMatchObject({ code: 0, stdout: 'The report is written.\n' });
    expect(run.stderr).toMatch(/^operation [0-9a-f]{32}\n/);
    expect(run.stderr).toContain('artifact.create is done');
  });

  test('ls, get, artifacts and logs tell of it, by the beginning of its id', async () => {
    const short = id.slice(0, 16);

    const list = await home.program('op', 'ls');
    const one = await home.program('op', 'get', short);
    const artifacts = await home.program('op', 'artifacts', short);
    const logs = await home.program('op', 'logs', short);

    expect(list.stdout).toMatch(new RegExp(`^${short}[0-9a-f]* +succeeded .* 2 artifacts`, 'm'));
    expect(one.stdout).toMatch(/^status +succeeded$/m);
    expect(one.stdout).toMatch(/\n\nThe report is written\.\n$/);
    expect(artifacts.stdout).toMatch(/^report\.md +9 B +text\/markdown +expires 20/m);
    expect(artifacts.stdout).toMatch(/^data\/rows\.csv +8 B +text\/csv/m);
    expect(logs.stdout).toMatch(/ ended: completed\n$/);
  });

  test('says the same to programs', async () => {
    const list = await home.data<{ items: Operation[] }>(
      'op',
      'ls',
      '--status',
      'succeeded',
      '--all',
    );
    const one = await home.data<Operation>('op', 'get', id);
    const logs = await home.data<{ logs: string[] }>('op', 'logs', id);
    const followed = await home.aos('op', 'logs', id, '-f', '--json');

    expect(list.items.map((item) => item.id)).toContain(id);
    expect(one).toMatchObject({
      ...{ id, status: 'succeeded', result: { status: 'ok', summary: 'The report is written.' } },
      artifacts: { count: 2, total_size: 17 },
    });
    const lines = followed.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.filter(({ kind }) => kind === 'log').map(({ line }) => line)).toEqual(logs.logs);
    expect(lines.at(-1)).toEqual({ kind: 'end', status: 'succeeded' });
  });

  test('download --all opens what it fetches, into folders of their own', async () => {
    const run = await home.program('op', 'download', id, '--all', '--dest', 'all');

    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toMatch(/\n2 of 2 downloaded\.\n$/);
    expect(readFileSync(work('all', 'report.md'), 'utf8')).toBe('# Report\n');
    expect(readFileSync(work('all', 'data', 'rows.csv'), 'utf8')).toBe('a,b\n1,2\n');
    expect(readdirSync(work('all')).toSorted()).toEqual(['data', 'report.md']);
  });

  test('download replaces nothing unless it is told to', async () => {
    mkdirSync(work('taken'));
    writeFileSync(work('taken', 'report.md'), 'mine');

    const refused = await home.aos('op', 'download', id, 'report.md', '--dest', 'taken');
    const before = readFileSync(work('taken', 'report.md'), 'utf8');
    const forced = await home.aos('op', 'download', id, 'report.md', '--dest', 'taken', '--force');

    expect(refused.code).toBe(5);
    expect(refused.stderr).toMatch(/^error: Something stands at ".*report\.md" already/);
    expect(before).toBe('mine');
    expect(forced.code).toBe(0);
    expect(readFileSync(work('taken', 'report.md'), 'utf8')).toBe('# Report\n');
    expect(readdirSync(work('taken'))).toEqual(['report.md']);
  });

  test('download goes through no symlink below the folder that was chosen', async () => {
    mkdirSync(work('links'));
    mkdirSync(work('elsewhere'));
    symlinkSync(work('elsewhere'), work('links', 'data'));
    symlinkSync(work('links'), work('chosen'));

    const all = await home.aos('op', 'download', id, '--all', '--dest', 'chosen');

    expect(all.code).toBe(2);
    expect(all.stdout).toContain('Not downloaded: data/rows.csv.');
    expect(all.stderr).toMatch(/^error: 1 of 2 could not be downloaded\./);
    expect(readFileSync(work('links', 'report.md'), 'utf8')).toBe('# Report\n');
    expect(readdirSync(work('elsewhere'))).toEqual([]);
  });

  test('download to stdout prints the bytes and nothing else', async () => {
    const run = await home.program('op', 'download', id, 'data/rows.csv', '-');

    expect(run).toMatchObject({ code: 0, stdout: 'a,b\n1,2\n', stderr: '' });
  });

  test.each([
    [['download', 'ID'], 2, 'Name one artifact, or say --all'],
    [['download', 'ID', 'report.md', '--all'], 2, 'Name one artifact, or say --all'],
    [['download', 'ID', 'report.md', 'x'], 2, '"x" is one word too many'],
    [['download', 'ID', 'report.md', '-', '--dest', 'x'], 2, 'goes into no folder'],
    [['download', 'ID', 'raport.md'], 4, 'no artifact "raport.md". Did you mean "report.md"?'],
    [['delete', 'ID', 'report.mb'], 4, 'no artifact "report.mb". Did you mean "report.md"?'],
    [['get', 'feedfeedfeed'], 4, 'There is no operation "feedfeedfeed"'],
    [['get', '../status'], 2, '"../status" is no id of an operation'],
    [['ls', '--status', 'runing'], 2, 'Did you mean "running"?'],
    [['submit', 'x', '--for', '0x12'], 2, '--for wants an address, and got "0x12"'],
    [['submit', 'x', '--for', `0x${'aB'.repeat(20)}`], 2, 'large and small letters do not fit'],
    [['ls', '--url', 'http://127.0.0.1:7717'], 2, 'is for what is signed, and no key was named'],
    [['lst'], 2, 'There is no command "lst". Did you mean "ls"?'],
  ])('%j is refused in words', async (words, code, said) => {
    const run = await home.aos('op', ...words.map((word) => (word === 'ID' ? id : word)));

    expect(run.stderr).toContain(said);
    expect(run.code).toBe(code);
  });

  test('delete takes the bytes and the key away for good', async () => {
    const { id: other } = await home.data<Operation>('op', 'submit', 'Write the report');
    await home.aos('op', 'logs', other, '-f');

    const deleted = await home.program('op', 'delete', other, 'data/rows.csv');
    const again = await home.aos('op', 'download', other, 'data/rows.csv');
    const left = await home.data<{ count: number }>('op', 'artifacts', other);

    expect(deleted.stdout).toMatch(/^The artifact "data\/rows\.csv" is deleted/);
    expect(again.code).toBe(4);
    expect(left.count).toBe(1);
    const folder = home.folder.at('home', 'artifacts', 'operations', other, 'artifacts');
    expect(existsSync(`${folder}/report.md.enc`)).toBe(true);
    expect(existsSync(`${folder}/data/rows.csv.enc`)).toBe(false);
  });
});

test('aos keys rotate says what it did, and what was sealed before still opens', async () => {
  const first = await home.data<{ key: string; resealed: number }>('keys', 'rotate');
  const second = await home.program('keys', 'rotate');
  const download = await home.aos('op', 'download', id, 'report.md', '-');

  expect(first.resealed).toBeGreaterThan(0);
  expect(second.stdout).toMatch(
    /^Key [0-9a-f]{8} is in use\. Sealed anew: \d+ metadata\.json files? and 0 keys of artifacts\. The old key is destroyed\.\n$/,
  );
  expect(second.stdout).not.toContain(first.key);
  expect(readFileSync(home.folder.at('home', 'keys', 'server.key'), 'utf8')).not.toContain(
    first.key,
  );
  expect(download.stdout).toBe('# Report\n');
});

describe('another home, whose agents take their time,', () => {
  let slow: ScriptedHome;

  beforeAll(async () => {
    slow = await scriptedHome([{ say: 'late', delay_ms: 600_000 }]);
  });

  afterAll(async () => {
    await slow?.[Symbol.asyncDispose]();
  });

  test('what does not come to its end: cancelled is 5, and the reason is told', async () => {
    const waiting = slow.program('op', 'submit', 'Wait for me', '--wait');
    const { id: running } = await until(async () => {
      const words = ['op', 'ls', '--status', 'running'];
      const [found] = (await slow.data<{ items: Operation[] }>(...words)).items;
      if (found === undefined) throw new Error('it does not run yet');
      return found;
    });

    const reason = ['--reason', 'no longer needed'];
    const cancelled = await slow.program('op', 'cancel', running, ...reason);
    const ended = await waiting;
    const again = await slow.aos('op', 'cancel', running);

    expect(cancelled.code).toBe(0);
    expect(cancelled.stdout).toMatch(/^status +cancelled$/m);
    expect(ended.code).toBe(5);
    expect(ended.stderr).toContain('no longer needed');
    expect(again.code).toBe(5);
  });
});

// The last one: it stops the daemon of the others.
test('aos op works on what is there without a daemon too, and says that submitting needs one', async () => {
  await home.daemon.stop();

  const download = await home.program('op', 'download', id, 'report.md', '-');
  const submit = await home.program('op', 'submit', 'Write the report');

  expect(download).toMatchObject({ code: 0, stdout: '# Report\n' });
  expect(submit.code).toBe(7);
  expect(submit.stderr).toContain('none is running\n  try: aos up --detach');
});
