/**
 * SIGKILL of whoever sends and of whoever receives, at ten points of one transfer, and then the
 * same command again. How much is sealed or fetched a second time is counted by the system, not
 * by what the command says.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { setImmediate as setImmediatePromise, setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { sealedSize } from '../../src/blobs/seal/aosb1.ts';
import { partBytes } from '../../src/kernel/transfer/transfer.ts';
import { startDaemon } from '../support/running-daemon.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { cases, isFull } from '../support/tier.ts';

const MiB = 1024 * 1024;
const size = (isFull ? 256 : 48) * MiB;
const tenPoints = Array.from({ length: 10 }, (_, index) => (index + 1) / 11);
const points = cases('transfer-kill', tenPoints, 2);
const program = join(import.meta.dirname, '..', '..', 'bin', 'agent-transfer.cjs');

test('killed at any point, sending goes on where it was, and so does receiving', async () => {
  await using folder = temporaryFolder();
  const home = folder.at('home');
  await using daemon = await startDaemon(home);
  for (const name of ['samantha', 'jared']) await daemon.client.register(name);
  const source = folder.at('source.bin');
  fill(source);
  const send = ['send', source, '--to', 'jared', '--as', 'samantha', '--json'];
  const uploads = join(home, 'blobs', '.uploads');
  const idle = await idleTraffic(home, folder.path);

  for (const point of points) {
    change(source);
    const killed = await killAt(
      home,
      [...send, '--limit-rate', '400M'],
      () => largestIn(uploads, () => true) >= point * size,
    );
    const there = largestIn(uploads, () => true);
    const again = await run(home, send);

    expect(killed).toBe('SIGKILL');
    const { id, resumed } = sentIn(again.stdout);
    expect(resumed).toBeGreaterThan(0);
    // What was sealed is what was written: the bytes that were missing, and at most a part.
    const sealedAgain = again.written - idle.written - (sealedSize(size) - there);
    expect(sealedAgain, `sent again at ${point}`).toBeLessThan(partBytes);

    const dest = folder.at('received');
    const download = ['download', id, '--dest', dest, '--as', 'jared', '--json'];
    const isPart = (name: string) => name.endsWith('.part');
    const killedToo = await killAt(
      home,
      [...download, '--limit-rate', '400M'],
      () => largestIn(dest, isPart) >= point * size,
    );
    const received = largestIn(dest, isPart);
    expect(existsSync(join(dest, 'source.bin'))).toBe(false);
    const done = await run(home, download);

    expect(killedToo).toBe('SIGKILL');
    const fetchedAgain = done.read - idle.read - (size - received);
    expect(fetchedAgain, `fetched again at ${point}`).toBeLessThan(partBytes);
    expect(hashOf(join(dest, 'source.bin'))).toBe(hashOf(source));
    expect(readdirSync(dest)).toEqual(['source.bin']);
    expect(readdirSync(uploads)).toEqual([]);
    rmSync(dest, { recursive: true });
  }
});

test('what was changed between two tries arrives as it is now, under another key', async () => {
  await using folder = temporaryFolder();
  const home = folder.at('home');
  await using daemon = await startDaemon(home);
  for (const name of ['samantha', 'jared']) await daemon.client.register(name);
  const source = folder.at('source.bin');
  fill(source);
  const send = ['send', source, '--to', 'jared', '--as', 'samantha', '--json'];
  const uploads = join(home, 'blobs', '.uploads');
  await killAt(
    home,
    [...send, '--limit-rate', '400M'],
    () => largestIn(uploads, () => true) >= size / 2,
  );
  const [left = ''] = readdirSync(uploads);
  const before = readFileSync(join(uploads, left));

  // A byte far behind what was sealed, and one in front.
  change(source, size - 100);
  const { id, resumed } = sentIn((await run(home, send)).stdout);
  const dest = folder.at('received');
  await run(home, ['download', id, '--dest', dest, '--as', 'jared', '--json']);

  expect(resumed).toBe(0);
  expect(hashOf(join(dest, 'source.bin'))).toBe(hashOf(source));
  // Sealed under one key, chunks of the same place and the same bytes would be equal; under
  // another, none is.
  const stored = storedBodies(home).map((path) => readFileSync(path));
  for (const body of stored) {
    expect(body.subarray(64, 64 + 65552).equals(before.subarray(64, 64 + 65552))).toBe(false);
  }
});

test.each(['file', 'folder'])(
  'killed when the %s has its name, the same command ends well and tidies up',
  async (kind) => {
    await using folder = temporaryFolder();
    const home = folder.at('home');
    await using daemon = await startDaemon(home);
    for (const name of ['samantha', 'jared']) await daemon.client.register(name);
    mkdirSync(folder.at('source'));
    for (let index = 0; index < 200; index++) {
      writeFileSync(folder.at('source', String(index)), String(index).repeat(5000));
    }
    const source = kind === 'file' ? folder.at('source', '7') : folder.at('source');
    let [id, dest] = ['', ''];
    const download = () => ['download', id, '--dest', dest, '--as', 'jared', '--json'];
    // One that had tidied up before it was killed had ended well, and shows nothing.
    const isInTheMiddle = () => readdirSync(dest).some((name) => name.startsWith('.aos-'));
    for (let round = 0; round === 0 || (round < 20 && !isInTheMiddle()); round++) {
      const sent = await run(home, ['send', source, '--to', 'jared', '--as', 'samantha', '--json']);
      [id, dest] = [sentIn(sent.stdout).id, folder.at(`received-${round}`)];
      const named = join(dest, basename(source));
      await killAt(home, download(), () => existsSync(named));
    }
    expect(isInTheMiddle()).toBe(true);

    await run(home, download());

    expect(readdirSync(dest)).toEqual([basename(source)]);
    const { status } = await daemon.client.transfer(id, { as: 'samantha' });
    expect(status).toBe('downloaded');
  },
);

test('what was told and has no name yet is named by download-all', async () => {
  await using folder = temporaryFolder();
  const home = folder.at('home');
  await using daemon = await startDaemon(home);
  for (const name of ['samantha', 'jared']) await daemon.client.register(name);
  writeFileSync(folder.at('report.md'), 'a report');
  const send = ['send', folder.at('report.md'), '--to', 'jared', '--as', 'samantha', '--json'];
  const { id } = sentIn((await run(home, send)).stdout);
  const dest = folder.at('received');
  const all = ['download-all', '--dest', dest, '--as', 'jared', '--json'];
  const stat = () => daemon.client.transfer(id, { as: 'samantha' });
  // The last thing before it has its name is that the sender is told.
  await run(home, ['download', id, '--dest', dest, '--as', 'jared', '--json']);
  renameSync(join(dest, 'report.md'), join(dest, `.aos-${id}.part`));
  const { hash } = await daemon.client.openTransfer(id, { as: 'jared' });
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  const note = { hash, boot, pid: 1, started: 'long ago', claim: 'x' };
  writeFileSync(join(dest, `.aos-${id}.note`), JSON.stringify(note));

  await run(home, all);

  expect((await stat()).status).toBe('downloaded');
  expect(readdirSync(dest)).toEqual(['report.md']);
  expect(readFileSync(join(dest, 'report.md'), 'utf8')).toBe('a report');
});

function fill(path: string): void {
  const descriptor = openSync(path, 'w');
  const block = Buffer.alloc(MiB);
  for (let index = 0; index < size / MiB; index++) {
    block.fill(createHash('sha256').update(`block ${index}`).digest());
    writeSync(descriptor, block);
  }
  closeSync(descriptor);
}

let changes = 0;

/** Other bytes than ever before. */
function change(path: string, at = 0): void {
  const descriptor = openSync(path, 'r+');
  writeSync(descriptor, Buffer.from(`change ${changes++}`), 0, undefined, at);
  closeSync(descriptor);
}

