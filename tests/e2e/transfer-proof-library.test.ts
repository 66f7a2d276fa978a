/** The library as a program uses it: streams, progress, filters, and stopping in the middle. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { TransferProgress } from '../../src/transfer/client/options.ts';
import { limitMs } from '../support/limits.ts';
import { isFull } from '../support/tier.ts';
import {
  libraryOf,
  libraryWithHandle,
  type ServedHome,
  sharedServedHome,
  someBytes,
  storedFiles,
} from '../support/transfer-ends.ts';

const MiB = 1024 * 1024;

const servedHome = sharedServedHome();

/** Aborts once so many bytes have gone, and tells how long that took. */
function stopAt(phase: TransferProgress['phase'], bytes: number) {
  const stop = new AbortController();
  const state = { abortedAt: 0 };
  const onProgress = (progress: TransferProgress) => {
    if (progress.phase !== phase || progress.doneBytes < bytes || stop.signal.aborted) return;
    state.abortedAt = performance.now();
    stop.abort(new Error('enough'));
  };
  return { signal: stop.signal, onProgress, sinceMs: () => performance.now() - state.abortedAt };
}

const ways = [
  { how: 'as a program of the owner', library: libraryOf },
  { how: 'with a handle', library: libraryWithHandle },
] as const;

test('sending and receiving stop at once, and go on from there', async () => {
  const home = await servedHome();
  // Both at once: with a handle it waits five seconds before it takes over what it has left,
  // where a program of the owner is known to have ended it.
  await Promise.all((isFull ? ways : [ways[0]]).map((way) => stopTwice(home, way)));
});

async function stopTwice(home: ServedHome, { how, library }: (typeof ways)[number]): Promise<void> {
  const path = home.folder.at(`${how}.bin`);
  const plain = someBytes(24 * MiB);
  writeFileSync(path, plain);
  const [samantha, jared] = [library(home, 'samantha'), library(home, 'jared')];
  const to = home.names.jared;
  const dest = home.folder.at('got', how);
  const slowly = { limitBytesPerSecond: 40 * MiB };

  const stopSending = stopAt('sending', 12 * MiB);
  const sending = samantha.send(path, { to, ...slowly, ...stopSending });
  await expect(sending, how).rejects.toThrow('enough');
  const sendingTookMs = stopSending.sinceMs();
  const sent = await samantha.send(path, { to });
  const stopReceiving = stopAt('receiving', 12 * MiB);
  const receiving = jared.download(sent.id, { dest, ...slowly, ...stopReceiving });
  await expect(receiving, how).rejects.toThrow('enough');
  const receivingTookMs = stopReceiving.sinceMs();
  const early = readdirSync(dest).filter((name) => !name.startsWith('.aos-'));
  const received = await jared.download(sent.id, { dest });

  expect(Math.max(sendingTookMs, receivingTookMs), how).toBeLessThan(limitMs(2000));
  expect(early, how).toEqual([]);
  expect(sent.resumedBytes, how).toBeGreaterThanOrEqual(8 * MiB);
  expect(received.resumedBytes, how).toBeGreaterThanOrEqual(12 * MiB);
  expect(readFileSync(received.path).equals(plain), how).toBe(true);
  expect(readdirSync(dest), how).toEqual([`${how}.bin`]);
}

describe.each(ways)('$how', ({ library }) => {
  test('a stream is sent as it comes, and received as it is taken', async () => {
    const home = await servedHome();
    const parts = Array.from({ length: 50 }, (_, index) => someBytes(index * 997));

    const { id } = await library(home, 'samantha').sendBuffer(Readable.from(parts), 'stream.bin', {
      to: home.names.jared,
    });
    const got: Buffer[] = [];
    const transfer = await library(home, 'jared').downloadTo(id, async (bytes) => {
      got.push(Buffer.from(bytes));
    });

    expect(Buffer.concat(got).equals(Buffer.concat(parts))).toBe(true);
    expect(transfer).toMatchObject({ kind: 'stream', status: 'downloaded', ack: 'verified' });
  });
});

test('progress only grows, and ends at the whole', async () => {
  const home = await servedHome();
  const seen: TransferProgress[] = [];
  const onProgress = (progress: TransferProgress) => void seen.push(progress);
  const size = 5 * MiB + 17;
  const plain = someBytes(size);

  const { id } = await libraryOf(home, 'samantha').sendBuffer(plain, 'x.bin', {
    to: home.names.jared,
    onProgress,
  });
  await libraryOf(home, 'jared').download(id, { dest: home.folder.at('got'), onProgress });

  for (const phase of ['reading', 'sending', 'receiving']) {
    const done = seen.filter((one) => one.phase === phase).map(({ doneBytes }) => doneBytes);
    expect(done, phase).toEqual([...done].sort((a, b) => a - b));
    expect(done.at(-1), phase).toBe(size);
    expect(new Set(done).size, phase).toBe(done.length);
  }
  expect(new Set(seen.map(({ totalBytes }) => totalBytes))).toEqual(new Set([size]));
});

test('a list is of what fits the filter, down to the very values', async () => {
  const home = await servedHome();
  const samantha = libraryOf(home, 'samantha');
  const all: readonly (readonly [name: string, metadata: Record<string, unknown>])[] = [
    ['a.csv', { project: 'x', round: 1 }],
    ['b.csv', { project: 'x', round: '1' }],
    ['c.md', { project: 'y', tags: ['p', 'q'], deep: { b: 2, a: 1 } }],
  ];
  for (const [name, metadata] of all) {
    await samantha.sendBuffer(someBytes(10), name, { to: home.names.jared, metadata });
  }
  const jared = libraryOf(home, 'jared');
  const names = async (filter: Parameters<typeof jared.listPending>[0]) =>
    (await jared.listPending(filter)).map(({ filename }) => filename);

  expect(await names({ metadata: { project: 'x' } })).toEqual(['a.csv', 'b.csv']);
  expect(await names({ metadata: { round: 1 } })).toEqual(['a.csv']);
  expect(await names({ metadata: { deep: { a: 1, b: 2 } } })).toEqual(['c.md']);
  expect(await names({ metadata: { tags: ['q', 'p'] } })).toEqual([]);
  expect(await names({ metadata: {}, filename: '*.md' })).toEqual(['c.md']);
  expect(await names({ from: home.names.jean })).toEqual([]);
});

test('a stream that breaks off sends nothing and leaves nothing', async () => {
  const home = await servedHome();
  async function* broken() {
    yield someBytes(2 * MiB);
    throw new Error('the cable');
  }

  const attempt = libraryOf(home, 'samantha').sendBuffer(broken(), 'x.bin', {
    to: home.names.jared,
  });

  await expect(attempt).rejects.toMatchObject({ code: 'transfer.bad-source' });
  expect(await libraryOf(home, 'jared').listPending()).toEqual([]);
  expect(storedFiles(home)).toEqual([]);
  expect(readdirSync(`${home.home}/blobs/.uploads`)).toEqual([]);
});
