/** Every command line that the transfer design prints, word for word but for ids and paths. */
import { mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type TransferHome, transferHome } from '../support/transfer-home.ts';

const worlds = [
  { how: 'with a daemon', withDaemon: true },
  { how: 'without a daemon', withDaemon: false },
];

/** The files of the examples, each with content of its own. */
function putFiles({ folder }: TransferHome): void {
  mkdirSync(folder.at('path', 'to'), { recursive: true });
  for (const name of ['file.pdf', 'data.zip', 'report.md', 'temp.log']) {
    writeFileSync(folder.at('path', 'to', name), `what is in ${name}`);
  }
}

async function sentId(home: TransferHome, line: string): Promise<string> {
  const { id } = await home.data('samantha', line);
  return String(id);
}

describe.each(worlds)('$how', ({ withDaemon }) => {
  test('files are sent as the design prints it', async () => {
    await using home = await transferHome({ withDaemon });
    putFiles(home);
    const lines = [
      'agent-transfer send path/to/file.pdf --to jared',
      'agent-transfer send path/to/data.zip --to jared,jean',
      `agent-transfer send path/to/report.md --to jared --metadata '{"project":"referral-flow"}'`,
      'agent-transfer send path/to/temp.log --to jean --expires 24h',
    ];

    for (const line of lines) {
      expect(await home.type('samantha', line), line).toMatchObject({ code: 0, stderr: '' });
    }

    const forJared = await home.type('jared', 'agent-transfer list');
    expect(forJared.stdout).toContain('file.pdf from samantha (19 B)');
    expect(forJared.stdout).toContain(
      'report.md from samantha (20 B)  {"project":"referral-flow"}',
    );
    const forJean = await home.type('jean', 'agent-transfer list');
    expect(forJean.stdout).toMatch(/temp\.log from samantha \(19 B\) {2}expires in 23 h 59 min/);
    expect(forJean.stdout).not.toContain('file.pdf');
  });

  test('files are received as the design prints it', async () => {
    await using home = await transferHome({ withDaemon });
    putFiles(home);
    const id = await sentId(home, 'agent-transfer send path/to/file.pdf --to jared');
    await sentId(home, 'agent-transfer send path/to/data.zip --to jared');
    await sentId(home, 'agent-transfer send path/to/temp.log --to jared');

    const one = await home.type('jared', `agent-transfer download ${id}`);
    const all = await home.type('jared', 'agent-transfer download-all --dest downloads/');
    const none = await home.type('jared', 'agent-transfer download-all');

    expect(one.stdout).toBe(`Downloaded to: ${home.folder.at('file.pdf')}\n`);
    expect(all.stdout).toBe(
      `Downloaded to: ${home.folder.at('downloads', 'data.zip')}\nDownloaded to: ${home.folder.at('downloads', 'temp.log')}\n2 of 2 downloaded.\n`,
    );
    expect(none).toMatchObject({ code: 0, stdout: 'Nothing waits for you.\n' });
    expect(readFileSync(home.folder.at('downloads', 'data.zip'), 'utf8')).toBe(
      'what is in data.zip',
    );
  });

  test('the first example: the line that is listed and the line that is printed', async () => {
    await using home = await transferHome({ withDaemon });
    const research = Buffer.alloc(2_300_000, 'research ');
    writeFileSync(home.folder.at('research.pdf'), research);

    await home.type(
      'samantha',
      `agent-transfer send research.pdf --to jared --metadata '{"topic":"AI-safety"}'`,
    );
    const list = await home.type('jared', 'agent-transfer list');
    const [id = ''] = list.stdout.split(' ');
    const got = await home.type('jared', `agent-transfer download ${id} --dest ~/documents/`);

    expect(list.stdout).toContain('research.pdf from samantha (2.3 MB)');
    expect(got.stdout).toBe(`Downloaded to: ${home.folder.at('documents', 'research.pdf')}\n`);
    expect(readFileSync(home.folder.at('documents', 'research.pdf')).equals(research)).toBe(true);
  });

  test('the second example: to all, for 48 hours; then status, sent and cleanup', async () => {
    await using home = await transferHome({ withDaemon });
    writeFileSync(home.folder.at('logs.tar.gz'), 'logs');

    const sent = await home.data(
      'jean',
      'agent-transfer send logs.tar.gz --to samantha,jared --expires 48h',
    );
    const status = await home.type('jean', `agent-transfer status ${sent['id']}`);
    const list = await home.type('jean', 'agent-transfer sent');
    const cleanup = await home.type('jean', 'agent-transfer cleanup');

    expect(sent['transfers']).toHaveLength(2);
    expect(status.stdout).toMatch(/\nfrom {6}jean\nto {8}samantha\nstatus {4}pending\n/);
    expect(list.stdout).toContain('logs.tar.gz to samantha (4 B)  pending');
    expect(list.stdout).toContain('logs.tar.gz to jared (4 B)     pending');
    expect(cleanup).toMatchObject({ code: 0, stdout: 'Nothing has expired.\n' });
  });

  test('what was sent before is saved, and what is piped in arrives', async () => {
    await using home = await transferHome({ withDaemon });
    putFiles(home);
    await sentId(home, 'agent-transfer send path/to/file.pdf --to jared');

    const again = await home.type('samantha', 'agent-transfer send path/to/file.pdf --to jean');
    const piped = await home.type(
      'samantha',
      'seq 900000 | agent-transfer send - --name numbers.txt --to jared',
    );
    const [id = ''] = piped.stdout.split(' ');
    const back = await home.type('jared', `agent-transfer download ${id} - | sha256sum`);

    expect(again.stdout).toMatch(/\nsaved \d+ B\n$/);
    expect(back.stdout).toBe((await home.type('owner', 'seq 900000 | sha256sum')).stdout);
  });

  test('nothing is replaced without --force', async () => {
    await using home = await transferHome({ withDaemon });
    putFiles(home);
    const id = await sentId(home, 'agent-transfer send path/to/file.pdf --to jared');
    writeFileSync(home.folder.at('file.pdf'), 'mine');

    const refused = await home.type('jared', `agent-transfer download ${id}`);
    const kept = readFileSync(home.folder.at('file.pdf'), 'utf8');
    const forced = await home.type('jared', `agent-transfer download ${id} --force`);

    expect(refused.code).toBe(5);
    expect(kept).toBe('mine');
    expect(forced.code).toBe(0);
    expect(readFileSync(home.folder.at('file.pdf'), 'utf8')).toBe('what is in file.pdf');
  });
});

