import { expect, test } from 'vitest';
import { SimulatedClock } from '../../../tests/sim/clock.ts';
import type { FileReader } from '../ports.ts';
import { readSteadily } from './file-path.ts';

/** A file that was written to `ageMs` ago, and that is another one at each look. */
function fileOf(clock: SimulatedClock, ageMs: number, ...contents: readonly string[]) {
  let looks = 0;
  const now = () => Buffer.from(contents[Math.min(looks, contents.length - 1)] ?? '');
  const reader: FileReader = {
    readAt: async (offset, length) => now().subarray(offset, offset + length),
    sizeBytes: async () => now().length,
    identity: async () => ({
      ...{ sizeBytes: now().length, modifiedNs: String(looks), modifiedAt: clock.now() - ageMs },
      ...{ inode: '1', device: '1', links: 1 },
    }),
    async [Symbol.asyncDispose]() {},
  };
  const passing = {
    now: () => clock.now(),
    sleep: async () => void looks++,
  };
  const read = async () => {
    const found = await readSteadily(passing, reader, { offset: 0, mostBytes: 1000 });
    return found && Buffer.from(found.bytes).toString();
  };
  return { reader, read, looks: () => looks };
}

test('one that nobody has written to lately is read once', async () => {
  const file = fileOf(new SimulatedClock(), 1000, 'old');

  expect(await file.read()).toBe('old');
  expect(file.looks()).toBe(0);
});

test('one in the middle of being written is read when it is whole', async () => {
  expect(await fileOf(new SimulatedClock(), 0, 'ne', 'new te', 'new text').read()).toBe('new text');
  expect(await fileOf(new SimulatedClock(), 0, 'newold', 'newnew').read()).toBe('newnew');
});

test('one that only gets longer is given as far as it has come', async () => {
  const lines = Array.from({ length: 20 }, (_, count) => 'line\n'.repeat(count));

  expect(await fileOf(new SimulatedClock(), 0, ...lines).read()).toMatch(/^(line\n)+$/);
});

test('one that never stays as it is, is not given at all', async () => {
  const texts = Array.from({ length: 20 }, (_, count) => String(count).repeat(5));

  expect(await fileOf(new SimulatedClock(), 0, ...texts).read()).toBeUndefined();
});

test('one that was whole once, and torn ever after, is not taken for one that gets longer', async () => {
  const clock = new SimulatedClock();
  const { reader } = fileOf(clock, 0, 'AAAA', ...Array.from({ length: 30 }, (_, n) => `B${n}`));
  let looks = 0;
  const torn: FileReader = {
    ...reader,
    // From the second read on it is another file before and after.
    identity: async () => ({
      ...(await reader.identity()),
      modifiedNs: String(looks++ < 2 ? 0 : looks),
    }),
  };

  const read = await readSteadily({ now: () => clock.now(), sleep: async () => {} }, torn, {
    offset: 0,
    mostBytes: 1000,
  });

  expect(read).toBeUndefined();
});
