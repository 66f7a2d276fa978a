/** Every command line that the transfer design prints, word for word but for ids and paths. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Run } from '../support/run-aos.ts';
import { deep } from '../support/tier.ts';
import { type TransferHome, transferHome } from '../support/transfer-home.ts';
import { untilTrue } from '../support/until.ts';

// One for all tests with a daemon: what they leave waiting, the next one takes away first.
let served: TransferHome;
/** Jean tries a few times, with pauses, to download something that is damaged: meanwhile others run. */
let damagedOne: Promise<Run>;

beforeAll(async () => {
  served = await transferHome({ withDaemon: true });
  putFiles(served);
  await served.type('samantha', 'agent-transfer send path/to/data.zip --to jean');
  const whole = storedIn(served);
  writeFileSync(served.folder.at('damaged.txt'), 'what nobody else sends');
  await served.type('samantha', 'agent-transfer send damaged.txt --to jean');
  for (const path of storedIn(served).difference(whole)) truncateSync(path, 70);
  await served.type('samantha', 'agent-transfer send path/to/report.md --to jean');
  damagedOne = served.type('jean', 'agent-transfer download-all --dest both');
  // What it has listed, before others send more to jean.
  await untilTrue(() => existsSync(served.folder.at('both', 'data.zip')));
});

afterAll(async () => {
  await damagedOne;
  await served?.[Symbol.asyncDispose]();
});

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

/** Downloads what tests before have left to jared. */
async function takeAll(home: TransferHome): Promise<void> {
  await home.type('jared', 'agent-transfer download-all --dest before');
}

async function sendAndReceive(home: TransferHome): Promise<void> {
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
  const forJean = await home.type('jean', 'agent-transfer list');
  const id = /^(\S+) +file\.pdf/m.exec(forJared.stdout)?.[1];
  const one = await home.type('jared', `agent-transfer download ${id}`);
  const all = await home.type('jared', 'agent-transfer download-all --dest downloads/');
  const none = await home.type('jared', 'agent-transfer download-all');

  expect(forJared.stdout).toContain('file.pdf from samantha (19 B)');
  expect(forJared.stdout).toContain('report.md from samantha (20 B)  {"project":"referral-flow"}');
  expect(forJean.stdout).toMatch(/temp\.log from samantha \(19 B\) {2}expires in 23 h 59 min/);
  expect(forJean.stdout).not.toContain('file.pdf');
  expect(one.stdout).toBe(`Downloaded to: ${home.folder.at('file.pdf')}\n`);
  expect(all.stdout).toBe(
    `Downloaded to: ${home.folder.at('downloads', 'data.zip')}\nDownloaded to: ${home.folder.at('downloads', 'report.md')}\n2 of 2 downloaded.\n`,
  );
  expect(none).toMatchObject({ code: 0, stdout: 'Nothing waits for you.\n' });
  const got = readFileSync(home.folder.at('downloads', 'data.zip'), 'utf8');
  expect(got).toBe('what is in data.zip');
}

async function doFirstExample(home: TransferHome): Promise<void> {
  const research = Buffer.alloc(2_300_000, `research ${Math.random()} `);
  rmSync(home.folder.at('documents'), { recursive: true, force: true });
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
}

async function doSecondExample(home: TransferHome): Promise<void> {
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
}

async function sendAgainAndPipe(home: TransferHome): Promise<void> {
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
}

async function replaceNothing(home: TransferHome): Promise<void> {
  const id = await sentId(home, 'agent-transfer send path/to/file.pdf --to jared');
  writeFileSync(home.folder.at('file.pdf'), 'mine');

  const refused = await home.type('jared', `agent-transfer download ${id}`);
  const kept = readFileSync(home.folder.at('file.pdf'), 'utf8');
  const forced = await home.type('jared', `agent-transfer download ${id} --force`);

  expect(refused.code).toBe(5);
  expect(kept).toBe('mine');
  expect(forced.code).toBe(0);
  expect(readFileSync(home.folder.at('file.pdf'), 'utf8')).toBe('what is in file.pdf');
}

const stories = [
  { does: 'files are sent and received as the design prints it', tell: sendAndReceive },
  { does: 'the first example: the lines that are listed and printed', tell: doFirstExample },
  { does: 'the second example: to all, for 48 hours; then the rest', tell: doSecondExample },
  { does: 'what was sent before is saved, and what is piped in arrives', tell: sendAgainAndPipe },
  { does: 'nothing is replaced without --force', tell: replaceNothing },
];

test.each(stories)('with a daemon $does', async ({ tell }) => {
  await takeAll(served);

  await tell(served);
});

test('aos transfer is the same as agent-transfer', async () => {
  const home = served;
  await takeAll(home);

  const sent = await home.type('samantha', 'aos transfer send path/to/file.pdf --to jared');
  const list = await home.type('jared', 'aos transfer list');
  const help = await home.type('jared', 'agent-transfer send --help');

  expect(sent).toMatchObject({ code: 0, stderr: '' });
  expect(list.stdout).toContain('file.pdf from samantha');
  expect(help.stdout).toMatch(/^Usage: agent-transfer send /);
});

/** The paths of all that is stored whole. */
function storedIn({ home }: TransferHome): Set<string> {
  const folders = readdirSync(join(home, 'blobs')).filter((name) => name.length === 2);
  return new Set(
    folders.flatMap((name) =>
      readdirSync(join(home, 'blobs', name)).map((hash) => join(home, 'blobs', name, hash)),
    ),
  );
}

test('download-all goes on after one that fails, and ends with its code', async () => {
  const run = await damagedOne;

  expect(run.code).toBe(1);
  for (const name of ['data.zip', 'report.md']) {
    expect(run.stdout).toContain(`Downloaded to: ${served.folder.at('both', name)}\n`);
  }
  expect(run.stderr).toMatch(/^error: 1 of 3 could not be downloaded\. The first: .*corrupt/);
});

test('download-all puts what has the name of something else beside it', async () => {
  const home = served;
  await takeAll(home);
  const id = await sentId(home, 'agent-transfer send path/to/file.pdf --to jared');
  mkdirSync(home.folder.at('beside'));
  writeFileSync(home.folder.at('beside', 'file.pdf'), 'mine');

  const run = await home.type('jared', 'agent-transfer download-all --dest beside');

  const own = home.folder.at('beside', `file.${id.slice(-6)}.pdf`);
  expect(run.stdout).toContain(`Downloaded to: ${own}\n`);
  expect(readFileSync(own, 'utf8')).toBe('what is in file.pdf');
  expect(readFileSync(home.folder.at('beside', 'file.pdf'), 'utf8')).toBe('mine');
});

test('watch receives what comes, and runs a program for it without a shell', async () => {
  const home = served;
  await takeAll(home);
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

deep.each(stories)('without a daemon $does', async ({ tell }) => {
  await using home = await transferHome({ withDaemon: false });
  putFiles(home);

  await tell(home);
});

// The last one: it stops the daemon of the others.
test('without a daemon a file is sent, listed and received in the same words', async () => {
  await takeAll(served);
  await served.daemon?.stop();

  await doFirstExample(served);
});