test('aos transfer is the same as agent-transfer', async () => {
  await using home = await transferHome({ withDaemon: true });
  putFiles(home);

  const sent = await home.type('samantha', 'aos transfer send path/to/file.pdf --to jared');
  const list = await home.type('jared', 'aos transfer list');
  const help = await home.type('jared', 'agent-transfer send --help');

  expect(sent).toMatchObject({ code: 0, stderr: '' });
  expect(list.stdout).toContain('file.pdf from samantha');
  expect(help.stdout).toMatch(/^Usage: agent-transfer send /);
});

test('download-all goes on after one that fails, and ends with its code', async () => {
  await using home = await transferHome({ withDaemon: true });
  putFiles(home);
  await home.type('samantha', 'agent-transfer send path/to/file.pdf --to jared');
  const [folder = ''] = readdirSync(join(home.home, 'blobs')).filter((name) => name.length === 2);
  const [hash = ''] = readdirSync(join(home.home, 'blobs', folder));
  truncateSync(join(home.home, 'blobs', folder, hash), 70);
  await home.type('samantha', 'agent-transfer send path/to/data.zip --to jared');

  const run = await home.type('jared', 'agent-transfer download-all --dest downloads');

  expect(run.code).toBe(1);
  expect(run.stdout).toContain(`Downloaded to: ${home.folder.at('downloads', 'data.zip')}\n`);
  expect(run.stderr).toMatch(/^error: 1 of 2 could not be downloaded\. The first: .*corrupt/);
});

test('download-all puts what has the name of something else beside it', async () => {
  await using home = await transferHome({ withDaemon: true });
  putFiles(home);
  const id = await sentId(home, 'agent-transfer send path/to/file.pdf --to jared');
  writeFileSync(home.folder.at('downloads', 'file.pdf'), 'mine');

  const run = await home.type('jared', 'agent-transfer download-all --dest downloads');

  const own = home.folder.at('downloads', `file.${id.slice(-6)}.pdf`);
  expect(run.stdout).toContain(`Downloaded to: ${own}\n`);
  expect(readFileSync(own, 'utf8')).toBe('what is in file.pdf');
  expect(readFileSync(home.folder.at('downloads', 'file.pdf'), 'utf8')).toBe('mine');
});

test('watch receives what comes, and runs a program for it without a shell', async () => {
  await using home = await transferHome({ withDaemon: true });
  putFiles(home);
  const script = '#!/bin/sh\nprintf "%s %s %s" "$1" "$2" "$TRANSFER_SENDER" > told\n';
  writeFileSync(home.folder.at('tell'), script, { mode: 0o755 });

  const watching = home.type(
    'jared',
    `agent-transfer watch --dest in --match '*.md' --once --exec ./tell '$(touch x)'`,
  );
  await sentId(home, 'agent-transfer send path/to/file.pdf --to jared');
  await sentId(home, 'agent-transfer send path/to/report.md --to jared');
  const run = await watching;

  expect(run.stdout).toBe(`Downloaded to: ${home.folder.at('in', 'report.md')}\n`);
  expect(readFileSync(home.folder.at('told'), 'utf8')).toBe(
    `$(touch x) ${home.folder.at('in', 'report.md')} samantha`,
  );
});
