import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { isFull } from '../../../tests/support/tier.ts';
import { noStrangers } from '../process/programs-family.ts';
import { startThread, untilNoThreadStarts } from './threads.ts';

interface Heard {
  readonly code: number;
  readonly words: string;
}

/** A shell that looks at what it has inherited. `more` are descriptors that it is given. */
async function looked(more: readonly number[] = []): Promise<Heard> {
  const child = spawn('/bin/sh', ['-c', `${noStrangers}; echo none`], {
    stdio: ['ignore', 'pipe', 'pipe', ...more],
  });
  let words = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (bytes: Buffer) => {
      words += bytes.toString();
    });
  }
  const [code] = await once(child, 'close');
  return { code, words: words.trim() };
}

const rounds = isFull ? 100 : 12;

test('a program that is started while threads start inherits nothing of them', async () => {
  await using folder = temporaryFolder();
  const file = folder.at('thread.cjs');
  writeFileSync(file, '');
  const ended: Promise<unknown>[] = [];
  const seen = new Set<string>();
  for (let round = 0; round < rounds; round += 1) {
    const threads = [startThread(file), startThread(file)];
    ended.push(...threads.map((thread) => once(thread, 'exit')));
    await untilNoThreadStarts();
    seen.add((await looked()).words);
  }
  await Promise.all(ended);

  expect([...seen]).toEqual(['none']);
});

test('a thread that is ended before it has started is not waited for', async () => {
  await using folder = temporaryFolder();
  const file = folder.at('thread.cjs');
  writeFileSync(file, '');

  await startThread(file).terminate();
  await untilNoThreadStarts();
});

test('a shell that has inherited what it cannot close does not become a launcher', async () => {
  const nothing = openSync('/dev/null', 'r');
  try {
    // From 3 to 10.
    expect(await looked(Array.from({ length: 8 }, () => nothing))).toEqual({
      code: 125,
      words: 'descriptors are inherited (/proc/self/fd/10)',
    });
  } finally {
    closeSync(nothing);
  }
});