function hashOf(path: string): string {
  const hash = createHash('sha256');
  const descriptor = openSync(path, 'r');
  const block = Buffer.alloc(MiB);
  for (;;) {
    const length = readSync(descriptor, block);
    if (length === 0) break;
    hash.update(block.subarray(0, length));
  }
  closeSync(descriptor);
  return hash.digest('hex');
}

function largestIn(folder: string, isOne: (name: string) => boolean): number {
  if (!existsSync(folder)) return 0;
  const sizes = readdirSync(folder)
    .filter(isOne)
    .map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0);
  return Math.max(0, ...sizes);
}

function storedBodies(home: string): string[] {
  const blobs = join(home, 'blobs');
  return readdirSync(blobs)
    .filter((name) => name.length === 2)
    .flatMap((name) => readdirSync(join(blobs, name)).map((hash) => join(blobs, name, hash)));
}

function sentIn(text: string): { readonly id: string; readonly resumed: number } {
  const { data } = JSON.parse(text);
  return { id: data.transfers[0].id, resumed: data.resumed_bytes };
}

function start(home: string, args: readonly string[]): ChildProcess {
  const { PATH, AOS_TEST_MARK } = process.env;
  return spawn(process.execPath, [program, '--home', home, ...args], {
    env: { PATH, AOS_TEST_MARK },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function killAt(
  home: string,
  args: readonly string[],
  isThere: () => boolean,
): Promise<NodeJS.Signals | null> {
  const child = start(home, args);
  const closed = once(child, 'close');
  // Without a pause: what comes next may take less than a millisecond.
  while (child.exitCode === null && !isThere()) await setImmediatePromise();
  child.kill('SIGKILL');
  const [, signal] = await closed;
  return signal;
}

interface Traffic {
  /** Everything that the process read and wrote, as the system counts it. */
  readonly read: number;
  readonly written: number;
}

async function run(
  home: string,
  args: readonly string[],
): Promise<Traffic & { readonly stdout: string }> {
  const child = start(home, args);
  let [stdout, stderr] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const closed = once(child, 'close');
  let traffic: Traffic = { read: 0, written: 0 };
  while (child.exitCode === null) {
    traffic = trafficOf(child.pid) ?? traffic;
    await sleep(1);
  }
  const [code] = await closed;
  expect(`${code} ${stderr}${code === 0 ? '' : stdout}`).toMatch(/^0 /);
  return { ...traffic, stdout };
}

function trafficOf(pid: number | undefined): Traffic | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/io`, 'utf8');
    const count = (name: string) => Number(new RegExp(`${name}: (\\d+)`).exec(text)?.[1] ?? 0);
    return { read: count('rchar'), written: count('wchar') };
  } catch {
    // It has ended, or is about to.
    return undefined;
  }
}

/** Of the same commands with next to nothing to send: what the program itself reads and writes. */
async function idleTraffic(home: string, folder: string): Promise<Traffic> {
  const path = join(folder, 'small');
  const descriptor = openSync(path, 'w');
  closeSync(descriptor);
  const sent = await run(home, ['send', path, '--to', 'jared', '--as', 'samantha', '--json']);
  const { id } = sentIn(sent.stdout);
  const dest = join(folder, 'received');
  const got = await run(home, ['download', id, '--dest', dest, '--as', 'jared', '--json']);
  rmSync(dest, { recursive: true });
  return { read: got.read, written: sent.written };
}
